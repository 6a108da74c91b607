"""Sheets for raters who cannot reach the server, as tables that spreadsheet programs open and save.

Writing: UTF-8 with a byte order mark, by which these programs know it, and an apostrophe before a text that they would
take for a formula. Reading: separated by comma, semicolon or tab, in several encodings, with quotes.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NamedTuple

from termgauge.exceptions import TermgaugeError
from termgauge.formulas import harmless
from termgauge.io.atomic import whole_file
from termgauge.io.decoding import decoded, table_rows
from termgauge.io.paths import expanded

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from termgauge.studies.folder import Study
    from termgauge.studies.study_file import StudyFile

COLUMNS = ("row", "term1", "term2", "answer")
INSTRUCTIONS = "instructions.txt"
UNKNOWN = "?"
"""What stands in a sheet for "I do not know"; an empty answer is one that is still to come."""
Showing = tuple[int, int]
"""Page and position."""


def write_sheets(study: Study, folder: str | os.PathLike[str]) -> list[Path]:
    """Write an empty sheet for each group, one with the answers so far for each rater who may go on, and instructions.

    Parameters
    ----------
    study
        The study.
    folder
        Where to write; a sheet that is there is not replaced, since it may have been filled in.
    """
    place = expanded(folder)
    if place.exists() and not place.is_dir():
        raise TermgaugeError(f"{place}: is a file; name a folder.")
    sheets = {f"group-{group}.csv": sheet_bytes(study, group) for group in range(1, study.file.groups + 1)}
    with closing(study.store()) as store:
        for rater in store.raters():
            if rater.state in ("active", "paused"):
                given = {(each.page, each.position): each.rating for each in store.answers(rater.id)}
                sheets[f"{rater.id}.csv"] = sheet_bytes(study, rater.group, given)
    files = {INSTRUCTIONS: instructions_text(study.file).encode("utf-8-sig"), **sheets}
    for name, content in files.items():
        if (place / name).exists() and (place / name).read_bytes() != content:
            raise TermgaugeError(
                f"{place / name}: is there already and may have been filled in; name another folder. Nothing was "
                "written."
            )
    for name, content in files.items():
        with whole_file(place / name) as temporary:
            temporary.write_bytes(content)
    return [place / name for name in files]


def sheet_bytes(study: Study, group: int, given: Mapping[Showing, float | None] | None = None) -> bytes:
    """Return the sheet of a group, with answers that were given before."""
    answers = {showing: UNKNOWN if rating is None else f"{rating:g}" for showing, rating in (given or {}).items()}
    rows = [
        (row, word1, word2, answers.get(showing, ""))
        for row, (showing, word1, word2) in enumerate(showings_of(study, group), 1)
    ]
    return spreadsheet_bytes([COLUMNS, *rows])


def showings_of(study: Study, group: int) -> list[tuple[Showing, str, str]]:
    """Return what the raters of a group see, in order: page and position, and the two terms."""
    rows = study.layout.filter(study.layout["group"] == group).sort("page", "position")
    worded = rows.join(study.pairs, on="pair", how="left", maintain_order="left")
    return [((page, at), one, two) for page, at, one, two in worded.select("page", "position", "word1", "word2").rows()]


def instructions_text(file: StudyFile) -> str:
    """Return all that a rater needs to know to fill in a sheet."""
    labels = {answer.value: answer.label for answer in file.answers}
    parts = [
        file.title.upper(),
        *file.instructions,
        file.question,
        file.texts.sheet,
        "\n".join([*(f"  {value:g}   {label}" for value, label in labels.items()), f"  {UNKNOWN}   {file.unknown}"]),
        file.texts.examples_title.upper(),
        *(
            f"{each.word1} / {each.word2}: {each.rating:g} ({labels[each.rating]})\n{each.why}"
            for each in file.examples
        ),
        file.privacy,
    ]
    return "\n\n".join(parts).replace("\n", "\r\n") + "\r\n"


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
