"""Tables of words: `WORDS.tsv` with its manifest, and the small tables that people write.

All are tab-separated UTF-8, never quoted.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.benchmark.pairset import parse_score
from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import whole_file
from termgauge.io.source import files_of
from termgauge.terminology.delimited import Layout, header_of, read_rows

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from termgauge.io.source import SourceFile


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
        sha256 = hashlib.sha256(temporary.read_bytes()).hexdigest()
        text = json.dumps({**manifest, "sha256": sha256}, ensure_ascii=False, indent=2)
        about.write_bytes(f"{text}\n".encode("utf-8", "replace"))


def read_words(path: str | os.PathLike[str]) -> pl.DataFrame:
    """Read a table of words, such as :func:`termgauge.words` writes.

    It must have the columns `word` and `class`; columns of numbers are read as numbers, all others as text, and `word`
    and `class` together must name each row once.
    """
    files = files_of(path)
    if len(files) != 1:
        raise TermgaugeError(f"{path}: holds {len(files)} files; name one table of words.")
    label = files[0].label
    lines = [line.rstrip("\r") for line in files[0].text().split("\n")]
    header = lines[0].split("\t")
    for name in ("word", "class"):
        if header.count(name) != 1:
            raise TermgaugeError(
                f"{label}, line 1: has no column '{name}'; make the table with: termgauge words FILE --out WORDS.tsv."
            )
    if twice := next((name for name in header if header.count(name) > 1), None):
        raise TermgaugeError(f"{label}, line 1: has two columns named '{twice}'; name each once.")
    rows: list[list[str | None]] = []
    met: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        fields = line.split("\t")
        place = f"{label}, line {number:,}"
        if len(fields) != len(header):
            raise TermgaugeError(f"{place}: has {len(fields)} of {len(header)} columns; correct it.")
        row = dict(zip(header, fields, strict=True))
        _check(row, place)
        key = row["class"], row["word"]
        if (before := met.setdefault(key, number)) != number:
            raise TermgaugeError(f"{place}: the {key[0]} '{key[1]}' stands in line {before:,} too; delete one of them.")
        rows.append([field or None for field in fields])
    if not rows:
        raise TermgaugeError(f"{label}: has no words; make the table with: termgauge words FILE --out WORDS.tsv.")
    frame = pl.DataFrame(rows, schema=dict.fromkeys(header, pl.String), orient="row")
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


def rows_of(
    path: str | os.PathLike[str], columns: int, layout: str, *, all_columns: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the first fields, or all, of each line that is not empty; too few fields are refused."""
    files = files_of(path)
    if len(files) != 1:
        raise TermgaugeError(f"{path}: holds {len(files)} files; name one table: {layout}.")
    for line, text in enumerate(files[0].text().split("\n"), 1):
        if not text.strip():
            continue
        fields = [field.strip() for field in text.split("\t")]
        if len(fields) < columns:
            raise TermgaugeError(
                f"{files[0].label}, line {line:,}: has {len(fields)} of {columns} columns; the table is {layout}."
            )
        yield line, fields if all_columns else fields[:columns]


def first_line(file: SourceFile) -> str:
    """Return the first line of a file, whatever its bytes mean."""
    head = file.head(1 << 14).removeprefix(b"\xef\xbb\xbf")
    return head.split(b"\n", 1)[0].decode("utf-8", "replace").rstrip("\r")


def columns_of(file: SourceFile) -> list[str]:
    """Return the names of the columns of a table, in lower case."""
    return [name.strip().lower() for name in first_line(file).split("\t")]


def table_of(file: SourceFile, needed: Sequence[str], wanted: Sequence[str] = ()) -> pl.DataFrame:
    """Read the columns of a table that are needed, and those that are wanted if it has them, as stripped text.

    A table is UTF-8, separated by tabs, never quoted, and has a header line.
    """
    names = [name.strip().lower() for name in header_of(file, "\t")]
    if missing := [name for name in needed if name not in names]:
        raise TermgaugeError(
            f"{file.label}: has no column '{missing[0]}' (its columns are {', '.join(names)[:200]}); name the columns "
            "in the first line, separated by tabs."
        )
    kept = [name for name in (*needed, *wanted) if name in names]
    if twice := [name for name in kept if names.count(name) > 1]:
        raise TermgaugeError(f"{file.label}: has two columns named '{twice[0]}'; name each once.")
    places = [str(names.index(name)) for name in kept]
    layout = Layout("\t", tuple(map(str, range(len(names)))), header=True)  # other columns may have any names
    return read_rows(file, layout, places).select(
        pl.col(place).str.strip_chars().alias(name) for name, place in zip(kept, places, strict=True)
    )
