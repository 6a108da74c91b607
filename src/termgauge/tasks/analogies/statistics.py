"""How far the coverage of analogies can be trusted, and whether two models differ in it.

Analogies of one pair with others are not independent, so it is pairs of concepts that make up the variance, not
analogies: every two analogies that share a pair are counted together, see
:func:`~termgauge.statistics.dependence.mean_of_pairs`.
"""

from __future__ import annotations

import tempfile
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from termgauge.io.atomic import whole_file
from termgauge.statistics.corrections import corrected_level
from termgauge.statistics.dependence import mean_of_pairs
from termgauge.statistics.significance import corrected_differences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from termgauge.domain.relations import Relation
    from termgauge.statistics.bootstrap import Interval
    from termgauge.statistics.significance import Difference
    from termgauge.statistics.student import Mean

    Analogies = NDArray[np.int32]


SCHEMA = {
    "model": pl.String,
    "relation": pl.String,
    "h": pl.Int32,
    "j": pl.Int32,
    "x_h": pl.String,
    "y_h": pl.String,
    "x_j": pl.String,
    "y_j": pl.String,
    "rank": pl.Int32,
    "success": pl.Boolean,
}
"""The pairs by their numbers among the relation's and by their concepts; the rank of the answer, null beyond the
largest k; and whether it is among the first k named."""


class Outcomes:
    """Takes the outcomes of some analogies after others; its parts lie beside the file and go away with it."""

    def __init__(self, path: Path, relations: Sequence[Relation]) -> None:
        self._path = path
        self._parts: list[Path] = []
        self._ends = {
            relation.name: [pl.Series([pair[side] for pair in relation.pairs], dtype=pl.String) for side in (0, 1)]
            for relation in relations
        }
        self._folder = tempfile.TemporaryDirectory(dir=path.parent)

    def add(self, model: str, relation: str, frame: pl.DataFrame) -> None:
        """Set some outcomes down: ``h``, ``j``, ``rank`` and ``success``."""
        x, y = self._ends[relation]
        full = frame.with_columns(
            pl.lit(model).alias("model"),
            pl.lit(relation).alias("relation"),
            *(ends.gather(frame[pair]).alias(f"{end}_{pair}") for pair in "hj" for end, ends in (("x", x), ("y", y))),
        )
        part = Path(self._folder.name) / f"{len(self._parts):09}.parquet"
        full.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items()).write_parquet(part)
        self._parts.append(part)

    def write(self) -> None:
        """Write all of them to the file."""
        with whole_file(self._path) as temporary:
            if self._parts:
                pl.scan_parquet(self._parts, glob=False).sink_parquet(temporary)
            else:
                pl.DataFrame(schema=SCHEMA).write_parquet(temporary)
        self._folder.cleanup()


class Tested(NamedTuple):
    """The coverage of one relation by several models."""

    intervals: tuple[Interval, ...]
    """Of each model, at level 1 - alpha, not corrected; NaN where nothing varies, as where no analogy holds."""
    differences: tuple[Difference, ...]


def compare_pairs(
    names: Sequence[str],
    pairs: int,
    holding: Sequence[Analogies],
    *,
    alpha: float = 0.05,
    correction: str = "bonferroni",
    sorts: Sequence[str] | None = None,
) -> Tested:
    """Return intervals of the coverage of a relation, and the differences of the pairs of models that are of one sort.

    `pairs` counts those out of vocabulary, too, and is at least 2; `holding` has a line with h and j for each analogy
    that holds; where no `sorts` are named, all models are of one.
    """
    both = [(a, b) for a, b in combinations(range(len(names)), 2) if sorts is None or sorts[a] == sorts[b]]
    level = corrected_level(alpha, len(both), correction)
    intervals = tuple(_coverage(pairs, each).share_interval(alpha) for each in holding)
    found = [_coverage(pairs, holding[a], holding[b]) for a, b in both]
    differences = [
        (names[a], names[b], each.value, each.interval(level), each.p_value())
        for (a, b), each in zip(both, found, strict=True)
    ]
    return Tested(intervals, corrected_differences(differences, alpha=alpha, correction=correction))


def _coverage(pairs: int, one: Analogies, other: Analogies | None = None) -> Mean:
    """Return M of one model, less that of another."""
    lines = one if other is None else np.concatenate([one, other])
    values = np.ones(len(lines))
    values[len(one) :] = -1
    keys, place = np.unique(lines[:, 0].astype(np.int64) * pairs + lines[:, 1], return_inverse=True)
    return mean_of_pairs(pairs, keys // pairs, keys % pairs, np.bincount(place, values, len(keys)).astype(np.float64))
