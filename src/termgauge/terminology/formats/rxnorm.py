"""RxNorm in its rich release format: the ``rrf`` folder of a release, or the zip.

Files and columns are the Metathesaurus's, with RXCUI for CUI ("RxNorm Technical Documentation", NLM), so its reader
does the work. RxNorm has no ranks of its own: the name of a concept is RxNorm's normalised name, told by its term type.
Concepts that were merged into others are in the archive of atoms.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from termgauge.progress import track
from termgauge.terminology.formats.registry import Contents, Format
from termgauge.terminology.formats.rrf import DOCUMENTED_COLUMNS, Release, release_files, tables_of, with_retired
from termgauge.terminology.model import POSSIBLY_EQUIVALENT_TO, REPLACED_BY, conform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.io.source import SourceFile
    from termgauge.terminology.options import ReadingOptions

ARCHIVE = "RXNATOMARCHIVE.RRF"
COUNTERPARTS = {"RXNCONSO.RRF": "MRCONSO.RRF", "RXNREL.RRF": "MRREL.RRF", "RXNSTY.RRF": "MRSTY.RRF"}
COLUMNS = {
    **{name: DOCUMENTED_COLUMNS[name] for name in COUNTERPARTS.values()},
    ARCHIVE: "RXAUI,AUI,STR,ARCHIVE_TIMESTAMP,CREATED_TIMESTAMP,UPDATED_TIMESTAMP,CODE,IS_BRAND,LAT,LAST_RELEASED,"
    "SAUI,VSAB,RXCUI,SAB,TTY,MERGED_TO_RXCUI",
}
CONSIDERED = (*COUNTERPARTS, ARCHIVE, "RXNSAB.RRF")
# fmt: off
NAMES = (
    "IN", "PIN", "MIN", "BN", "SCD", "SBD", "GPCK", "BPCK", "SCDC", "SBDC", "SCDF", "SBDF", "SCDFP", "SBDFP", "SCDG",
    "SBDG", "SCDGP", "DF", "DFG",
)
# fmt: on
SYNONYMS = ("PSN", "SY", "TMSY", "ET")
_VERSION = re.compile(rb"\|RXNORM_(\w+)\|RXNORM\|")


def chosen_files(sources: Sequence[Sequence[SourceFile]], _options: ReadingOptions) -> dict[str, SourceFile]:
    """Choose the files of a release by name; the prescribable subset that lies beside it only if it is all there is."""
    files = [file for source in sources for file in source]
    whole = [file for file in files if "prescribe/" not in f"/{file.name.lower()}"]
    if not any(file.base.upper() == "RXNCONSO.RRF" for file in whole):
        whole = files
    chosen = release_files(whole, CONSIDERED, "rrf folder of an RxNorm")
    return {name: chosen[name] for name in CONSIDERED if name in chosen}


def read_rxnorm(files: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read the part of RxNorm that is wanted."""
    counterparts = {COUNTERPARTS.get(name, name): file for name, file in files.items()}
    with track("Reading RxNorm", total=sum(file.size for file in files.values()), unit="bytes") as advance:
        release = Release(counterparts, advance, COLUMNS)
        tables = tables_of(release, options, _ranks())
        merged = _merged(release)
        tables["replacements"] = _replacements(merged)
        tables |= with_retired(tables, merged.select("concept", "name"))
    lost = {
        "RXNREL.RRF": "the terminology has no relations",
        "RXNSTY.RRF": "its concepts have no semantic types",
        ARCHIVE: "it has no replacements of retired concepts",
    }
    notes = [f"No {name}: {what}." for name, what in lost.items() if name not in files]
    return Contents(tables, "rxnorm", _version(files), notes, release.tally.skipped())


def _ranks() -> pl.LazyFrame:
    """Return the order of RxNorm's own term types: the normalised names first, then the ways to say them."""
    types = [*NAMES, *SYNONYMS]
    order = pl.Series("order", range(len(types)), dtype=pl.Int32)
    return pl.LazyFrame({"TTY": types, "order": order}).with_columns(SAB=pl.lit("RXNORM"), SUPPRESS=pl.lit("N"))


def _merged(release: Release) -> pl.DataFrame:
    """Return the concepts that were merged into others, with their last names."""

    def reduce(rows: pl.LazyFrame) -> pl.LazyFrame:
        old, new = pl.col("RXCUI"), pl.col("MERGED_TO_RXCUI")
        moved = rows.filter(old != "", new != "", old != new)
        own_first = moved.sort(pl.col("SAB") != "RXNORM", maintain_order=True)
        return own_first.select(concept="RXCUI", name="STR", new="MERGED_TO_RXCUI")

    return release.read(ARCHIVE, ["STR", "RXCUI", "SAB", "MERGED_TO_RXCUI"], reduce)


def _replacements(merged: pl.DataFrame) -> pl.DataFrame:
    """Return what replaced concepts: one that went into a single other was replaced by it."""
    pairs = merged.select(old="concept", new="new").unique(maintain_order=True)
    alone = pl.col("new").n_unique().over("old") == 1
    reason = pl.when(alone).then(pl.lit(REPLACED_BY)).otherwise(pl.lit(POSSIBLY_EQUIVALENT_TO))
    return conform(pairs.with_columns(reason=reason), "replacements")


def _version(files: dict[str, SourceFile]) -> str:
    """Return the release as the list of sources calls RxNorm's own."""
    stated = _VERSION.search(files["RXNSAB.RRF"].read()) if "RXNSAB.RRF" in files else None
    return stated[1].decode() if stated else ""


FORMAT = Format(
    name="rxnorm",
    title="RxNorm, rich release format",
    signs="an RxNorm release (RXNCONSO.RRF)",
    origin="From the National Library of Medicine of the USA (nlm.nih.gov/research/umls/rxnorm).",
    licence="The UMLS Metathesaurus licence, free of charge; RxNorm's own names (SAB RXNORM) are in the public domain.",
    choose=chosen_files,
    read=read_rxnorm,
    sniff_name=lambda file: file.base.upper() == "RXNCONSO.RRF",
    options=frozenset({"vocabularies", "suppressed"}),
)
