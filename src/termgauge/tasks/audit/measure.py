"""What one model finds in a terminology: how alike its own synonyms are, and which terms of other concepts are nearest.

A model of pairs alone has no neighbours: it judges what the others, and the rules, propose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from termgauge.embeddings.neighbours import NeighbourSearch, term_vectors
from termgauge.embeddings.units import unit_vectors
from termgauge.exceptions import TermgaugeError
from termgauge.similarity.search import NameIndex, nearest_of_others
from termgauge.tasks.results import Finite, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from termgauge.embeddings.model import Model, PairScorer
    from termgauge.tasks.audit.inputs import AuditInputs, Entries
    from termgauge.tasks.audit.task import AuditOptions

    Numbers = NDArray[np.int64]

_DECIMALS = 6
"""Similarities are rounded to so many, so that equal directions of different lengths tie."""
_PAIRS_AT_ONCE = 1 << 16


class Reader:
    """Texts as a model reads them: by the cosines of their vectors, or as a model of pairs compares two of them."""

    def __init__(self, model: Model, texts: Sequence[str], corpus: Sequence[str] = ()) -> None:
        if model.kind == "concepts":
            raise TermgaugeError(
                f"The model '{model.name}' has vectors of concepts, not of terms, and so cannot read a terminology; "
                "name a model of words or terms."
            )
        self._model, self._texts, self._corpus = model, texts, corpus or texts
        self.units: NDArray[np.float32] | None = None
        """Of length 1; a text that the model does not know is a row of NaN. None of a model of pairs."""
        if model.kind != "pairs":
            number: dict[str, int] = {}
            rows = np.array([number.setdefault(text, len(number)) for text in texts], np.int64)
            self.units = unit_vectors(term_vectors(model, list(number)), np.float32)[rows]

    def score(self, first: Numbers, second: Numbers) -> NDArray[np.float64]:
        """Return how alike texts are, given by number; NaN where the model does not know one."""
        if self.units is None:
            one, two = ([self._texts[number] for number in side.tolist()] for side in (first, second))
            # How common something is, is counted over all texts.
            return cast("PairScorer", self._model).score(one, two, self._corpus).round(_DECIMALS)
        scores = np.empty(len(first))
        for low in range(0, len(first), _PAIRS_AT_ONCE):
            part = slice(low, low + _PAIRS_AT_ONCE)
            scores[part] = np.einsum("ij,ij->i", self.units[first[part]], self.units[second[part]], dtype=np.float64)
        return scores.round(_DECIMALS)


FEWEST = 20
"""Synonyms that a model must know, or percentiles are of random pairs."""
UNDECIDED = 0.5
"""What a model says of a pair that it cannot score."""


def percentiles(population: ArrayLike, scores: ArrayLike) -> NDArray[np.float64]:
    """Return the share of a population that is less than each score, equal ones counted half; NaN stays.

    >>> percentiles([0.1, 0.2, 0.2, 0.4], [0.2, 0.5, float("nan")]).tolist()
    [0.5, 1.0, nan]
    """
    members = np.asarray(population, np.float64)
    members = np.sort(members[~np.isnan(members)])
    values = np.asarray(scores, np.float64)
    below, upto = (np.searchsorted(members, values, side) for side in ("left", "right"))
    shares = (below + upto) / (2 * max(1, len(members)))
    return np.where(np.isnan(values), np.nan, shares)


class Judges:
    """What all models say of pairs of texts: percentiles, a row for each model, that mean the same for all of them."""

    def __init__(
        self,
        readings: Mapping[str, ModelReading],
        opened: Mapping[str, Callable[[], Model]],
        texts: Sequence[str],
        pairs: Collection[tuple[int, int]],
    ) -> None:
        # What is not known is None in JSON, and NaN again in an array.
        synonyms, random = (
            [np.array(getattr(reading, part), np.float64) for reading in readings.values()]
            for part in ("own", "random")
        )
        few = any(np.count_nonzero(~np.isnan(scores)) < FEWEST for scores in synonyms)
        self.population = "random pairs" if few else "synonyms"
        self.areas = [_mean(percentiles(*both)) for both in zip(random, synonyms, strict=True)]
        """How often each model finds a synonym more like its concept than a random pair."""
        members = random if few else synonyms
        self.synonyms = np.array([percentiles(*both) for both in zip(members, synonyms, strict=True)])
        self.pairs = sorted(pairs)
        self._place = {pair: at for at, pair in enumerate(self.pairs)}
        numbers, places = np.unique(np.array(self.pairs, np.int64).reshape(-1, 2), return_inverse=True)
        needed, places = [texts[number] for number in numbers.tolist()], places.reshape(-1, 2).T
        self.percentiles = np.full((len(readings), len(self.pairs)), np.nan)
        for row, name, population in zip(self.percentiles, readings, members, strict=True):
            if self.pairs:
                row[:] = percentiles(population, Reader(opened[name](), needed, texts).score(*places))
        self.consensus = consensus(self.percentiles)
        self.undefined = [np.nan] * len(readings)
        """What models say of nothing."""

    def at(self, one: int, other: int) -> int:
        """Return the place of a pair."""
        return self._place[min(one, other), max(one, other)]

    def ranked(self, text: int, others: Iterable[int]) -> list[tuple[int, float]]:
        """Return other texts that it was paired with, each with the consensus, the most alike first."""
        scores = {other: float(self.consensus[self.at(text, other)]) for other in others}
        return sorted(scores.items(), key=lambda score: (-score[1], score[0]))


def _mean(values: NDArray[np.float64]) -> float | None:
    numbers = values[~np.isnan(values)]
    return round(float(numbers.mean()), 6) if len(numbers) else None


def consensus(judged: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean percentile of each pair over all models; one that cannot score it is undecided."""
    if not len(judged):
        return np.full(judged.shape[1], UNDECIDED)
    mean: NDArray[np.float64] = np.where(np.isnan(judged), UNDECIDED, judged).mean(axis=0)
    return mean


NEAREST = 3
"""How many terms of other concepts a model proposes for each term."""


class ModelReading(Record):
    """What one model finds. Entries are numbers."""

    unknown: int
    """Terms that it has no vector for."""
    own: list[Finite]
    """Of each synonym, how alike it is to the term of its own concept that is most like it."""
    random: list[Finite]
    """How alike terms of different concepts are that were drawn at random."""
    nearest: list[list[int]]
    """Of each entry, and then of each retired name, the nearest entries of other concepts that are as alike as half of
    the synonyms are; the nearest in any case. Empty for a model of pairs."""


def read_terminology_with(model: Model, inputs: AuditInputs, options: AuditOptions) -> ModelReading:  # noqa: ARG001
    """Let a model read all terms."""
    entries = inputs.entries
    reader = Reader(model, entries.texts)
    scores = own_scores(reader, entries)
    random = reader.score(*inputs.drawn)
    if np.isnan(scores).all() and np.isnan(random).all():
        raise TermgaugeError(f"'{model.name}' knows none of the terms, so it cannot read this terminology.")
    unknown, nearest = 0, []
    if reader.units is not None:
        unknown = int(np.isnan(reader.units[: len(entries), 0]).sum())
        nearest = _proposals(reader.units, entries, scores)
    return ModelReading(unknown=unknown, own=scores.tolist(), random=random.tolist(), nearest=nearest)


def own_scores(reader: Reader, entries: Entries) -> NDArray[np.float64]:
    """Return of each synonym how alike it is to the most similar other term of its concept; NaN if nothing is known."""
    first, second = entries.within
    scores = reader.score(first, second)
    best = np.full(len(entries), -np.inf)
    np.fmax.at(best, first, scores)
    maxima = best[entries.synonyms]
    return np.where(np.isfinite(maxima), maxima, np.nan)


def _proposals(units: NDArray[np.float32], entries: Entries, scores: NDArray[np.float64]) -> list[list[int]]:
    active, retired = units[: len(entries)], units[len(entries) :]
    rows, cosines = nearest_of_others(NameIndex(active, entries.concepts[: len(entries)]), NEAREST)
    least = np.nanmedian(scores) if not np.isnan(scores).all() else -np.inf
    kept = rows >= 0
    kept[:, 1:] &= cosines[:, 1:] >= least
    proposals = [row[there].tolist() for row, there in zip(rows, kept, strict=True)]
    if not len(retired):
        return proposals
    search = NeighbourSearch(retired, np.arange(len(retired) + 1), np.full(len(retired), -1), NEAREST)
    search.offer(0, active)
    return proposals + [row[row >= 0].tolist() for row in search.rows]
