"""Options that several commands share, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Sources = Annotated[
    list[Path],
    typer.Argument(
        metavar="SOURCE...",
        help="A file, folder or zip: RF2 release, UMLS META folder, OBO ontology, or table (TSV, CSV, Parquet) with "
        "the columns concept and term. For an RF2 extension name the edition it extends first.",
        show_default=False,
    ),
]
Format = Annotated[str | None, typer.Option("--format", help="rf2, rrf, obo or table, if it is not recognised.")]
Language = Annotated[str | None, typer.Option("--language", help="Only terms in this language, such as en.")]
Dialect = Annotated[
    str | None, typer.Option("--dialect", help="RF2: rank labels by us, gb or a language reference set's id.")
]
Release = Annotated[
    str | None, typer.Option("--release", metavar="YYYYMMDD", help="RF2: which release, where a folder holds several.")
]
Vocabularies = Annotated[
    list[str] | None,
    typer.Option("--vocabulary", metavar="SAB", help="UMLS: only this source vocabulary; may be repeated."),
]
Suppressed = Annotated[bool, typer.Option(help="UMLS: keep suppressed atoms, as inactive terms.")]
Relations = Annotated[
    Path | None, typer.Option("--relations", help="Tables: a second table with source, type and target.")
]
UseCache = Annotated[bool, typer.Option("--cache/--no-cache", help="Open from, and keep in, the cache.")]
DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir", help="A folder with human-rated sets under their public file names.", envvar="TERMGAUGE_DATA_DIR"
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output instead of tables.")]
Alpha = Annotated[
    float, typer.Option(min=0, max=1, help="The chance of any false claim; intervals have level 1 - alpha.")
]
Correction = Annotated[str, typer.Option(help="For the number of comparisons: bonferroni, holm or none.")]
Seed = Annotated[int, typer.Option(min=0, help="Of everything that is drawn.")]
Models = Annotated[
    list[str],
    typer.Option(
        "--model",
        "-m",
        metavar="[NAME=]SPEC",
        help="A path, or scheme:location?option=value, such as word2vec:vectors.bin or baseline:levenshtein; may be "
        "repeated.",
        show_default=False,
    ),
]
Benchmarks = Annotated[
    list[str] | None,
    typer.Option(
        "--benchmark",
        "-b",
        metavar="DIR|ID",
        help="A benchmark's folder, the id of a human-rated set, or human for all of those at hand; may be repeated.",
        show_default=False,
    ),
]
