"""Sheets for raters who cannot reach the server, as tables that spreadsheet programs open and save.

They are UTF-8 with a byte order mark, by which these programs know it, and an apostrophe stands before a text that they
would take for a formula.
"""

from __future__ import annotations

import codecs
import csv
import io
from contextlib import closing
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.formulas import harmless
from termgauge.io.atomic import whole_file
from termgauge.io.paths import expanded

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
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

    A sheet that is there is not replaced, since it may have been filled in.
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
    out = io.StringIO()
    shown = [[harmless(str(field)) for field in row] for row in (COLUMNS, *rows)]
    csv.writer(out, lineterminator="\r\n").writerows(shown)
    return codecs.BOM_UTF8 + out.getvalue().encode("utf-8")


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
