"""A table of scores, such as one typed from a paper: a row for each model, its name first, and a column for each score.

Fields are separated by commas, tabs or semicolons. A field that is empty or NA is a score that is not known. Where the
fields are not separated by commas a decimal comma is read; a column may be in per cent as a whole.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from termgauge.exceptions import TermgaugeError
from termgauge.io.decoding import table_rows
from termgauge.io.source import files_of
from termgauge.tasks.prediction.scores import Scores, no_such, separated

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from termgauge.tasks.prediction.options import PredictionOptions

_UNKNOWN = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "–", "—", "."})
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_LONGEST = 30


class _Row(NamedTuple):
    line: int
    fields: list[str]


class _Table(NamedTuple):
    label: str
    columns: list[str]
    rows: list[_Row]
    decimal_comma: bool

    @property
    def scores(self) -> list[str]:
        """The names of all columns but the first."""
        return self.columns[1:]

    def column(self, name: str) -> dict[str, float]:
        """Return the scores of a column by model."""
        at = self.columns.index(name)
        fields = {row.fields[0]: (row, row.fields[at]) for row in self.rows if row.fields[at].lower() not in _UNKNOWN}
        percent = [row for row, field in fields.values() if field.endswith("%")]
        if percent and len(percent) < len(fields):
            raise TermgaugeError(
                f"{self.label}, line {percent[0].line}: '{name}' is in per cent here and not in other rows; write all "
                "of its scores alike."
            )
        return {model: self._number(field, row.line, name) for model, (row, field) in fields.items()}

    def _number(self, field: str, line: int, column: str) -> float:
        text = field.removesuffix("%").strip().replace("\N{MINUS SIGN}", "-")
        if self.decimal_comma and _DECIMAL_COMMA.fullmatch(text):
            text = text.replace(",", ".")
        try:
            value = float(text) if "_" not in text else math.nan
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            shown = field if len(field) <= _LONGEST else f"{field[:_LONGEST]}…"
            raise TermgaugeError(
                f"{self.label}, line {line}: '{shown}' in the column '{column}' is not a number; write one, leave the "
                "field empty, or name the columns to use with --intrinsic and --extrinsic."
            )
        return value


def read_scores(path: Path, options: PredictionOptions) -> Scores:
    """Read a table; the columns that are not named as extrinsic are the benchmarks, unless these are named too."""
    table = _read(path)
    extrinsic = _named(table, options.extrinsic)
    if not extrinsic:
        raise TermgaugeError(
            f"{table.label}: does not say which columns are scores of a task; name them with --extrinsic, of "
            f"{', '.join(table.scores)}."
        )
    intrinsic = _named(table, options.intrinsic) or [name for name in table.scores if name not in extrinsic]
    if both := next((name for name in intrinsic if name in extrinsic), None):
        raise TermgaugeError(f"{table.label}: '{both}' is named both as --intrinsic and as --extrinsic; it can be one.")
    if not intrinsic:
        raise TermgaugeError(f"{table.label}: all columns are named as --extrinsic, so no benchmark is left.")
    return Scores(
        label=table.label,
        models=[row.fields[0] for row in table.rows],
        intrinsic={name: table.column(name) for name in intrinsic},
        extrinsic={name: table.column(name) for name in extrinsic},
    )


def _named(table: _Table, wanted: Sequence[str]) -> list[str]:
    names = separated(wanted, table.scores)
    for name in names:
        if name not in table.scores:
            raise no_such(table.label, "column of scores", name, table.scores)
    return names


def _read(path: Path) -> _Table:
    files = files_of(path)
    if len(files) != 1:
        raise TermgaugeError(f"{path}: holds {len(files)} files; name one table.")
    label, text = files[0].label, files[0].text()
    header = next((line for line in text.splitlines() if line.strip()), "")
    separator = max("\t;,", key=header.count)
    table = (_Row(line, [field.strip() for field in fields]) for line, fields in table_rows(text, label, separator))
    rows = [row for row in table if any(row.fields)]
    if not rows or header.count(separator) == 0:
        raise TermgaugeError(
            f"{label}: is no table of scores; it needs a line of names, a row for each model, and commas, tabs or "
            "semicolons between the fields."
        )
    return _checked(label, rows, decimal_comma=separator != ",")


def _checked(label: str, rows: list[_Row], *, decimal_comma: bool) -> _Table:
    head, *body = rows
    columns = list(head.fields)
    while columns and not columns[-1]:  # as spreadsheets leave them
        columns.pop()
    for at, name in enumerate(columns):
        if at and not name:
            raise TermgaugeError(f"{label}, line {head.line}: column {at + 1} has no name; give it one.")
        if name in columns[:at]:
            raise TermgaugeError(f"{label}, line {head.line}: two columns are called '{name}'; name them apart.")
    seen: dict[str, int] = {}
    kept = []
    for row in body:
        fields = row.fields
        if len(fields) < len(columns) or any(fields[len(columns) :]):
            raise TermgaugeError(
                f"{label}, line {row.line}: has {len(fields)} fields, and the first line has {len(columns)}; write one "
                "for each column."
            )
        model = fields[0]
        if not model:
            raise TermgaugeError(f"{label}, line {row.line}: has no name of a model in its first field.")
        if model in seen:
            raise TermgaugeError(
                f"{label}, line {row.line}: the model '{model}' is in line {seen[model]} already; name them apart."
            )
        seen[model] = row.line
        kept.append(_Row(row.line, fields[: len(columns)]))
    return _Table(label, columns, kept, decimal_comma)
