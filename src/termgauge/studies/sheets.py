"""Sheets for raters who cannot reach the server, as tables that spreadsheet programs open and save.

They are UTF-8 with a byte order mark, by which these programs know it, and an apostrophe stands before a text that they
would take for a formula. What comes back meets the checks of the server: all sheets are looked at first and everything
that is wrong is told with its line; then all answers are stored in one transaction, or none.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import re
import unicodedata
from contextlib import closing
from dataclasses import dataclass
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

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from termgauge.io.tables import Row
    from termgauge.studies.folder import Study
    from termgauge.studies.raters import Rater
    from termgauge.studies.store import Store
    from termgauge.studies.study_file import StudyFile

COLUMNS = ("row", "term1", "term2", "answer")
INSTRUCTIONS = "instructions.txt"
UNKNOWN = "?"
"""What stands in a sheet for "I do not know"; an empty answer is one that is still to come."""
Slot = tuple[int, int]
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


def sheet_bytes(study: Study, group: int, given: Mapping[Slot, float | None] | None = None) -> bytes:
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


def showings_of(study: Study, group: int) -> list[tuple[Slot, str, str]]:
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


MOST_PROBLEMS = 20
_ID = re.compile(r"r[1-9][0-9]{0,8}")
_BLANK = re.compile(r"group-[0-9]+")
_NUMBER = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?")


@dataclass(frozen=True)
class Imported:
    """What became of a sheet."""

    file: str
    rater: str
    group: int
    answers: int
    """How many rows have an answer."""
    new: int
    """How many of them were not known before."""
    unanswered: int
    """How many pairs the rater has still to answer."""


@dataclass(frozen=True)
class _Sheet:
    """A sheet that was read: of whom, and what they said."""

    file: str
    sha256: str
    who: str
    """The id or the name of the rater."""
    known: Rater | None
    group: int
    answers: Mapping[Slot, float | None]
    lines: Mapping[Slot, int]

    @property
    def source(self) -> str:
        """What the database keeps of where answers come from: not the file's name, which may be that of the rater."""
        return f"sheet sha256:{self.sha256}"


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
    with closing(study.store()) as store:
        sheets: list[_Sheet] = []
        problems: list[str] = []
        for file in several(files):
            try:
                sheets.append(_read(study, store, expanded(file), rater, group))
            except TermgaugeError as error:
                problems += error.args
        _refuse([*problems, *_contradictions(sheets)])

        def work() -> list[Imported]:
            known = {} if replace else {each.source: each.rater for each in store.all_answers()}
            _refuse([each for sheet in sheets for each in _conflicts(store, sheet, known, replace=replace)])
            done = []
            with track("Storing sheets", len(sheets), "sheets") as advance:
                for sheet in sheets:
                    done.append(_stored(study, store, sheet))
                    advance(1)
            return done

        imported = store.together([work])[0]
    if isinstance(imported, Exception):
        raise imported
    for each in imported:
        if each.unanswered:
            warn(
                f"{each.file}: "
                f"{numbered(each.unanswered, f'pair of {each.rater} has', f'pairs of {each.rater} have')} no answer "
                "yet."
            )
    return imported


def _refuse(problems: Sequence[str]) -> None:
    """Raise the problems, of many the first; none is fine."""
    if problems:
        more = len(problems) - MOST_PROBLEMS
        rest = f"And {numbered(more, 'more such line')}; nothing was imported." if more > 0 else "Nothing was imported."
        raise TermgaugeError(*problems[:MOST_PROBLEMS], rest)


def _read(study: Study, store: Store, path: Path, rater: str | None, group: int | None) -> _Sheet:
    try:
        content = read_small(path)
    except OSError as error:
        raise TermgaugeError(f"{path}: cannot be read ({error.strerror or error}).") from None
    name = str(path)
    text = table_text(content, name, western=True)  # a wrong guess would be noticed by the terms
    rows = parse_table(text, name, COLUMNS).content
    if len(rows) < 2:
        raise TermgaugeError(f"{name}: holds no rows; a sheet has the columns {', '.join(COLUMNS)}.")
    who = " ".join((rater or path.stem).split())
    if rater is None and _BLANK.fullmatch(who):
        raise TermgaugeError(f"{name}: whose sheet is this? Say --rater NAME, or call the file after the rater.")
    known = _rater_called(store, who)
    if known is not None and group is not None and known.group != group:
        raise TermgaugeError(f"{name}: {known.id} is in group {known.group}, not in group {group}; leave out --group.")
    columns = _columns(rows[0], name)
    wanted = known.group if known is not None else group or _group_of(study, rows[1:], columns, name)
    if not 1 <= wanted <= study.file.groups:
        raise TermgaugeError(f"{name}: there is no group {wanted}; the study has {study.file.groups}.")
    answers, lines = _answers(study, rows[1:], columns, wanted, name)
    return _Sheet(name, hashlib.sha256(content).hexdigest(), who, known, wanted, answers, lines)


def _rater_called(store: Store, who: str) -> Rater | None:
    """Return the rater with an id or a name; None for a name that is new."""
    if _ID.fullmatch(who):
        return store.rater(who)
    found = [each for each in store.raters() if each.name is not None and each.name.casefold() == who.casefold()]
    if len(found) > 1:
        ids = ", ".join(each.id for each in found)
        raise TermgaugeError(f"There are {len(found)} raters called '{who}' ({ids}); say which with --rater.")
    return found[0] if found else None


def _columns(header: Row, name: str) -> dict[str, int]:
    titles = [field.strip().lower() for field in header.cells]
    for column in COLUMNS:
        if titles.count(column) != 1:
            raise TermgaugeError(
                f"{name}, line {header.line}: must name the column '{column}' once; the first line of a sheet is "
                f"{', '.join(COLUMNS)}."
            )
    return {column: titles.index(column) for column in COLUMNS}


def _group_of(study: Study, rows: Sequence[Row], columns: Mapping[str, int], name: str) -> int:
    """Return the one group whose pairs a sheet has."""
    matches = {
        group: sum(_matches(row, columns, shown) is not None for row in rows)
        for group in range(1, study.file.groups + 1)
        for shown in [showings_of(study, group)]
    }
    best = [group for group, count in matches.items() if count == max(matches.values())]
    if len(best) > 1 or not matches[best[0]]:
        raise TermgaugeError(f"{name}: its pairs do not tell the group; say it with --group.")
    return best[0]


def _matches(row: Row, columns: Mapping[str, int], shown: Sequence[tuple[Slot, str, str]]) -> Slot | None:
    """Return the showing that a row is about, if it has its number and its terms."""
    number = _cell(row, columns, "row").removesuffix(".0").removesuffix(",0")
    if not (number.isascii() and number.isdecimal() and len(number) < 10 and 1 <= int(number) <= len(shown)):
        return None
    showing, *terms = shown[int(number) - 1]
    cells = (_cell(row, columns, "term1"), _cell(row, columns, "term2"))
    return (
        showing
        if all(cell in (_plain(term), _plain(harmless(term))) for cell, term in zip(cells, terms, strict=True))
        else None
    )


def _answers(
    study: Study, rows: Sequence[Row], columns: Mapping[str, int], group: int, name: str
) -> tuple[dict[Slot, float | None], dict[Slot, int]]:
    """Return what a sheet says to each showing, and on which line; everything wrong is told at once."""
    shown = showings_of(study, group)
    answers: dict[Slot, float | None] = {}
    lines: dict[Slot, int] = {}
    problems = []
    for row in rows:
        showing, text = _matches(row, columns, shown), _cell(row, columns, "answer")
        if showing is None:
            number, *terms = (f"'{_cell(row, columns, each)[:40]}'" for each in COLUMNS[:3])
            problems.append(
                f"{name}, line {row.line:,}: row {number} with {' / '.join(terms)} is not in the sheet of group "
                f"{group}; change nothing but the answers, and check the group."
            )
        elif showing in lines:
            problems.append(
                f"{name}, line {row.line:,}: has the same row as line {lines[showing]:,}; remove one of them."
            )
        elif text:
            lines[showing] = row.line
            try:
                answers[showing] = rating_of(text, study.file)
            except ValueError as error:
                problems.append(f"{name}, line {row.line:,}: {error}")
        else:
            lines[showing] = row.line
    if problems:
        raise TermgaugeError(*problems)
    return answers, lines


def rating_of(text: str, file: StudyFile) -> float | None:
    """Return the rating that an answer in a sheet means: a value of the scale or its label; None for "I do not know".

    Raises
    ------
    ValueError
        If it is neither; the message is a sentence.
    """
    word = _folded(text)
    if word in (UNKNOWN, _folded(file.unknown)):
        return None
    for answer in file.answers:
        if word == _folded(answer.label):
            return answer.value
    if _NUMBER.fullmatch(word) and (value := float(word.replace(",", "."))) in file.values:
        return value
    known = ", ".join(f"{value:g}" for value in file.values)
    raise ValueError(f"the answer '{text[:40]}' is none of {known}, nor {UNKNOWN} (\"{file.unknown}\").")


def _contradictions(sheets: Sequence[_Sheet]) -> Iterator[str]:
    """Yield where two of the sheets answer for the same rater differently."""
    groups: dict[str, _Sheet] = {}
    seen: dict[tuple[str, Slot], _Sheet] = {}
    for sheet in sheets:
        who = sheet.who.casefold()
        if (other := groups.setdefault(who, sheet)).group != sheet.group:
            yield f"{sheet.file}: is of another group than {other.file}, but of the same rater '{sheet.who}'."
            continue
        for showing, rating in sheet.answers.items():
            before = seen.setdefault((who, showing), sheet)
            if before.answers[showing] != rating:
                yield (
                    f"{sheet.file}, line {sheet.lines[showing]:,}: {before.file}, line {before.lines[showing]:,}, has "
                    f"another answer of '{sheet.who}'; import one of them."
                )


def _conflicts(store: Store, sheet: _Sheet, known: Mapping[str, str], *, replace: bool) -> Iterator[str]:
    """Yield why a sheet cannot be stored: what is in the database speaks against it.

    `known` says of which rater the answers of a source are.
    """
    if sheet.known is not None and sheet.known.state in ("paused", "left_out"):
        state = sheet.known.state.replace("_", " ")
        yield f"{sheet.file}: {sheet.known.id} is {state}; let them go on first, on the administrator's page."
    if replace:
        return
    if sheet.source in known:
        yield f"{sheet.file}: was imported before, as {known[sheet.source]}; --replace imports it again."
        return
    given = {(each.page, each.position): each for each in (store.answers(sheet.known.id) if sheet.known else ())}
    for showing, rating in sheet.answers.items():
        if showing in given and given[showing].rating != rating:
            yield (
                f"{sheet.file}, line {sheet.lines[showing]:,}: {sheet.who} gave another answer before "
                f"({_shown(given[showing].rating)}, here {_shown(rating)}); --replace takes that of the sheet."
            )


def _stored(study: Study, store: Store, sheet: _Sheet) -> Imported:
    rater = sheet.known or _rater_called(store, sheet.who) or store.invite(sheet.group, sheet.who)[0]
    rows = [(page, position, rating, None) for (page, position), rating in sheet.answers.items()]
    new = store.import_answers(rater.id, rows, sheet.source)
    left = len(showings_of(study, rater.group)) - len(store.answers(rater.id))
    if not left and rater.state == "active":
        store.set_state(rater.id, "finished", None)
    return Imported(sheet.file, rater.id, rater.group, len(rows), new, left)


def _cell(row: Row, columns: Mapping[str, int], column: str) -> str:
    column_at = columns[column]
    return _plain(row.cells[column_at]) if column_at < len(row.cells) else ""


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split()))


def _folded(text: str) -> str:
    """Return a text without what spreadsheet programs change by themselves: case, quotes, apostrophes before it."""
    return _plain(text).replace("’", "'").removeprefix("'").casefold()


def _shown(rating: float | None) -> str:
    return UNKNOWN if rating is None else f"{rating:g}"
