"""SNOMED CT's map reference sets: simple maps, and the extended and complex ones to classifications.

Simple maps are taken as exact. Rows of the others that hold only under a rule are passed over, and so are targets of a
lower priority. What they map is as exact as their correlation says; where it says nothing, as in the map to ICD-10, one
target is close, and one of several is related.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.terminology.delimited import Layout, header_of, read_rows
from termgauge.terminology.mappings.registry import BROAD, CLOSE, EXACT, NARROW, RELATED, Mapped, MappingForm

if TYPE_CHECKING:
    from termgauge.io.source import SourceFile

RELATION_OF_CORRELATION = {
    "447557004": EXACT,
    "447558009": BROAD,  # narrow to broad: the target is broader
    "447559001": NARROW,
    "447560006": RELATED,
}
NOT_MAPPABLE = "447556008"
_NAME = re.compile(r"x?der2_(?:s|i+s+c+)Refset_\w*Map\w*?(?:Full|Snapshot)(?:-[a-z-]+)?_\w+_\d{8}\.txt", re.IGNORECASE)
_SIMPLE = ("id", "effectiveTime", "active", "refsetId", "referencedComponentId", "mapTarget")
_RULED = ("mapGroup", "mapPriority", "mapRule", "correlationId")
_HOLDS = ("TRUE", "ALWAYS", "")


def read_rf2_map(file: SourceFile, _first: pl.Series, _second: pl.Series) -> Mapped:
    """Read the members of a map reference set as they are now."""
    header = header_of(file, "\t", (*_SIMPLE, *_RULED))
    missing = [name for name in _SIMPLE if name not in header]
    if missing or len(set(header)) < len(header):
        what = f"lacks the columns {', '.join(missing)}" if missing else "names a column twice"
        raise TermgaugeError(f"{file.label}: {what}; is it really a map reference set of RF2?")
    ruled = set(_RULED) <= set(header)
    wanted = (*_SIMPLE, *_RULED) if ruled else _SIMPLE
    rows = read_rows(file, Layout("\t", header, header=True), wanted)
    current = rows.sort("effectiveTime", maintain_order=True).unique("id", keep="last", maintain_order=True)
    active = current.filter(pl.col("active") == "1")
    mapped = active.filter(pl.col("mapTarget") != "")
    mapped = _holding(mapped) if ruled else mapped.with_columns(relation=pl.lit(EXACT))
    columns = {"source": "referencedComponentId", "target": "mapTarget", "relation": "relation"}
    return Mapped(mapped.select(**columns), active.height - mapped.height)


def _holding(rows: pl.DataFrame) -> pl.DataFrame:
    """Return, of each group of targets, the first by priority that holds in any case, with its relation."""
    group = ["refsetId", "referencedComponentId", "mapGroup"]
    holding = (
        rows.filter(
            pl.col("mapRule").str.strip_chars().str.to_uppercase().is_in(_HOLDS)
            & (pl.col("correlationId") != NOT_MAPPABLE)
        )
        .with_columns(priority=pl.col("mapPriority").cast(pl.Int32, strict=False).fill_null(0))
        .sort("priority", maintain_order=True)
        .unique(group, keep="first", maintain_order=True)
    )
    groups = pl.len().over("refsetId", "referencedComponentId")
    unsaid = pl.when(groups == 1).then(pl.lit(CLOSE)).otherwise(pl.lit(RELATED))
    said = pl.col("correlationId").replace_strict(RELATION_OF_CORRELATION, default=None, return_dtype=pl.String)
    return holding.with_columns(relation=pl.coalesce(said, unsaid))


FORM = MappingForm(
    name="rf2_map",
    title="a map reference set of SNOMED CT (der2_sRefset_SimpleMap…, der2_iisssccRefset_ExtendedMap…)",
    sniff=lambda file: _NAME.fullmatch(file.base) is not None,
    read=read_rf2_map,
)
