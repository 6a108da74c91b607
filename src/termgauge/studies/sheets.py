"""Sheets for raters who cannot reach the server, as tables that spreadsheet programs open and save.

They are UTF-8 with a byte order mark, by which these programs know it, and an apostrophe stands before a text that they
would take for a formula. What comes back meets the checks of the server: all sheets are looked at first and everything
that is wrong is told with its line; then all answers are stored in one transaction, or none.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError, warn
from termgauge.formulas import harmless
from termgauge.io.atomic import whole_file
from termgauge.io.paths import expanded
from termgauge.io.source import read_small
from termgauge.io.tables import parse_table, table_text
from termgauge.options import several
from termgauge.plurals import numbered
from termgauge.progress import track
from termgauge.studies.design import showings_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from termgauge.studies.design import Showing, Slot
    from termgauge.studies.folder import Study
    from termgauge.studies.store import Rater, Store
    from termgauge.studies.study_file import StudyFile

COLUMNS = ("row", "term1", "term2", "answer")
INSTRUCTIONS = "instructions.txt"
UNKNOWN = "?"
"""What stands in a sheet for "I do not know"; an empty answer is one that is still to come."""


def write_sheets(study: Study, folder: str | os.PathLike[str]) -> list[Path]:
    """Write an empty sheet for each group, one with the answers so far for each rater who may go on, and instructions.

    A sheet that is there is not replaced, since it may have been filled in.
    """
    path = expanded(folder)
    if path.exists() and not path.is_dir():
        raise TermgaugeError(f"{path}: is a file; name a folder.")
    sheets = {f"group-{group}.csv": sheet_bytes(study, group) for group in range(1, study.file.groups + 1)}
    with study.store() as store:
        for rater in store.raters():
            if rater.state in ("active", "paused"):
                ratings = {answer.slot: answer.rating for answer in store.answers(rater.id)}
                sheets[f"{rater.id}.csv"] = sheet_bytes(study, rater.group, ratings)
    files = {INSTRUCTIONS: instructions_text(study.file).encode("utf-8-sig"), **sheets}
    for name, content in files.items():
        if (path / name).exists() and (path / name).read_bytes() != content:
            raise TermgaugeError(
                f"{path / name}: is there already and may have been filled in; name another folder. Nothing was "
                "written."
            )
    for name, content in files.items():
        with whole_file(path / name) as temporary:
            temporary.write_bytes(content)
    return [path / name for name in files]


def sheet_bytes(study: Study, group: int, ratings: Mapping[Slot, float | None] | None = None) -> bytes:
    """Return the sheet of a group, with answers that were given before."""
    answers = {slot: _sign(rating) for slot, rating in (ratings or {}).items()}
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for row, showing in enumerate(showings_of(study, group), 1):
        cells = str(row), showing.word1, showing.word2, answers.get(showing.slot, "")
        writer.writerow(map(harmless, cells))
    return out.getvalue().encode("utf-8-sig")


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
            f"{example.word1} / {example.word2}: {example.rating:g} ({labels[example.rating]})\n{example.why}"
            for example in file.examples
        ),
        file.privacy,
    ]
    return "\n\n".join(parts).replace("\n", "\r\n") + "\r\n"


MOST_PROBLEMS = 20
_ID = re.compile(r"r[1-9][0-9]{0,8}")
_BLANK = re.compile(r"group-[0-9]+")
_NUMBER = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?")


@dataclass(frozen=True)
class Imported:
    """What became of a sheet: its answers, those that were not known before, and what is still to answer."""

    file: str
    rater: str
    group: int
    answers: int
    new: int
    unanswered: int


_Line = tuple[int, list[str]]
"""A line of a sheet: its number in the file, and its cells."""


@dataclass(frozen=True)
class _Sheet:
    """A sheet that was read: of whom, and what they said."""

    file: str
    source: str
    """What the database keeps of where answers come from: not the file's name, which may be that of the rater."""
    who: str
    """The id or the name of the rater."""
    rater: Rater | None
    """None for a new one."""
    group: int
    answers: dict[Slot, tuple[int, float | None]] = field(default_factory=dict)
    """What was said to a showing, and on which line."""


def import_sheets(
    study: Study,
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    rater: str | None = None,
    group: int | None = None,
    replace: bool = False,
) -> list[Imported]:
    """Store the answers of sheets that raters filled in, all or none.

    Without a rater, each file is named after its rater; a name that is new is that of a new rater, whose group is the
    one whose pairs are in the sheet, if none is given. `replace` takes the sheet's answer where the rater gave another
    one before, and takes a sheet that was imported before. All that is wrong is told with its file and line.
    """
    with study.store() as store:
        sheets: list[_Sheet] = []
        problems: list[str] = []
        for file in several(files):
            try:
                sheets.append(_read(study, store, expanded(file), rater, group))
            except TermgaugeError as error:
                problems += error.args
        _refuse(problems)
        with store.transaction(), track("Storing sheets", len(sheets), "sheets") as advance:
            _refuse(list(_contradictions(store, sheets, replace=replace)))
            imported = []
            for sheet in sheets:
                imported.append(_store(study, store, sheet))
                advance(1)
    for done in imported:
        if done.unanswered:
            pairs = numbered(done.unanswered, f"pair of {done.rater} has", f"pairs of {done.rater} have")
            warn(f"{done.file}: {pairs} no answer yet.")
    return imported


def _refuse(problems: Sequence[str]) -> None:
    """Raise the problems, of many the first; none is fine."""
    if problems:
        more = len(problems) - MOST_PROBLEMS
        rest = f"And {numbered(more, 'more such line')}; nothing was imported." if more > 0 else "Nothing was imported."
        raise TermgaugeError(*problems[:MOST_PROBLEMS], rest)


def _read(study: Study, store: Store, path: Path, rater: str | None, group: int | None) -> _Sheet:
    """Read a sheet; everything wrong in it is told at once."""
    try:
        content = read_small(path)
    except OSError as error:
        raise TermgaugeError(f"{path}: cannot be read ({error.strerror or error}).") from None
    name = str(path)
    table = parse_table(table_text(content, name, western=True), name, COLUMNS)  # the terms tell a wrong guess
    places = table.positions(COLUMNS).values()
    cells = ((row.line, [*row.cells, *[""] * len(table.first)]) for row in table.content[1:])
    lines = [(line, [_plain(row[index]) for index in places]) for line, row in cells]
    if not lines:
        raise TermgaugeError(f"{name}: holds no rows; a sheet has the columns {', '.join(COLUMNS)}.")
    who = " ".join((rater or path.stem).split())
    if rater is None and _BLANK.fullmatch(who):
        raise TermgaugeError(f"{name}: whose sheet is this? Say --rater NAME, or call the file after the rater.")
    record = _rater_called(store, who)
    if record is not None and group is not None and record.group != group:
        raise TermgaugeError(
            f"{name}: {record.id} is in group {record.group}, not in group {group}; leave out --group."
        )
    wanted = record.group if record is not None else group or _group_of(study, lines, name)
    if not 1 <= wanted <= study.file.groups:
        raise TermgaugeError(f"{name}: there is no group {wanted}; the study has {study.file.groups}.")
    sheet = _Sheet(name, f"sheet sha256:{hashlib.sha256(content).hexdigest()}", who, record, wanted)
    if problems := list(_fill(sheet, lines, study)):
        raise TermgaugeError(*problems)
    return sheet


def _rater_called(store: Store, who: str) -> Rater | None:
    """Return the rater with an id or a name; None for a name that is new."""
    if _ID.fullmatch(who):
        return store.rater(who)
    raters = [rater for rater in store.raters() if rater.name is not None and rater.name.casefold() == who.casefold()]
    if len(raters) > 1:
        ids = ", ".join(rater.id for rater in raters)
        raise TermgaugeError(f"There are {len(raters)} raters called '{who}' ({ids}); say which with --rater.")
    return raters[0] if raters else None


def _group_of(study: Study, lines: Sequence[_Line], name: str) -> int:
    """Return the one group whose pairs a sheet has."""
    courses = {group: showings_of(study, group) for group in range(1, study.file.groups + 1)}
    matches = {group: sum(_slot(line, course) is not None for line in lines) for group, course in courses.items()}
    most = max(matches.values())
    best = [group for group, count in matches.items() if count == most]
    if len(best) > 1 or not most:
        raise TermgaugeError(f"{name}: its pairs do not tell the group; say it with --group.")
    return best[0]


def _slot(line: _Line, showings: Sequence[Showing]) -> Slot | None:
    """Return the showing that a line is about, if it has its number and its terms."""
    row, *terms, _answer = line[1]
    digits = row.removesuffix(".0").removesuffix(",0")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 10 and 1 <= int(digits) <= len(showings)):
        return None
    showing = showings[int(digits) - 1]
    pairs = zip(terms, (showing.word1, showing.word2), strict=True)
    return showing.slot if all(cell in (_plain(term), _plain(harmless(term))) for cell, term in pairs) else None


def _fill(sheet: _Sheet, lines: Sequence[_Line], study: Study) -> Iterator[str]:
    """Take what a sheet says to each showing, and on which line; yield all that is wrong."""
    showings = showings_of(study, sheet.group)
    seen: dict[Slot, int] = {}
    for line in lines:
        number, (row, term1, term2, answer) = line
        slot, where = _slot(line, showings), f"{sheet.file}, line {number:,}"
        if slot is None:
            yield (
                f"{where}: row '{row[:40]}' with '{term1[:40]}' / '{term2[:40]}' is not in the sheet of group "
                f"{sheet.group}; change nothing but the answers, and check the group."
            )
        elif seen.setdefault(slot, number) != number:
            yield f"{where}: has the same row as line {seen[slot]:,}; remove one of them."
        elif answer:
            try:
                sheet.answers[slot] = number, rating_of(answer, study.file)
            except ValueError as error:
                yield f"{where}: {error}"


def rating_of(text: str, file: StudyFile) -> float | None:
    """Return the rating that an answer means: a value or its label, None for "I do not know"; a ValueError says why."""
    word = _folded(text)
    if word in (UNKNOWN, _folded(file.unknown)):
        return None
    for answer in file.answers:
        if word == _folded(answer.label):
            return answer.value
    if _NUMBER.fullmatch(word) and (value := float(word.replace(",", "."))) in file.values:
        return value
    choices = ", ".join(f"{value:g}" for value in file.values)
    raise ValueError(f"the answer '{text[:40]}' is none of {choices}, nor {UNKNOWN} (\"{file.unknown}\").")


def _contradictions(store: Store, sheets: Sequence[_Sheet], *, replace: bool) -> Iterator[str]:
    """Yield where sheets speak against each other, or against what is in the database and not to be replaced."""
    sources = {} if replace else {answer.source: answer.rater for answer in store.all_answers()}
    first: dict[str, _Sheet] = {}
    seen: dict[tuple[str, Slot], tuple[_Sheet, int, float | None]] = {}
    for sheet in sheets:
        who, rater = sheet.who.casefold(), sheet.rater
        if (other := first.setdefault(who, sheet)).group != sheet.group:
            yield f"{sheet.file}: is of another group than {other.file}, but of the same rater '{sheet.who}'."
            continue
        if rater is not None and rater.state in ("paused", "left_out"):
            state = rater.state.replace("_", " ")
            yield f"{sheet.file}: {rater.id} is {state}; let them go on first, on the administrator's page."
        if sheet.source in sources:
            yield f"{sheet.file}: was imported before, as {sources[sheet.source]}; --replace imports it again."
            continue
        stored = {} if replace or rater is None else {answer.slot: answer.rating for answer in store.answers(rater.id)}
        for slot, (line, rating) in sheet.answers.items():
            before, other_line, other_rating = seen.setdefault((who, slot), (sheet, line, rating))
            if other_rating != rating:
                yield (
                    f"{sheet.file}, line {line:,}: {before.file}, line {other_line:,}, has another answer of "
                    f"'{sheet.who}'; import one of them."
                )
            if stored.get(slot, rating) != rating:
                yield (
                    f"{sheet.file}, line {line:,}: {sheet.who} gave another answer before ({_sign(stored[slot])}, "
                    f"here {_sign(rating)}); --replace takes that of the sheet."
                )


def _store(study: Study, store: Store, sheet: _Sheet) -> Imported:
    rater = sheet.rater or _rater_called(store, sheet.who) or store.invite(sheet.group, sheet.who)[0]
    rows = [(*slot, rating, None) for slot, (_line, rating) in sheet.answers.items()]
    new = store.import_answers(rater.id, rows, sheet.source)
    left = len(showings_of(study, rater.group)) - len(store.answers(rater.id))
    if not left and rater.state == "active":
        store.set_state(rater.id, "finished", None)
    return Imported(sheet.file, rater.id, rater.group, len(rows), new, left)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split()))


def _folded(text: str) -> str:
    """Return a text without what spreadsheet programs change by themselves: case, quotes, apostrophes before it."""
    return _plain(text).replace("’", "'").removeprefix("'").casefold()


def _sign(rating: float | None) -> str:
    return UNKNOWN if rating is None else f"{rating:g}"
