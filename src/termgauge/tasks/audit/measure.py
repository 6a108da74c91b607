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
    from collections.abc import Callable, Mapping, Sequence

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

    def __init__(self, model: Model, texts: Sequence[str]) -> None:
        if model.kind == "concepts":
            raise TermgaugeError(
                f"The model '{model.name}' has vectors of concepts, not of terms, and so cannot read a terminology; "
                "name a model of words or terms."
            )
        self._model, self._texts = model, texts
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
            return cast("PairScorer", self._model).score(one, two, self._texts).round(_DECIMALS)
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
    """All models that read a terminology, each with what its percentiles are of: these mean the same for all models."""

    def __init__(
        self, readings: Mapping[str, ModelReading], opened: Mapping[str, Callable[[], Model]], texts: Sequence[str]
    ) -> None:
        self._opened, self._texts = opened, texts
        # What is not known is None in JSON, and NaN again in an array.
        self.own = {name: np.array(reading.own, np.float64) for name, reading in readings.items()}
        self.random = {name: np.array(reading.random, np.float64) for name, reading in readings.items()}
        counts = [np.count_nonzero(~np.isnan(scores)) for scores in self.own.values()]
        self.population = "synonyms" if not counts or min(counts) >= FEWEST else "random pairs"

    def __len__(self) -> int:
        return len(self.own)

    def of(self, name: str, scores: ArrayLike) -> NDArray[np.float64]:
        """Return the percentiles of some scores of a model."""
        return percentiles((self.own if self.population == "synonyms" else self.random)[name], scores)

    def synonyms(self) -> NDArray[np.float64]:
        """Return the percentiles of all synonyms, a row for each model."""
        return np.array([self.of(name, scores) for name, scores in self.own.items()])

    def judged(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the percentiles of pairs of texts, a row for each model."""
        rows = np.full((len(self), len(first)), np.nan)
        for row, name in zip(rows, self.own, strict=True):
            model = self._opened[name]()
            if model.kind == "pairs":
                row[:] = self.of(name, Reader(model, self._texts).score(first, second))
            elif len(first):
                needed, places = np.unique(np.concatenate([first, second]), return_inverse=True)
                reader = Reader(model, [self._texts[number] for number in needed.tolist()])
                row[:] = self.of(name, reader.score(*np.split(places, 2)))
        return rows


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
    rows, cosines = nearest_of_others(NameIndex(active, entries.concepts), NEAREST)
    least = np.nanmedian(scores) if not np.isnan(scores).all() else -np.inf
    kept = rows >= 0
    kept[:, 1:] &= cosines[:, 1:] >= least
    proposals = [row[there].tolist() for row, there in zip(rows, kept, strict=True)]
    if not len(retired):
        return proposals
    search = NeighbourSearch(retired, np.arange(len(retired) + 1), np.full(len(retired), -1), NEAREST)
    search.offer(0, active)
    return proposals + [row[row >= 0].tolist() for row in search.rows]
