"""Similarities of different models made comparable: as percentiles among the synonyms of the terminology itself.

A similarity of 0.8 is much for one model and little for another. That it is more than the similarity of 90 in 100 of
the terminology's own synonyms means the same for both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.tasks.audit.reading import reader_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from termgauge.embeddings.model import Model
    from termgauge.tasks.audit.measure import ModelReading

FEWEST = 20
"""Synonyms that a model must know, or percentiles are of random pairs."""
UNDECIDED = 0.5
"""What a model says of a pair that it cannot score."""


def percentiles(population: ArrayLike, scores: ArrayLike) -> NDArray[np.float64]:
    """Return the share of a population that is less than each score, equal ones counted half; NaN stays.

    >>> percentiles([0.1, 0.2, 0.2, 0.4], [0.2, 0.5, float("nan")]).tolist()
    [0.5, 1.0, nan]
    """
    known = np.asarray(population, np.float64)
    known = np.sort(known[~np.isnan(known)])
    values = np.asarray(scores, np.float64)
    below, upto = (np.searchsorted(known, values, side) for side in ("left", "right"))
    shares = (below + upto) / (2 * max(1, len(known)))
    return np.where(np.isnan(values), np.nan, shares)


def numbers_of(values: Sequence[float | None]) -> NDArray[np.float64]:
    """Return numbers as they were before they were written as JSON."""
    return np.array([np.nan if value is None else value for value in values], np.float64)


class Judges:
    """All models that read a terminology, each with what its percentiles are of."""

    def __init__(
        self, readings: Mapping[str, ModelReading], opened: Mapping[str, Callable[[], Model]], texts: Sequence[str]
    ) -> None:
        self._opened, self._texts = opened, texts
        self.own = {name: numbers_of(reading.own) for name, reading in readings.items()}
        self.random = {name: numbers_of(reading.random) for name, reading in readings.items()}
        known = [np.count_nonzero(~np.isnan(own)) for own in self.own.values()]
        self.population = "synonyms" if not known or min(known) >= FEWEST else "random pairs"

    def __len__(self) -> int:
        return len(self.own)

    def of(self, name: str, scores: ArrayLike) -> NDArray[np.float64]:
        """Return the percentiles of some scores of a model."""
        return percentiles((self.own if self.population == "synonyms" else self.random)[name], scores)

    def synonyms(self) -> NDArray[np.float64]:
        """Return the percentiles of all synonyms, a row for each model."""
        return np.array([self.of(name, own) for name, own in self.own.items()])

    def judged(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the percentiles of pairs of texts, a row for each model."""
        rows = np.full((len(self), len(first)), np.nan)
        for row, name in zip(rows, self.own, strict=True):
            model = self._opened[name]()
            if model.kind == "pairs":
                row[:] = self.of(name, reader_of(model, self._texts).score(first, second))
            elif len(first):
                needed, places = np.unique(np.concatenate([first, second]), return_inverse=True)
                reader = reader_of(model, [self._texts[number] for number in needed.tolist()])
                row[:] = self.of(name, reader.score(*np.split(places, 2)))
        return rows


def consensus(judged: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean percentile of each pair over all models; one that cannot score it is undecided."""
    if not len(judged):
        return np.full(judged.shape[1], UNDECIDED)
    mean: NDArray[np.float64] = np.where(np.isnan(judged), UNDECIDED, judged).mean(axis=0)
    return mean
