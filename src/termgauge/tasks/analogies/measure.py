"""Do a domain's relations hold as analogies in an embedding? The measure of Giancani et al. (2023).

For each relation, W are its pairs that touch the domain, IV those of which both ends are in the model's vocabulary, AR
the analogies between them that hold, and M = AR / (|W| (|W| - 1)) the share of all that there could be.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.domain.neighbourhood import VocabularyNeighbourhood, neighbourhood_of
from termgauge.exceptions import warn
from termgauge.io.arrays import Array
from termgauge.progress import track
from termgauge.tasks.analogies.search import Vectors, beaters

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from termgauge.domain.neighbourhood import ConceptRows, Neighbourhood
    from termgauge.domain.relations import Relation
    from termgauge.embeddings.model import Model
    from termgauge.tasks.analogies.task import AnalogyInputs, AnalogyOptions


@dataclass(frozen=True)
class RelationAnalogies:
    """The analogies of one relation in one model."""

    pairs: int
    """|W|."""
    in_vocabulary: int
    """|IV|: pairs with both ends in the vocabulary."""
    successes: dict[int, int]
    """AR by k."""
    holding: Array = field(repr=False, compare=False)
    """The analogies that hold for the largest k: the numbers of h and j in W, and the rank of the answer."""
    known: Array = field(default_factory=lambda: np.empty(0, np.int32), repr=False, compare=False)
    """The numbers, in W, of the pairs in vocabulary."""

    @property
    def out_of_vocabulary(self) -> int:
        """|OOV|."""
        return self.pairs - self.in_vocabulary

    @property
    def asked(self) -> int:
        """How many analogies there are between pairs in vocabulary."""
        return self.in_vocabulary * (self.in_vocabulary - 1)

    def holding_for(self, k: int) -> NDArray[np.int32]:
        """Return h and j of the analogies that hold for some k."""
        return self.holding[self.holding[:, 2] <= k, :2]

    def coverage(self, k: int) -> float | None:
        """Return M; None where there are no analogies at all, for want of two pairs."""
        return self.successes[k] / (self.pairs * (self.pairs - 1)) if self.pairs > 1 else None


@dataclass(frozen=True)
class ModelAnalogies:
    """The analogies of all relations in one model."""

    kind: str
    """Of the model: words, concepts or terms."""
    neighbourhood: str
    """Where the answer is sought: in the model's `vocabulary` or, for encoders, among the names of the `terminology`,
    which is a different question."""
    size: int
    """How many words or concepts that is."""
    relations: dict[str, RelationAnalogies]


def analogies_of(model: Model, inputs: AnalogyInputs, options: AnalogyOptions) -> ModelAnalogies:
    """Ask a model for all analogies of some relations.

    An encoder's vocabulary is the terminology: one label of each concept. With ``first`` labels a concept is the
    best-ranked of its labels in the vocabulary; with ``all`` an analogy holds if it does for any choice of labels of
    its four concepts, the labels chosen being left out of the ranking.
    """
    limit, relations = max(options.k), inputs.chosen.relations
    ends = list(dict.fromkeys(end for relation in relations for pair in relation.pairs for end in pair))
    among = neighbourhood_of(model, inputs.terminology, ends, options.lookup)
    places = {end: place for place, end in enumerate(ends)}
    lines = {relation.name: _lines_of(relation, among.seeds, places) for relation in relations}
    if limit >= len(among):
        warn(f"'{model.name}' has {len(among):,} words, so that all of them are among the {limit:,} nearest.")
    if not any(len(each.known) for each in lines.values()):
        warn(f"No pair of any relation is in the vocabulary of '{model.name}': it covers nothing of the domain.")
    vectors, counted = _vectors(among), {}
    total = sum(len(each.known) * (len(each.known) - 1) for each in lines.values())
    with track(f"Analogies in {model.name}", total=total, unit="analogies") as advance:
        for relation in relations:
            holding = _holding(vectors, lines[relation.name], limit, options, advance)
            successes = {k: int((holding[:, 2] <= k).sum()) for k in options.k}
            known = lines[relation.name].known.astype(np.int32)
            counted[relation.name] = RelationAnalogies(len(relation.pairs), len(known), successes, holding, known)
    return ModelAnalogies(model.kind, among.kind, len(among), counted)


class _Lines(NamedTuple):
    """The pairs of a relation that are in vocabulary, one line for each choice of their labels."""

    x: NDArray[np.int64]
    y: NDArray[np.int64]
    groups: NDArray[np.int64]
    """Which of the known pairs a line is of; ascending."""
    known: NDArray[np.int64]
    """Numbers, in W, of the pairs in vocabulary."""


def _lines_of(relation: Relation, rows: ConceptRows, places: dict[str, int]) -> _Lines:
    sizes = np.diff(rows.offsets)
    ends = np.array([(places[one], places[other]) for one, other in relation.pairs], np.int64).reshape(-1, 2)
    counts = sizes[ends[:, 0]] * sizes[ends[:, 1]]
    known = np.flatnonzero(counts)
    groups = np.repeat(np.arange(len(known)), counts[known])
    first, second = ends[known].T
    choice = np.arange(len(groups)) - np.repeat(np.cumsum(counts[known]) - counts[known], counts[known])
    x = rows.rows[rows.offsets[first][groups] + choice // sizes[second][groups]]
    y = rows.rows[rows.offsets[second][groups] + choice % sizes[second][groups]]
    return _Lines(x, y, groups, known)


def _holding(
    vectors: Vectors, lines: _Lines, limit: int, options: AnalogyOptions, advance: Callable[[float], None]
) -> NDArray[np.int32]:
    """Return which analogies of a relation hold: the numbers of both pairs, and the rank of the answer."""
    known, groups = lines.known, lines.groups
    asked = len(known) * (len(known) - 1)
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    parts = [np.empty((0, 3), np.int32)]

    def done(share: float) -> None:
        advance(share * asked)

    for start, counts in beaters(vectors, lines.x, lines.y, limit, method=options.method, groups=groups, advance=done):
        stop, least = start + len(counts), counts
        if len(starts) < len(groups):  # an analogy holds if it does for any choice of labels
            some = starts[(starts >= start) & (starts < stop)] - start
            least = np.minimum.reduceat(np.minimum.reduceat(counts, some, axis=0), starts, axis=1)
        h, j = np.nonzero(least < limit)
        parts.append(np.column_stack([known[groups[start] + h], known[j], least[h, j] + 1]).astype(np.int32))
    return np.concatenate(parts)


def _vectors(among: Neighbourhood) -> Vectors:
    """Return the vectors of a neighbourhood; those of an encoder are made once and kept."""
    if isinstance(among, VocabularyNeighbourhood):
        return Vectors(among.rows, among.gather, among.model.vocabulary.repeated)
    made = np.empty((0, 1), np.float32)
    for start, block, _units in among.blocks():
        if not len(made):  # room for all at once: to put blocks together at the end would take twice as much
            made = np.empty((among.rows, block.shape[1]), np.float32)
        made[start : start + len(block)] = block
    return Vectors.of(made)
