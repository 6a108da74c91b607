"""The values of any result as one table: what a task shows that has no sections of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.reporting.blocks import Cell, Column, Interval, Prose, Section, Table, block_id
from termgauge.reporting.words import headed
from termgauge.tasks.results import frame_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.tasks.contract import About, AnyTask
    from termgauge.tasks.results import Result, Value


def plain_section(task: AnyTask, result: Result, about: About) -> Section:
    """Return a section with all values of a result."""
    return section_of_values(task, list(result.values()), about.name)


def section_of_values(task: AnyTask, values: Sequence[Value], name: str) -> Section:
    """Return a section with a row for each model and a column for each value."""
    columns = list(dict.fromkeys((value.item, value.statistic) for value in values))
    known = {(value.model, value.item, value.statistic): value for value in values}
    rows = []
    for model in dict.fromkeys(value.model for value in values):
        cells = [known.get((model, *column)) for column in columns]
        rows.append((Cell(model), *(_cell(value) if value else Cell("–") for value in cells)))
    table = Table(
        id=block_id(task.name, "values", name),
        caption=f"{task.title}: all values.",
        columns=(Column("Model"), *(Column(statistic, numeric=True, group=item) for item, statistic in columns)),
        rows=tuple(rows),
        data=frame_of(values),
    )
    return Section(block_id(task.name, name), headed(task.title, name), (Prose((task.question,)), table))


def _cell(value: Value) -> Cell:
    return Cell.number(value.value, interval=Interval.known(value.low, value.high))
