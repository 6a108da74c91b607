"""A score for every pair of a set: a model and its measures applied to the pairs of terms.

Each distinct term is looked up or encoded once. What a model cannot score, because a word is missing or a similarity
is undefined, is NaN, and stays NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.similarity.measures import MEASURES, measures_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.embeddings.model import ConceptModel, Model, PairScorer, TermModel, WordModel

OWN_MEASURE = "similarity"
"""The one measure of models that score pairs by themselves, such as edit distance."""
USUAL = "usual"
"""The word for the measure that a kind of model is usually reported with."""
_DEFAULTS = {"words": "avg_cos", "terms": "cos", "concepts": "cos", "pairs": OWN_MEASURE}


def default_measure(kind: str) -> str:
    """Return the measure that a kind of model is usually reported with.

    Examples
    --------
    >>> default_measure("words"), default_measure("terms")
    ('avg_cos', 'cos')
    """
    return _DEFAULTS[kind]


def chosen_measures(kind: str, wanted: Sequence[str]) -> tuple[str, ...]:
    """Return which of the wanted measures a kind of model has; all it has if none is named.

    Raises
    ------
    TermgaugeError
        If a name is no measure at all.
    """
    known = [*MEASURES, OWN_MEASURE]
    for name in wanted:
        if name not in known:
            raise TermgaugeError(f"'{name}' is no measure of similarity.{did_you_mean(name, known)}")
    own = (OWN_MEASURE,) if kind == "pairs" else tuple(measure.name for measure in measures_for(kind))  # type: ignore[arg-type]
    if not wanted or kind == "pairs":
        return own
    asked = {same for name in wanted for same in counterparts(name)}
    return tuple(name for name in own if name in asked)


def counterparts(name: str) -> tuple[str, ...]:
    """Return a measure and what it is called for other kinds of models.

    A measure of single vectors is, of word vectors, that of their mean, and the other way round.

    Examples
    --------
    >>> counterparts("avg_cos"), counterparts("cos"), counterparts("max_jaccard")
    (('avg_cos', 'cos'), ('cos', 'avg_cos'), ('max_jaccard',))
    """
    others = (name.removeprefix("avg_"), f"avg_{name}")
    return tuple(dict.fromkeys(each for each in (name, *others) if each == name or each in MEASURES))


def checked_standing(wanted: str) -> str:
    """Return the name of the measure that is to stand for models: ``usual``, or that of a measure.

    Raises
    ------
    TermgaugeError
        If it is neither.
    """
    known = [USUAL, *MEASURES, OWN_MEASURE]
    if wanted not in known:
        raise TermgaugeError(f"'{wanted}' is no measure, nor '{USUAL}'.{did_you_mean(wanted, known)}")
    return wanted


def standing_measure(own: Iterable[str], kind: str, wanted: str = "usual") -> str | None:
    """Return which of the measures that a model has stands for it: the wanted one, else its usual one, else its first.

    Examples
    --------
    >>> own = ["avg_cos", "avg_kendall"]
    >>> standing_measure(own, "words"), standing_measure(own, "words", "kendall")
    ('avg_cos', 'avg_kendall')
    """
    there = list(own)
    usual = _DEFAULTS.get(kind, "")
    names = (usual,) if wanted == USUAL else (*counterparts(wanted), usual)
    return next((name for name in names if name in there), there[0] if there else None)


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
