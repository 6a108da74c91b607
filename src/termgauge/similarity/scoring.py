"""A score for every pair of a set: a model and its measures applied to the pairs of terms.

Each distinct term is looked up or encoded once. What a model cannot score, because a word is missing or a similarity
is undefined, is NaN, and stays NaN, unless a model was opened with ``missing=zero``.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.embeddings.model import Model, PairScorer, WordModel

    Advance = Callable[[float], None]
    Numbers = NDArray[np.int64]


def score_pairs(
    model: Model, pairs: PairSet, measures: Sequence[str], advance: Advance = lambda _amount: None
) -> dict[str, NDArray[np.float64]]:
    """Return a score per pair for each measure, all of which the model's kind has; NaN where there is none."""
    if model.kind == "pairs":
        scorer, terms = cast("PairScorer", model), numbered(pairs)[0]
        scores = scorer.score(pairs.frame["term_1"].to_list(), pairs.frame["term_2"].to_list(), terms)[:, None]
        advance(len(pairs))
    elif model.kind == "concepts" and "concept_1" not in pairs.frame.columns:
        scores = np.full((len(pairs), len(measures)), np.nan)
        advance(len(pairs))
    else:
        scores = _score_vectors(model, pairs, measures, advance)
    return {name: scores[:, at].copy() for at, name in enumerate(measures)}


def _score_vectors(model: Model, pairs: PairSet, measures: Sequence[str], advance: Advance) -> NDArray[np.float64]:
    """Score the pairs of which both ends have vectors; of words, the others may score something else than NaN."""
    from termgauge.embeddings.neighbours import term_vectors
    from termgauge.similarity.kernels import score_terms, score_words

    terms, first, second = numbered(pairs, "concept" if model.kind == "concepts" else "term")
    instead = np.nan
    score: Callable[..., NDArray[np.float64]]
    if model.kind == "words":
        words = cast("WordModel", model).words_of(terms)
        score = partial(score_words, words.vectors, words.indptr, words.indices)
        mask, instead = ~words.missing, words.instead
    else:
        vectors = term_vectors(model, terms)
        score, mask = partial(score_terms, vectors), ~np.isnan(vectors[:, 0])
    usable = mask[first] & mask[second]
    advance(len(first) - int(usable.sum()))
    scores = np.full((len(first), len(measures)), instead)
    scores[usable] = score(first[usable], second[usable], measures, advance=advance)
    return scores


def numbered(pairs: PairSet, what: str = "term") -> tuple[list[str], Numbers, Numbers]:
    """Return the distinct terms of a set, or concepts, and its pairs as numbers of them."""
    numbers: dict[str, int] = {}
    first, second = (
        np.fromiter((numbers.setdefault(term, len(numbers)) for term in side), np.int64, len(side))
        for side in (pairs.frame[f"{what}_{end}"].fill_null("").to_list() for end in (1, 2))
    )
    return list(numbers), first, second
