"""A score for every pair of a set: a model and its measures applied to the pairs of terms.

Each distinct term is looked up or encoded once. What a model cannot score, because a word is missing or a similarity
is undefined, is NaN, and stays NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.embeddings.model import ConceptModel, Model, PairScorer, TermModel, WordModel


def score_pairs(
    model: Model,
    pairs: PairSet,
    measures: Sequence[str],
    advance: Callable[[float], None] = lambda _amount: None,
) -> dict[str, NDArray[np.float64]]:
    """Score the pairs of a set with a model.

    Parameters
    ----------
    model
        The model.
    pairs
        The set.
    measures
        Measures that the model's kind has.
    advance
        Told how many pairs were done.

    Returns
    -------
    dict
        For each measure a score per pair, NaN where there is none.
    """
    score = {"words": _score_words, "terms": _score_terms, "concepts": _score_concepts, "pairs": _score_by_itself}
    matrix = score[model.kind](model, pairs, measures, advance)  # type: ignore[operator]
    return {name: matrix[:, at].copy() for at, name in enumerate(measures)}


def numbered_terms(pairs: PairSet) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct terms of a set, and its pairs as numbers of them."""
    one, two = pairs.frame["term_1"].to_list(), pairs.frame["term_2"].to_list()
    numbers: dict[str, int] = {}
    first, second = (
        np.fromiter((numbers.setdefault(term, len(numbers)) for term in side), np.int64, len(side))
        for side in (one, two)
    )
    return list(numbers), first, second


def _score_words(
    model: WordModel, pairs: PairSet, measures: Sequence[str], advance: Callable[[float], None]
) -> NDArray[np.float64]:
    from termgauge.similarity.kernels import score_words

    terms, first, second = numbered_terms(pairs)
    words = model.words_of(terms)
    usable = ~(words.missing[first] | words.missing[second])
    advance(len(pairs) - int(usable.sum()))
    scores = np.full((len(pairs), len(measures)), np.nan)
    scores[usable] = score_words(
        words.vectors, words.indptr, words.indices, first[usable], second[usable], measures, advance=advance
    )
    return scores


def _score_terms(
    model: TermModel, pairs: PairSet, measures: Sequence[str], advance: Callable[[float], None]
) -> NDArray[np.float64]:
    from termgauge.similarity.kernels import score_terms

    terms, first, second = numbered_terms(pairs)
    vectors = model.encode(terms)
    there = ~np.isnan(vectors[:, 0])  # a term without a vector is a row of NaN
    return _score_there(score_terms, vectors, there, (first, second), measures, advance)


def _score_concepts(
    model: ConceptModel, pairs: PairSet, measures: Sequence[str], advance: Callable[[float], None]
) -> NDArray[np.float64]:
    from termgauge.similarity.kernels import score_terms

    if "concept_1" not in pairs.frame.columns:
        advance(len(pairs))
        return np.full((len(pairs), len(measures)), np.nan)
    columns = [pairs.frame[name].fill_null("").to_list() for name in ("concept_1", "concept_2")]
    concepts = list(dict.fromkeys(concept for column in columns for concept in column))
    number = {concept: at for at, concept in enumerate(concepts)}
    rows = model.find(concepts)
    vectors = np.zeros((len(concepts), model.dimension), np.float32)
    vectors[rows >= 0] = model.gather(rows[rows >= 0])
    first, second = (np.fromiter((number[each] for each in column), np.int64, len(column)) for column in columns)
    return _score_there(score_terms, vectors, rows >= 0, (first, second), measures, advance)


def _score_there(
    score: Callable[..., NDArray[np.float64]],
    vectors: NDArray[np.float32],
    there: NDArray[np.bool_],
    ends: tuple[NDArray[np.int64], NDArray[np.int64]],
    measures: Sequence[str],
    advance: Callable[[float], None],
) -> NDArray[np.float64]:
    first, second = ends
    usable = there[first] & there[second]
    advance(len(first) - int(usable.sum()))
    scores = np.full((len(first), len(measures)), np.nan)
    scores[usable] = score(vectors, first[usable], second[usable], measures, advance=advance)
    return scores


def _score_by_itself(
    model: PairScorer, pairs: PairSet, measures: Sequence[str], advance: Callable[[float], None]
) -> NDArray[np.float64]:
    del measures
    terms, _first, _second = numbered_terms(pairs)
    scores = model.score(pairs.frame["term_1"].to_list(), pairs.frame["term_2"].to_list(), terms)
    advance(len(pairs))
    return scores[:, None]
