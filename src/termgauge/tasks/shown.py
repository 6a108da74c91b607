"""What the sections of several tasks have in common: which models can be compared, how each is drawn, and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.reporting.blocks import Cell, Column, Interval, Prose, Section, Table, WinsLosses, block_id
from termgauge.reporting.plots.canvas import ACCENT, MUTED, SERIES, SHAPES
from termgauge.reporting.standard import joint_blocks
from termgauge.reporting.words import bold, corrected, headed, listed, plain
from termgauge.statistics.comparison import wins_and_losses
from termgauge.tasks.results import frame_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.tasks.contract import AnyTask
    from termgauge.tasks.results import DifferenceRecord, Result, Value


def by_neighbourhood(models: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the names of models by where their neighbours were sought; those of two places are not to be compared."""
    groups: dict[str, list[str]] = {"vocabulary": [], "terminology": []}
    for name, model in models.items():
        groups[model.neighbourhood].append(name)
    return {neighbourhood: names for neighbourhood, names in groups.items() if names}


def opening(task: str, title: str, name: str, result: Result, text: Iterable[str], *blocks: Block) -> Section:
    """Return the first section of a task: its verdict with ranking and differences, what was asked, and its blocks."""
    joints = {name: result.joint, f"{name} encoders": getattr(result, "encoders", None)}
    verdicts = (block for key, joint in joints.items() if joint for block in joint_blocks(joint, block_id(task, key)))
    return Section(block_id(task, name), headed(title, name), (*verdicts, Prose(tuple(text)), *blocks))


def encoders_note(groups: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Say where encoders sought neighbours, if there are any."""
    if encoders := groups.get("terminology"):
        yield (
            f"Without a vocabulary of words: {listed(map(bold, encoders))}. Neighbours are sought among the names of "
            "the terminology's concepts, which is a different question with a verdict of its own."
        )


def style_of(number: int) -> tuple[str, str]:
    """Return the colour and the shape of a model: where colours come round again the shape is another one."""
    return SERIES[number % len(SERIES)], SHAPES[(number + number // len(SERIES)) % len(SHAPES)]


BASELINE_SHAPE = "diamond"


def model_look(*, baseline: bool) -> tuple[str, str]:
    """Return the colour and the shape of a dot that stands for a model, where colours do not tell models apart.

    A baseline is a diamond in every plot of dots; where colours say nothing else, it also has the quieter colour.
    """
    return (MUTED, BASELINE_SHAPE) if baseline else (ACCENT, "circle")


def best_models(groups: Iterable[Mapping[str, float]], differences: Iterable[DifferenceRecord]) -> set[str]:
    """Return the models with the greatest value of their group, and those that cannot be told from one of these."""
    compared = [values for values in groups if len(values) > 1]
    top = {model for values in compared for model, value in values.items() if value == max(values.values()) > 0}
    alike = ({difference.one, difference.other} for difference in differences if not difference.significant)
    return top.union(*(pair for pair in alike if pair & top))


class ShownValues:
    """Numbers of models as cells of tables: with intervals, wins and losses, and the best of each column in bold."""

    def __init__(
        self,
        values: Iterable[Value],
        differences: Iterable[DifferenceRecord] = (),
        apart: Iterable[Collection[str]] = (),
    ) -> None:
        """Take values of models and their tested differences; `apart` are the models that compete with each other."""
        self._values: dict[tuple[str, str], dict[str, Value]] = {}
        self._differences: dict[tuple[str, str], list[DifferenceRecord]] = {}
        self._apart = list(apart)
        for value in values:
            self._values.setdefault((value.item, value.statistic), {})[value.model] = value
        for difference in differences:
            self._differences.setdefault(difference.about, []).append(difference)

    def cell(self, model: str, item: str, statistic: str, digits: int = 3, *, percent: bool = False) -> Cell:
        """Return what a model reaches in a statistic."""
        values, tested = self._values[item, statistic], self._differences.get((item, statistic), [])
        groups = [{name: values[name].value or 0.0 for name in names if name in values} for names in self._apart]
        against, best = WinsLosses(*wins_and_losses(model, tested)), model in best_models(groups, tested)
        _model, _statistic, value, low, high, *_rest = values[model]
        if percent:
            return percent_cell(value, digits, (low, high), against=against, best=best)
        return Cell.number(value, digits, against=against, interval=Interval.known(low, high), best=best)


def frame_of_rows(rows: Iterable[Sequence[object]], columns: Sequence[str]) -> pl.DataFrame:
    """Return rows as a table whose types are found out from all of them."""
    return pl.DataFrame(list(rows), columns, orient="row", infer_schema_length=None)


def testing_notes(result: Any, shared: str) -> tuple[str, ...]:  # noqa: ANN401
    """Say what intervals and superscripts mean; `shared` are the items that depend on each other."""
    level = f"Intervals at level {1 - result.alpha:g} and tests allow for {shared}."
    return level, *superscript_note(result.models, result.correction)


def left_out_note(reasons: Iterable[str]) -> list[str]:
    """Name the models that could not be used, each with the reason; nothing if there are none."""
    named = "; ".join(plain(reason.rstrip(".")) for reason in reasons)
    return [f"Left out: {named}."] if named else []


def superscript_note(models: Collection[str], correction: str) -> tuple[str, ...]:
    """Say what superscripts mean, where there is more than one model."""
    note = "Superscripts: how many other models it significantly beats (+) and loses to (−), "
    return (f"{note}{corrected(correction)}.",) if len(models) > 1 else ()


def zeros_note(models: Collection[str]) -> str:
    """Name models that know nothing, as the rest of a sentence."""
    return f"{listed(map(bold, models))}: all {'its' if len(models) == 1 else 'their'} figures are 0."


def percent_cell(
    share: float | None,
    digits: int,
    ends: Sequence[float | None] = (None, None),
    *,
    top: float | None = 100.0,
    **more: Any,  # noqa: ANN401
) -> Cell:
    """Return a share in per cent, and its interval likewise; `more` is as :meth:`Cell.number` takes it."""
    value, low, high = (None if number is None else 100 * number for number in (share, *ends))
    return Cell.number(value, digits, top=top, interval=Interval.known(low, high), **more)


def section_of_values(task: AnyTask, values: Sequence[Value], name: str) -> Section:
    """Return a section with a row for each model and a column for each value."""
    columns = list(dict.fromkeys((value.item, value.statistic) for value in values))
    by_key = {(value.model, value.item, value.statistic): value for value in values}
    rows = []
    for model in dict.fromkeys(value.model for value in values):
        cells = [by_key.get((model, *column)) for column in columns]
        rows.append((model, *(_cell(value) if value else None for value in cells)))
    table = Table.from_rows(
        block_id(task.name, "values", name),
        f"{task.title}: all values.",
        ("Model", *(Column.number(statistic, group=item) for item, statistic in columns)),
        rows,
        data=frame_of(values),
    )
    return Section(block_id(task.name, name), headed(task.title, name), (Prose((task.question,)), table))


def _cell(value: Value) -> Cell:
    return Cell.number(value.value, interval=Interval.known(value.low, value.high))
