"""Small tables that people write, read line by line: tab-separated, UTF-8, LF or CRLF, never quoted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator


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
