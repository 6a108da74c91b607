"""Tables as spreadsheet programs save them: separated by comma, semicolon or tab, in several encodings, with quotes.

Writing is the other way round: UTF-8 with a byte order mark, by which these programs know it, and an apostrophe before
a text that they would take for a formula.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from typing import TYPE_CHECKING, NamedTuple

from termgauge.exceptions import TermgaugeError
from termgauge.formulas import harmless

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
LONGEST_FIELD = 100_000


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
    text = _decoded(content, name, western=western)
    first = next((line for line in text.split("\n") if line.strip()), "")
    separator = max(separators, key=lambda each: _outside_quotes(first).count(each) if quoted else first.count(each))
    if not quoted:  # only LF ends a line: terms may hold the other characters at which Python splits
        lines = (line.removesuffix("\r") for line in text.split("\n"))
        return [Row(at, line.split(separator)) for at, line in enumerate(lines, 1) if line.strip()]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        return [Row(reader.line_num, fields) for fields in reader if any(field.strip() for field in fields)]
    except csv.Error as error:
        line = max(reader.line_num, 1)
        raise TermgaugeError(
            f"{name}, line {line:,}: cannot be read as a table ({error}); save the sheet again as CSV."
        ) from error


def spreadsheet_bytes(rows: Iterable[Sequence[object]]) -> bytes:
    """Return a table as bytes that spreadsheet programs open rightly."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows([harmless(str(field)) for field in row] for row in rows)
    return codecs.BOM_UTF8 + out.getvalue().encode("utf-8")


def _outside_quotes(line: str) -> str:
    return re.sub(r'"[^"]*"', "", line)


def _decoded(content: bytes, name: str, *, western: bool) -> str:
    encoding = next((kind for mark, kind in _MARKS.items() if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        if western and encoding == "utf-8":
            return _decoded(content.decode("cp1252", "replace").encode("utf-8"), name, western=False)
        line = content.count(b"\n", 0, error.start) + 1
        raise TermgaugeError(
            f"{name}, line {line:,}: is not UTF-8 text; save the file as UTF-8 (in a spreadsheet: CSV UTF-8)."
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise TermgaugeError(f"{name}, line {line:,}: holds a zero byte; save the sheet as CSV UTF-8.")
    return text
