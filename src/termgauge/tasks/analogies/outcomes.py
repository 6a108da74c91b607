"""The outcome of every single analogy, in one Parquet file.

There may be hundreds of millions, so they are set down in parts as they come, and put together without being in memory
at once; the file is written whole or not at all.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from termgauge.io.atomic import whole_file

if TYPE_CHECKING:
    from collections.abc import Sequence

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
