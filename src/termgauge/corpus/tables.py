"""The table of words, `WORDS.tsv`, and the manifest beside it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import whole_file
from termgauge.io.identity import sha256_of_bytes
from termgauge.io.tables import open_table

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from termgauge.io.tables import Rows

NOUN, VERB = CLASSES = ("noun", "verb")
"""The classes of words."""
NUMBERS = ("count", "documents", "journals", "subjects", "mesh_branches", "general_count")
"""Columns of whole numbers; empty where they are not known."""
COUNT = "[0-9]{1,15}"
"""A whole number of so few digits that counts can be added up."""
DECISIONS = ("biomedical", "general", "both")
"""What experts write into the column `decision`, which is empty at first."""


def write_words(table: pl.DataFrame, path: Path, manifest: Mapping[str, Any]) -> None:
    """Write a table of words, and beside it a manifest with its SHA-256, both or neither."""
    with whole_file(path) as temporary, whole_file(path.with_name(f"{path.name}.json")) as beside:
        table.write_csv(temporary, separator="\t", quote_style="never", null_value="")
        about = {**manifest, "sha256": sha256_of_bytes(temporary.read_bytes())}
        beside.write_bytes(f"{json.dumps(about, ensure_ascii=False, indent=2)}\n".encode("utf-8", "replace"))


def rows_of_user(
    path: str | os.PathLike[str], layout: str, column: str, valid: Callable[[str], object], demand: str
) -> Iterator[list[str]]:
    """Yield the rows of a table that a user wrote; a first one whose second cell is not valid is a header."""
    for line, cells in open_table(path).at_least(layout.count(" TAB ") + 1, layout):
        if valid(cells[1]):
            yield cells
        elif line > 1:
            raise TermgaugeError(f"{path}, line {line:,}: the {column} '{cells[1][:40]}' {demand}; correct the line.")


def open_words(path: str | os.PathLike[str], *columns: str) -> tuple[Rows, pl.DataFrame]:
    """Open a table of words with their classes; without names of `columns`, all that it has are read, as text."""
    table = open_table(path, ("word", "class"))
    for name in ("word", "class"):
        if table.find(name) is None:
            raise TermgaugeError(
                f"{table.label}, line 1: has no column '{name}'; make the table with: termgauge words FILE --out "
                "WORDS.tsv."
            )
    others = () if columns else [title for title in table.first if title.lower() not in ("word", "class")]
    positions = table.positions(("word", "class", *columns), others)
    rows = table.rows(header=True)
    frame = pl.DataFrame({name: rows.column(at) for name, at in positions.items()}).cast(pl.String)
    if frame.is_empty():
        raise TermgaugeError(f"{table.label}: has no words; make the table with: termgauge words FILE --out WORDS.tsv.")
    refuse_row(rows, frame, ~pl.col("class").is_in(CLASSES), "class", "is neither noun nor verb; correct it")
    return rows, frame


def refuse_row(rows: Rows, frame: pl.DataFrame, bad: pl.Expr, column: str, why: str) -> None:
    """Refuse a table with a row that is bad, and name the first of them."""
    wrong = frame.select(bad).to_series().arg_true()
    if len(wrong):
        value = frame[column][wrong[0]][:40]
        raise TermgaugeError(f"{rows.where(wrong[0])}: '{value}' in the column '{column}' {why}.")


def read_words(path: str | os.PathLike[str]) -> pl.DataFrame:
    """Read a table of words, such as :func:`termgauge.words` writes.

    It must have the columns `word` and `class`, which together name each row once; columns of numbers are read as
    numbers, all others as text.
    """
    rows, frame = open_words(path)
    twice = ~pl.struct("word", "class").is_first_distinct()
    refuse_row(rows, frame, twice, "word", "is there twice in one class; delete one of the rows")
    numbers = [name for name in NUMBERS if name in frame.columns]
    for name in numbers:
        number = (pl.col(name) == "") | pl.col(name).str.contains(f"^{COUNT}$")
        refuse_row(rows, frame, ~number, name, "is no whole number; correct it")
    if "log_ratio" in frame.columns:
        ratio = pl.col("log_ratio").cast(pl.Float64, strict=False)
        validity = (pl.col("log_ratio") == "") | ratio.is_finite().fill_null(value=False)
        refuse_row(rows, frame, ~validity, "log_ratio", "is no number; correct it")
    if "decision" in frame.columns:
        decided = pl.col("decision").str.to_lowercase().is_in([*DECISIONS, ""])
        refuse_row(rows, frame, ~decided, "decision", f"is not one of {', '.join(DECISIONS)}; correct it")
    return frame.with_columns(pl.all().replace("", None)).with_columns(
        pl.col(numbers).cast(pl.Int64), pl.col("log_ratio" if "log_ratio" in frame.columns else []).cast(pl.Float64)
    )
