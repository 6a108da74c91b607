"""What one model finds in a terminology: how alike its own synonyms are, and which terms of other concepts are nearest.

A model of pairs alone has no neighbours: it judges what the others, and the rules, propose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.embeddings.neighbours import NeighbourSearch
from termgauge.exceptions import TermgaugeError
from termgauge.similarity.search import NameIndex, nearest_of_others
from termgauge.tasks.audit.reading import VectorReader, reader_of
from termgauge.tasks.results import Finite, Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from termgauge.embeddings.model import Model
    from termgauge.tasks.audit.entries import Entries
    from termgauge.tasks.audit.reading import Reader

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


def read_terminology_with(
    model: Model, entries: Entries, drawn: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> ModelReading:
    """Let a model read all terms."""
    reader = reader_of(model, entries.texts)
    own = own_scores(reader, entries)
    random = reader.score(*drawn)
    if np.isnan(own).all() and np.isnan(random).all():
        raise TermgaugeError(f"'{model.name}' knows none of the terms, so it cannot read this terminology.")
    unknown, nearest = 0, []
    if isinstance(reader, VectorReader):
        unknown = int(np.isnan(reader.units[: len(entries), 0]).sum())
        nearest = _proposals(reader.units, entries, own)
    return ModelReading(unknown=unknown, own=own.tolist(), random=random.tolist(), nearest=nearest)


def own_scores(reader: Reader, entries: Entries) -> NDArray[np.float64]:
    """Return of each synonym how alike it is to the most similar other term of its concept; NaN if nothing is known."""
    first, second = entries.within
    scores = reader.score(first, second)
    best = np.full(len(entries), -np.inf)
    np.fmax.at(best, first, scores)
    own = best[entries.synonyms]
    return np.where(np.isfinite(own), own, np.nan)


def _proposals(units: NDArray[np.float32], entries: Entries, own: NDArray[np.float64]) -> list[list[int]]:
    active, retired = units[: len(entries)], units[len(entries) :]
    rows, cosines = nearest_of_others(NameIndex(active, entries.concepts), NEAREST)
    least = np.nanmedian(own) if not np.isnan(own).all() else -np.inf
    kept = rows >= 0
    kept[:, 1:] &= cosines[:, 1:] >= least
    proposals = [row[there].tolist() for row, there in zip(rows, kept, strict=True)]
    if not len(retired):
        return proposals
    search = NeighbourSearch(retired, np.arange(len(retired) + 1), np.full(len(retired), -1), NEAREST)
    search.offer(0, active)
    return proposals + [row[row >= 0].tolist() for row in search.rows]
