"""A score for every pair of a set: a model and its measures applied to the pairs of terms.

Each distinct term is looked up or encoded once. What a model cannot score, because a word is missing or a similarity
is undefined, is NaN, and stays NaN, unless a model was opened with ``missing=zero``.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.embeddings.model import ConceptModel, Model, PairScorer, TermModel, WordModel

    Advance = Callable[[float], None]
    Numbers = NDArray[np.int64]


def score_pairs(
    model: Model, pairs: PairSet, measures: Sequence[str], advance: Advance = lambda _amount: None
) -> dict[str, NDArray[np.float64]]:
    """Return a score per pair for each measure, all of which the model's kind has; NaN where there is none."""
    score = {"words": _score_words, "terms": _score_terms, "concepts": _score_concepts, "pairs": _score_by_itself}
    matrix = score[model.kind](model, pairs, measures, advance)  # type: ignore[operator]
    return {name: matrix[:, at].copy() for at, name in enumerate(measures)}


def numbered(pairs: PairSet, one: str = "term_1", two: str = "term_2") -> tuple[list[str], Numbers, Numbers]:
    """Return the distinct terms of a set, or concepts, and its pairs as numbers of them."""
    numbers: dict[str, int] = {}
    first, second = (
        np.fromiter((numbers.setdefault(term, len(numbers)) for term in side), np.int64, len(side))
        for side in (pairs.frame[column].fill_null("").to_list() for column in (one, two))
    )
    return list(numbers), first, second


def _score_words(model: WordModel, pairs: PairSet, measures: Sequence[str], advance: Advance) -> NDArray[np.float64]:
    from termgauge.similarity.kernels import score_words

    terms, first, second = numbered(pairs)
    words = model.words_of(terms)
    score = partial(score_words, words.vectors, words.indptr, words.indices)
    return _score_known(score, ~words.missing, (first, second), measures, advance, words.instead)


def _score_terms(model: TermModel, pairs: PairSet, measures: Sequence[str], advance: Advance) -> NDArray[np.float64]:
    from termgauge.similarity.kernels import score_terms

    terms, first, second = numbered(pairs)
    vectors = model.encode(terms)
    mask = ~np.isnan(vectors[:, 0])  # a term without a vector is a row of NaN
    return _score_known(partial(score_terms, vectors), mask, (first, second), measures, advance)


def _score_concepts(
    model: ConceptModel, pairs: PairSet, measures: Sequence[str], advance: Advance
) -> NDArray[np.float64]:
    from termgauge.similarity.kernels import score_terms

    if "concept_1" not in pairs.frame.columns:
        advance(len(pairs))
        return np.full((len(pairs), len(measures)), np.nan)
    concepts, first, second = numbered(pairs, "concept_1", "concept_2")
    rows = model.find(concepts)
    vectors = np.zeros((len(concepts), model.dimension), np.float32)
    vectors[rows >= 0] = model.gather(rows[rows >= 0])
    return _score_known(partial(score_terms, vectors), rows >= 0, (first, second), measures, advance)


def _score_known(
    score: Callable[..., NDArray[np.float64]],
    mask: NDArray[np.bool_],
    ends: tuple[Numbers, Numbers],
    measures: Sequence[str],
    advance: Advance,
    instead: float = np.nan,
) -> NDArray[np.float64]:
    """Score the pairs of which both ends are known; the others are scored with something else."""
    first, second = ends
    usable = mask[first] & mask[second]
    advance(len(first) - int(usable.sum()))
    scores = np.full((len(first), len(measures)), instead)
    scores[usable] = score(first[usable], second[usable], measures, advance=advance)
    return scores


def _score_by_itself(
    model: PairScorer, pairs: PairSet, _measures: Sequence[str], advance: Advance
) -> NDArray[np.float64]:
    scores = model.score(pairs.frame["term_1"].to_list(), pairs.frame["term_2"].to_list(), numbered(pairs)[0])
    advance(len(pairs))
    return scores[:, None]
