"""The outcome of every single analogy, in one Parquet file.

There may be hundreds of millions, so they are set down in parts as they come, and put together without being in memory
at once.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from termgauge.atomic import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.domain.relations import Relation

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
    """Takes the outcomes of some analogies after others."""

    def __init__(self, folder: Path, relations: Sequence[Relation]) -> None:
        self._folder = folder
        self._parts = 0
        self._ends = {
            relation.name: [pl.Series([pair[side] for pair in relation.pairs], dtype=pl.String) for side in (0, 1)]
            for relation in relations
        }

    def add(self, model: str, relation: str, frame: pl.DataFrame) -> None:
        """Set some outcomes down: ``h``, ``j``, ``rank`` and ``success``."""
        x, y = self._ends[relation]
        full = frame.with_columns(
            pl.lit(model).alias("model"),
            pl.lit(relation).alias("relation"),
            *(ends.gather(frame[pair]).alias(f"{end}_{pair}") for pair in "hj" for end, ends in (("x", x), ("y", y))),
        )
        full.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items()).write_parquet(self.part(self._parts))
        self._parts += 1

    def part(self, number: int) -> Path:
        """Return the place of a part."""
        return self._folder / f"{number:09}.parquet"

    def put_together(self, path: Path) -> None:
        """Write all of them to one file."""
        if not self._parts:
            pl.DataFrame(schema=SCHEMA).write_parquet(path)
            return
        pl.scan_parquet([self.part(number) for number in range(self._parts)]).sink_parquet(path)


@contextmanager
def outcomes_to(path: Path | None, relations: Sequence[Relation]) -> Iterator[Outcomes | None]:
    """Give what takes outcomes, and write the file at the end, whole or not at all; None where there is no file."""
    if path is None:
        yield None
        return
    with whole_file(path) as temporary, tempfile.TemporaryDirectory(dir=path.parent) as folder:
        found = Outcomes(Path(folder), relations)
        yield found
        found.put_together(temporary)
