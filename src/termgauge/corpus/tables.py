"""The table of words, `WORDS.tsv`, and the manifest beside it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.benchmark.pairset import parse_score
from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import whole_file
from termgauge.io.identity import sha256_of_bytes
from termgauge.io.tables import open_table

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from pathlib import Path


NOUN, VERB = CLASSES = ("noun", "verb")
"""The classes of words."""
NUMBERS = ("count", "documents", "journals", "subjects", "mesh_branches", "general_count")
"""Columns of whole numbers; empty where they are not known."""
DECISIONS = ("biomedical", "general", "both")
"""What experts write into the column `decision`, which is empty at first."""


def write_words(table: pl.DataFrame, path: Path, manifest: Mapping[str, Any]) -> None:
    """Write a table of words and its manifest, both or neither."""
    beside = path.with_name(f"{path.name}.json")
    with whole_file(path) as temporary, whole_file(beside) as about:
        table.write_csv(temporary, separator="\t", quote_style="never", null_value="")
        sha256 = sha256_of_bytes(temporary.read_bytes())
        text = json.dumps({**manifest, "sha256": sha256}, ensure_ascii=False, indent=2)
        about.write_bytes(f"{text}\n".encode("utf-8", "replace"))


def read_words(path: str | os.PathLike[str]) -> pl.DataFrame:
    """Read a table of words, such as :func:`termgauge.words` writes.

    It must have the columns `word` and `class`; columns of numbers are read as numbers, all others as text, and `word`
    and `class` together must name each row once.
    """
    table = open_table(path, ("word", "class"))
    label, header = table.label, table.first
    for name in ("word", "class"):
        if header.count(name) != 1:
            raise TermgaugeError(
                f"{label}, line 1: has no column '{name}'; make the table with: termgauge words FILE --out WORDS.tsv."
            )
    if twice := next((name for name in header if header.count(name) > 1), None):
        raise TermgaugeError(f"{label}, line 1: has two columns named '{twice}'; name each once.")
    rows = table.rows(header=True)
    met: dict[tuple[str, str], int] = {}
    for number, fields in zip(rows.lines, rows.cells, strict=True):
        row = dict(zip(header, fields, strict=True))
        _check(row, f"{label}, line {number:,}")
        key = row["class"], row["word"]
        if (before := met.setdefault(key, number)) != number:
            raise TermgaugeError(
                f"{label}, line {number:,}: the {key[0]} '{key[1]}' stands in line {before:,} too; delete one of them."
            )
    if not met:
        raise TermgaugeError(f"{label}: has no words; make the table with: termgauge words FILE --out WORDS.tsv.")
    columns = {name: [cell or None for cell in rows.column(at)] for at, name in enumerate(header)}
    frame = pl.DataFrame(columns, schema=dict.fromkeys(header, pl.String))
    return frame.with_columns(
        pl.col(name).cast(pl.Float64 if name == "log_ratio" else pl.Int64)
        for name in header
        if name in NUMBERS or name == "log_ratio"
    )


def _check(row: Mapping[str, str], place: str) -> None:
    """Refuse a word whose class, numbers or decision are none."""
    if row["class"] not in CLASSES:
        raise TermgaugeError(f"{place}: the class '{row['class']}' is neither noun nor verb; correct it.")
    for name in NUMBERS:
        if row.get(name, "") and whole_number(row[name]) is None:
            raise TermgaugeError(f"{place}: '{row[name][:40]}' in the column '{name}' is no whole number; correct it.")
    if row.get("log_ratio", "") and parse_score(row["log_ratio"]) is None:
        raise TermgaugeError(f"{place}: '{row['log_ratio'][:40]}' in the column 'log_ratio' is no number; correct it.")
    if (decision := row.get("decision", "").strip()) and decision.lower() not in DECISIONS:
        raise TermgaugeError(f"{place}: the decision '{decision}' is not one of {', '.join(DECISIONS)}; correct it.")


_MOST_DIGITS = 15


def whole_number(text: str) -> int | None:
    """Return the count that a field holds; None if it is no number of so few digits that counts can be added up.

    >>> whole_number("12"), whole_number("1e3"), whole_number("9" * 20)
    (12, None, None)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS else None
