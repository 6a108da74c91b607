"""The UMLS as a mapping: two codes of source vocabularies are the same if they have one CUI.

Which source vocabulary a terminology is, is the one that has the most of its ids; a terminology of CUIs is the UMLS
itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.terminology.delimited import Layout, read_rows
from termgauge.terminology.identifiers import parts_of
from termgauge.terminology.mappings.registry import EXACT, Mapped, MappingForm

if TYPE_CHECKING:
    from termgauge.io.source import SourceFile

COLUMNS = "CUI,LAT,TS,LUI,STT,SUI,ISPREF,AUI,SAUI,SCUI,SDUI,SAB,TTY,CODE,STR,SRL,SUPPRESS,CVF"
_UMLS = "UMLS"


def read_mrconso(file: SourceFile, first: pl.Series, second: pl.Series) -> Mapped:
    """Read which ids of two terminologies share a CUI; suppressed atoms do not count."""
    sides = [_keys(ids) for ids in (first, second)]
    wanted = pl.concat([side["key"] for side in sides]).unique().implode()

    def reduce(rows: pl.LazyFrame) -> pl.LazyFrame:
        codes = rows.filter(pl.col("SUPPRESS") == "N").select("CUI", "SAB", key=pl.col("CODE").str.to_lowercase())
        own = rows.select("CUI", SAB=pl.lit(_UMLS), key=pl.col("CUI").str.to_lowercase())
        return pl.concat([codes, own]).filter(pl.col("key").is_in(wanted)).unique()

    layout = Layout("|", tuple(COLUMNS.split(",")), header=False, closed=True)
    codes = read_rows(file, layout, ["CUI", "SAB", "CODE", "SUPPRESS"], reduce).unique(maintain_order=True)
    one, other = (_of_best_vocabulary(codes, side) for side in sides)
    rows = one.join(other, on="CUI", how="inner", suffix="_other", maintain_order="left")
    return Mapped(rows.select(source="id", target="id_other", relation=pl.lit(EXACT)).unique(maintain_order=True))


def _keys(ids: pl.Series) -> pl.DataFrame:
    """Return each id under what may stand for it: itself, and its code without a prefix, in lower case."""
    texts = ids.to_list()
    keys = {key: text for text in texts for key in (parts_of(text)[1], text.lower())}
    return pl.DataFrame({"key": list(keys), "id": list(keys.values())}, schema={"key": pl.String, "id": pl.String})


def _of_best_vocabulary(codes: pl.DataFrame, side: pl.DataFrame) -> pl.DataFrame:
    found = codes.join(side, on="key", how="inner", maintain_order="left")
    sizes = found.group_by("SAB").agg(pl.col("id").n_unique()).sort(["id", "SAB"], descending=[True, False])
    return found.filter(pl.col("SAB") == (sizes["SAB"][0] if sizes.height else "")).select("CUI", "id")


FORM = MappingForm(
    name="mrconso",
    title="the UMLS (MRCONSO.RRF)",
    sniff=lambda file: file.base.lower() == "mrconso.rrf",
    read=read_mrconso,
)
