"""The scores that prediction works on: of each model on each benchmark, and in each task; from a run or a table.

A table, such as one typed from a paper, has a row for each model, its name first. A field that is empty or NA is not
known. Where fields are not separated by commas a decimal comma is read; a column may be in per cent as a whole.
"""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from pydantic import Field

from termgauge.benchmark.pairset import parse_score
from termgauge.exceptions import TermgaugeError, TermgaugeWarning, did_you_mean
from termgauge.io.tables import open_table
from termgauge.reporting.words import listed
from termgauge.similarity.measures import default_measure, measure_for_kind
from termgauge.statistics import normal
from termgauge.statistics.inputs import statistic_for
from termgauge.tasks.pairs.compare import compare_sets
from termgauge.tasks.pairs.scored import ScoredSets
from termgauge.tasks.registry import load_results
from termgauge.tasks.results import Record, finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from termgauge.io.tables import Rows
    from termgauge.tasks.contract import Testing
    from termgauge.tasks.prediction.task import PredictionOptions
    from termgauge.tasks.records import RunView
    from termgauge.tasks.registry import LoadedResult

_PAIRS, _USUAL, _F, _BEST = "pairs", "ner", "f", "best"
_FAMILY = "family"
"""The column of a table that says which models are variants of one."""
_MOST_NAMED = 8


class Scores(Record):
    """Scores by benchmark or task, then by model; a model that has none is not there."""

    label: str
    """Where they are from, for messages."""
    models: list[str]
    intrinsic: dict[str, dict[str, float]]
    extrinsic: dict[str, dict[str, float]]
    reasons: dict[str, str] = Field(default_factory=dict)
    """Why models are missing, where that is known."""
    families: dict[str, str] = Field(default_factory=dict)
    """The family of each model, where one is named."""


def separated(names: Iterable[str], names_with_commas: Iterable[str] = ()) -> list[str]:
    """Return names that may stand in one text with commas between them, each once; a name that is known may hold one.

    >>> separated(["a, b", "c", "a"]), separated(["rho, all"], ["rho, all"])
    (['a', 'b', 'c'], ['rho, all'])
    """
    whole = set(names_with_commas)
    parts = (part for name in names for part in ([name] if name in whole else name.split(",")))
    return list(dict.fromkeys(part.strip() for part in parts if part.strip()))


def no_such(label: str, what: str, name: str, choices: Sequence[str]) -> TermgaugeError:
    """Return the error of a name that means nothing, which names what there is."""
    more = f" and {len(choices) - _MOST_NAMED} more" if len(choices) > _MOST_NAMED else ""
    there = f"there are {', '.join(choices[:_MOST_NAMED])}{more}" if choices else "there is none"
    return TermgaugeError(f"{label}: has no {what} '{name}'; {there}.{did_you_mean(name, choices)}")


def scores_of_run(run: RunView, options: PredictionOptions, testing: Testing) -> Scores:
    """Read the scores of a run: those of sets as its tables show them, and what tasks found."""
    label, results = str(run.path), list(load_results(run))
    pairs = next((loaded.result for loaded in results if loaded.task.name == _PAIRS), None)
    sets = {} if pairs is None else _of_sets(run, pairs.to_frame(), options, testing)
    intrinsic = {name: sets[name] for name in _chosen_sets(label, list(sets), options.intrinsic)}
    extrinsic = _of_tasks(label, [loaded for loaded in results if loaded.task.name != _PAIRS], options.extrinsic)
    models = list(dict.fromkeys(chain(run.models, run.failures, *intrinsic.values(), *extrinsic.values())))
    families = {model: name for model, name in run.families.items() if model in models}
    more = {"reasons": dict(run.failures), "families": families}
    return Scores(label=label, models=models, intrinsic=intrinsic, extrinsic=extrinsic, **more)


def attenuations_of(run: RunView, sets: Sequence[str]) -> dict[str, float]:
    """Return what a correlation of 1 with each set would come out as, for the error of the models' scores on it.

    It is the root of the scores' reliability: of the variance between models, the part that is not error. Error is that
    of differences, because what models have in common moves no correlation.
    """
    with warnings.catch_warnings():  # what cannot be compared was said before
        warnings.simplefilter("ignore", TermgaugeWarning)
        try:
            compared = compare_sets(ScoredSets(**vars(run)), sets, between_measures=False)
        except TermgaugeError:
            return {}
    twice = 2 * normal.quantile(1 - compared.whole.alpha / 2)
    attenuations = {}
    for part in compared.whole.sets:
        defined = [row for row in part.differences if math.isfinite(row.low)]
        if whole := sum(row.value**2 for row in defined):
            error = sum(((row.high - row.low) / twice) ** 2 for row in defined)
            attenuations[part.set] = math.sqrt(max(0.0, 1 - error / whole))
    return attenuations


def _of_sets(
    run: RunView, results: pl.DataFrame, options: PredictionOptions, testing: Testing
) -> dict[str, dict[str, float]]:
    """Return the score of each model on each set, by the measure that stands for it."""
    values: dict[tuple[str, str], dict[str, float]] = {}
    statistics = {name: statistic_for(testing.statistic, graded=about.graded) for name, about in run.sets.items()}
    for row in results.filter(subset=options.pairs).iter_rows(named=True):
        if row["statistic"] == statistics.get(row["set"]) and finite(row["value"]) is not None:
            values.setdefault((row["set"], row["model"]), {})[row["measure"]] = row["value"]
    scores: dict[str, dict[str, float]] = {name: {} for name in run.sets}
    for (name, model), measures in values.items():
        kind = run.models[model].kind if model in run.models else ""
        if measure_for_kind(testing.measure, kind) == _BEST:
            scores[name][model] = max(measures.values())
        elif (measure := default_measure(measures, kind, testing.measure)) is not None:
            scores[name][model] = measures[measure]
    return scores


def _chosen_sets(label: str, available: list[str], wanted: Sequence[str]) -> list[str]:
    if not available:
        raise TermgaugeError(f"{label}: has no scores on sets, so nothing could predict; score models on some first.")
    chosen: dict[str, None] = {}
    for name in separated(wanted, available):
        fitting = [other for other in available if fnmatchcase(other, name) or other.endswith(f"/{name}")]
        if not fitting:
            raise no_such(label, "set", name, available)
        chosen |= dict.fromkeys(fitting)
    return list(chosen) or available


class _Column(NamedTuple):
    """What a task found of something, of every model that it measured."""

    task: str
    table: str
    item: str
    statistic: str
    better: str

    def title(self, *, full: bool) -> str:
        """Return what it is called: the corpus of named entities; else table, what it is about, and statistic."""
        plain = self.statistic == _F
        parts = [self.table if full or not (plain and self.item) else "", self.item, "" if plain else self.statistic]
        lower = "lower is better" if self.better == "lower" else ""
        return ", ".join(dict.fromkeys(part for part in (*parts, lower) if part))


def _of_tasks(label: str, results: Iterable[LoadedResult], wanted: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the scores of tasks that are to be predicted."""
    columns: dict[_Column, dict[str, float]] = {}
    for result in results:
        for value in result.result.values():
            if value.model and (number := finite(value.value)) is not None:
                column = _Column(result.task.name, result.name, value.item, value.statistic, value.better)
                columns.setdefault(column, {})[value.model] = float(number)
    offered = list(dict.fromkeys(f"{column.task}:{column.statistic}" for column in columns))
    asked = separated(wanted) or ([_USUAL] if any(column.task == _USUAL for column in columns) else [])
    if not asked:
        there = f"name one with --extrinsic: {', '.join(offered)}" if offered else "it has no result of another task"
        raise TermgaugeError(f"{label}: does not say which task is to be predicted; {there}.")
    chosen = list(dict.fromkeys(column for name in asked for column in _matching(label, name, list(columns), offered)))
    short = [column.title(full=False) for column in chosen]
    titles = [column.title(full=short.count(title) > 1) for column, title in zip(chosen, short, strict=True)]
    return {
        f"{column.task}: {title}" if titles.count(title) > 1 else title: columns[column]
        for column, title in zip(chosen, titles, strict=True)
    }


def _matching(label: str, name: str, columns: Sequence[_Column], offered: Sequence[str]) -> list[_Column]:
    """Return what a name stands for: a task, or ``TASK/TABLE``, with ``:STATISTIC`` where there are several.

    What a task found of a part of something else, such as of one type of a corpus, is not meant; it and what it is part
    of can be named themselves.
    """
    if named := [column for column in columns if column.item == name and column.statistic == _F]:
        return named
    location, _, statistic = name.partition(":")
    task, _, table = location.partition("/")
    fitting = [column for column in columns if column.task == task and (not table or column.table == table)]
    statistics = list(dict.fromkeys(column.statistic for column in fitting))
    if not fitting or (statistic and statistic not in statistics):
        raise no_such(label, "score of a task", name, offered)
    if not statistic:
        statistic = _F if _F in statistics else statistics[0]
        if len(statistics) > 1 and statistic != _F:
            names = listed([f"{location}:{other}" for other in statistics], last="or")
            raise TermgaugeError(f"{label}: '{name}' has several scores; name one of {names}.")
    fitting = [column for column in fitting if column.statistic == statistic]
    wholes = [(column.table, f"{column.item}: ") for column in fitting if column.item]
    return [
        column
        for column in fitting
        if not any(column.table == table and column.item.startswith(begin) for table, begin in wholes)
    ]


def common(one: Mapping[str, float], other: Mapping[str, float], models: Iterable[str]) -> list[str]:
    """Return the models that have both scores, in order."""
    return [model for model in models if model in one and model in other]


_UNKNOWN = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "–", "—", "."})
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


def _column(rows: Rows, name: str, *, decimal_comma: bool) -> dict[str, float]:
    """Return the scores of a column by model."""
    cells = zip(rows.lines, rows.column(0), rows.column(rows.titles.index(name)), strict=True)
    numbers = [(line, model, cell) for line, model, cell in cells if cell.lower() not in _UNKNOWN]
    percent = [line for line, _model, cell in numbers if cell.endswith("%")]
    if percent and len(percent) < len(numbers):
        raise TermgaugeError(
            f"{rows.label}, line {percent[0]}: '{name}' is in per cent here and not in other rows; write all of its "
            "scores alike."
        )
    scores = {}
    for line, model, cell in numbers:
        text = cell.removesuffix("%").strip().replace("\N{MINUS SIGN}", "-")
        value = parse_score(text.replace(",", ".") if decimal_comma and _DECIMAL_COMMA.fullmatch(text) else text)
        if value is None:
            raise TermgaugeError(
                f"{rows.label}, line {line}: '{cell[:30]}' in the column '{name}' is not a number; write one, "
                "leave the field empty, or name the columns to use with --intrinsic and --extrinsic."
            )
        scores[model] = value
    return scores


def read_scores(path: Path, options: PredictionOptions) -> Scores:
    """Read a table; the columns that are not named as extrinsic are the benchmarks, unless these are named too."""
    table = open_table(path)
    titles = list(table.first)
    while not titles[-1]:  # as spreadsheets leave them
        titles.pop()
    label, columns = table.label, titles[1:]
    if not columns:
        raise TermgaugeError(
            f"{label}: is no table of scores; it needs a line of names, a row for each model, and commas, tabs "
            "or semicolons between the fields."
        )
    rows = replace(table, first=titles).rows(header=True)
    models = rows.column(0)
    _check_names(label, "column", [(table.content[0].line, name) for name in columns])
    _check_names(label, "model", list(zip(rows.lines, models, strict=True)))
    extrinsic, intrinsic = (separated(names, columns) for names in (options.extrinsic, options.intrinsic))
    for name in (*extrinsic, *intrinsic):
        if name not in columns:
            raise no_such(label, "column of scores", name, columns)
    if not extrinsic:
        raise TermgaugeError(
            f"{label}: does not say which columns are scores of a task; name them with --extrinsic, of "
            f"{', '.join(columns)}."
        )
    named = _FAMILY in columns and _FAMILY not in (*extrinsic, *intrinsic)
    intrinsic = intrinsic or [name for name in columns if name not in (*extrinsic, *[_FAMILY] * named)]
    if both := next((name for name in intrinsic if name in extrinsic), None):
        raise TermgaugeError(f"{label}: '{both}' is named both as --intrinsic and as --extrinsic; it can be one.")
    if not intrinsic:
        raise TermgaugeError(f"{label}: all columns are named as --extrinsic, so no benchmark is left.")
    of_benchmarks, of_tasks = (
        {name: _column(rows, name, decimal_comma=table.separator != ",") for name in names}
        for names in (intrinsic, extrinsic)
    )
    cells = rows.column(titles.index(_FAMILY)) if named else []
    families = {model: cell for model, cell in zip(models, cells, strict=False) if cell}
    return Scores(label=label, models=models, intrinsic=of_benchmarks, extrinsic=of_tasks, families=families)


def _check_names(label: str, what: str, names: Sequence[tuple[int, str]]) -> None:
    """Raise where a name is missing or stands twice."""
    seen = {""}
    for line, name in names:
        if name in seen:
            problem = f"the {what} '{name}' is there twice; name them apart" if name else f"a {what} has no name"
            raise TermgaugeError(f"{label}, line {line}: {problem}.")
        seen.add(name)
