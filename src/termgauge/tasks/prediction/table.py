"""A table of scores, such as one typed from a paper: a row for each model, its name first, and a column for each score.

Fields are separated by commas, tabs or semicolons. A field that is empty or NA is a score that is not known. Where the
fields are not separated by commas a decimal comma is read; a column may be in per cent as a whole.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from termgauge.exceptions import TermgaugeError
from termgauge.io.tables import open_table
from termgauge.tasks.prediction.scores import Scores, no_such, separated

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from termgauge.io.tables import Rows
    from termgauge.tasks.prediction.task import PredictionOptions

_UNKNOWN = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "–", "—", "."})
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_LONGEST = 30


class _Table(NamedTuple):
    rows: Rows
    decimal_comma: bool

    @property
    def label(self) -> str:
        return self.rows.label

    @property
    def scores(self) -> Sequence[str]:
        """The names of all columns but the first."""
        return self.rows.titles[1:]

    def column(self, name: str) -> dict[str, float]:
        """Return the scores of a column by model."""
        cells = zip(self.rows.lines, self.rows.column(0), self.rows.column(self.rows.titles.index(name)), strict=True)
        known = [(line, model, cell) for line, model, cell in cells if cell.lower() not in _UNKNOWN]
        percent = [line for line, _model, cell in known if cell.endswith("%")]
        if percent and len(percent) < len(known):
            raise TermgaugeError(
                f"{self.label}, line {percent[0]}: '{name}' is in per cent here and not in other rows; write all of "
                "its scores alike."
            )
        return {model: self._number(cell, line, name) for line, model, cell in known}

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
        models=table.rows.column(0),
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
    table = open_table(path)
    columns, line = list(table.first), table.content[0].line
    while not columns[-1]:  # as spreadsheets leave them
        columns.pop()
    if len(columns) < 2:
        raise TermgaugeError(
            f"{table.label}: is no table of scores; it needs a line of names, a row for each model, and commas, tabs "
            "or semicolons between the fields."
        )
    for at, name in enumerate(columns):
        if at and not name:
            raise TermgaugeError(f"{table.label}, line {line}: column {at + 1} has no name; give it one.")
        if name in columns[:at]:
            raise TermgaugeError(f"{table.label}, line {line}: two columns are called '{name}'; name them apart.")
    rows = replace(table, first=columns).rows(header=True)
    seen: dict[str, int] = {}
    for line, model in zip(rows.lines, rows.column(0), strict=True):
        if not model:
            raise TermgaugeError(f"{table.label}, line {line}: has no name of a model in its first field.")
        if (before := seen.setdefault(model, line)) != line:
            raise TermgaugeError(
                f"{table.label}, line {line}: the model '{model}' is in line {before} already; name them apart."
            )
    return _Table(rows, decimal_comma=table.separator != ",")
