"""Do a domain's relations hold as analogies in an embedding? The measure of Giancani et al. (2023).

For each relation, W are its pairs that touch the domain, IV those of which both ends are in the model's vocabulary, AR
the analogies between them that hold, and M = AR / (|W| (|W| - 1)) the share of all that there could be.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from termgauge.domain.neighbourhood import VocabularyNeighbourhood, neighbourhood_of
from termgauge.exceptions import warn
from termgauge.io.arrays import Array
from termgauge.progress import track
from termgauge.tasks.analogies.search import Vectors, beaters

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from termgauge.domain.neighbourhood import ConceptRows, Neighbourhood
    from termgauge.domain.relations import Relation
    from termgauge.embeddings.model import Model
    from termgauge.tasks.analogies.search import Method
    from termgauge.terminology import Terminology

K = 10
"""Among so many nearest words the answer is to be, unless told otherwise."""


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


def analogies_of(
    model: Model,
    terminology: Terminology,
    relations: Sequence[Relation],
    ks: Sequence[int] = (K,),
    *,
    method: Method = "add",
    labels: str = "first",
    join: str | None = None,
    lowercase: bool = False,
    order: str = "rank",
    keep: Callable[[str, pl.DataFrame], None] | None = None,
) -> ModelAnalogies:
    """Ask a model for all analogies of some relations.

    An encoder's vocabulary is the terminology: one label of each concept. With ``first`` labels a concept is the
    best-ranked of its labels in the vocabulary; with ``all`` an analogy holds if it does for any choice of labels of
    its four concepts, the labels chosen being left out of the ranking. `keep` is called with the name of a relation and
    the outcome of some of its analogies: ``h`` and ``j`` (numbers of pairs in W), ``rank`` (of the answer; null beyond
    the largest k) and ``success`` (for the first k).
    """
    limit = max(ks)
    ends = list(dict.fromkeys(end for relation in relations for pair in relation.pairs for end in pair))
    among = neighbourhood_of(model, terminology, ends, labels, join=join, lowercase=lowercase, order=order)
    places = {end: place for place, end in enumerate(ends)}
    expanded = {relation.name: _Expanded.of(relation, among.seeds, places) for relation in relations}
    if limit >= len(among):
        warn(f"'{model.name}' has {len(among):,} words, so that all of them are among the {limit:,} nearest.")
    if not any(len(each.known) for each in expanded.values()):
        warn(f"No pair of any relation is in the vocabulary of '{model.name}': it covers nothing of the domain.")
    vectors = _vectors(among)
    total = sum(len(each.known) * (len(each.known) - 1) for each in expanded.values())
    with track(f"Analogies in {model.name}", total=total, unit="analogies") as advance:
        counted = {
            relation.name: _counted(vectors, relation, expanded[relation.name], ks, method, keep, advance)
            for relation in relations
        }
    return ModelAnalogies(model.kind, among.kind, len(among), counted)


@dataclass(frozen=True)
class _Expanded:
    """The pairs of a relation that are in vocabulary, one line for each choice of their labels."""

    x: NDArray[np.int64]
    y: NDArray[np.int64]
    groups: NDArray[np.int64]
    """Which of the known pairs a line is of; ascending."""
    known: NDArray[np.int64]
    """Numbers, in W, of the pairs in vocabulary."""

    @classmethod
    def of(cls, relation: Relation, rows: ConceptRows, places: dict[str, int]) -> _Expanded:
        sizes = np.diff(rows.offsets)
        ends = np.array([(places[one], places[other]) for one, other in relation.pairs], np.int64).reshape(-1, 2)
        counts = sizes[ends[:, 0]] * sizes[ends[:, 1]]
        known = np.flatnonzero(counts)
        groups = np.repeat(np.arange(len(known)), counts[known])
        first, second = ends[known].T
        choice = np.arange(len(groups)) - np.repeat(np.cumsum(counts[known]) - counts[known], counts[known])
        x = rows.rows[rows.offsets[first][groups] + choice // sizes[second][groups]]
        y = rows.rows[rows.offsets[second][groups] + choice % sizes[second][groups]]
        return cls(x, y, groups, known)


def _counted(
    vectors: Vectors,
    relation: Relation,
    pairs: _Expanded,
    ks: Sequence[int],
    method: Method,
    keep: Callable[[str, pl.DataFrame], None] | None,
    advance: Callable[[float], None],
) -> RelationAnalogies:
    """Count which analogies of a relation hold."""
    limit, known, groups = max(ks), pairs.known, pairs.groups
    asked = len(known) * (len(known) - 1)
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    parts = [np.empty((0, 3), np.int32)]

    def done(share: float) -> None:
        advance(share * asked)

    for start, counts in beaters(vectors, pairs.x, pairs.y, limit, method=method, groups=groups, advance=done):
        stop, least = start + len(counts), counts
        if len(starts) < len(groups):  # an analogy holds if it does for any choice of labels
            some = starts[(starts >= start) & (starts < stop)] - start
            least = np.minimum.reduceat(np.minimum.reduceat(counts, some, axis=0), starts, axis=1)
        first = known[groups[start] : groups[stop - 1] + 1]
        h, j = np.nonzero(least < limit)
        parts.append(np.column_stack([first[h], known[j], least[h, j] + 1]).astype(np.int32))
        if keep is not None:
            keep(relation.name, _outcomes(first, known, least, limit, ks[0]))
    holding = np.concatenate(parts)
    successes = {k: int((holding[:, 2] <= k).sum()) for k in ks}
    return RelationAnalogies(len(relation.pairs), len(known), successes, holding)


def _outcomes(
    first: NDArray[np.int64], second: NDArray[np.int64], counts: NDArray[np.int32], limit: int, k: int
) -> pl.DataFrame:
    import polars as pl

    h, j = np.repeat(first, len(second)), np.tile(second, len(first))
    asked = h != j
    columns = {"h": h[asked], "j": j[asked], "rank": counts.ravel()[asked] + 1}
    frame = pl.DataFrame({name: values.astype(np.int32) for name, values in columns.items()})
    rank = pl.when(pl.col("rank") <= limit).then("rank")
    return frame.with_columns(rank=rank, success=pl.col("rank") <= k)


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
