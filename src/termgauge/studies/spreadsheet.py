"""Tables as spreadsheet programs save them: separated by comma, semicolon or tab, in several encodings, with quotes.

Writing is the other way round: UTF-8 with a byte order mark, by which these programs know it, and an apostrophe before
a text that they would take for a formula.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from termgauge.formulas import harmless
from termgauge.io.decoding import decoded, table_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Row(NamedTuple):
    """A row that is not blank, and the line on which it ends."""

    line: int
    fields: list[str]


def read_spreadsheet(
    content: bytes, name: str, *, separators: str = ",;\t", quoted: bool = True, western: bool = False
) -> list[Row]:
    """Return the rows of a table, in bytes of a file that messages call `name`; its first line tells the separator.

    What is not Unicode may be `western`: text as older spreadsheet programs save it in Europe and America.
    """
    text = _text(content, name, western=western)
    first = next((line for line in text.split("\n") if line.strip()), "")
    separator = max(separators, key=lambda each: _outside_quotes(first).count(each) if quoted else first.count(each))
    if not quoted:  # only LF ends a line: terms may hold the other characters at which Python splits
        lines = (line.removesuffix("\r") for line in text.split("\n"))
        return [Row(at, line.split(separator)) for at, line in enumerate(lines, 1) if line.strip()]
    return [Row(line, row) for line, row in table_rows(text, name, separator) if any(map(str.strip, row))]


def spreadsheet_bytes(rows: Iterable[Sequence[object]]) -> bytes:
    """Return a table as bytes that spreadsheet programs open rightly."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows([harmless(str(field)) for field in row] for row in rows)
    return codecs.BOM_UTF8 + out.getvalue().encode("utf-8")


def _outside_quotes(line: str) -> str:
    return re.sub(r'"[^"]*"', "", line)


def _text(content: bytes, name: str, *, western: bool) -> str:
    """Decode what spreadsheet programs save: UTF-8, UTF-16 with its mark or, if it may be `western`, Windows-1252."""
    utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    with suppress(UnicodeDecodeError):
        content = content.decode("utf-16").encode() if utf16 else content
    return decoded(content, name, otherwise="cp1252" if western and not utf16 else None)
