"""What the sections of several tasks have in common: which models can be compared, how each is drawn, and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from termgauge.reporting.blocks import Cell, Column, Interval, Prose, Section, Table, block_id
from termgauge.reporting.plots.canvas import KeyEntry
from termgauge.reporting.plots.look import ACCENT, MUTED, SERIES, SHAPES
from termgauge.reporting.words import bold, corrected, headed, listed
from termgauge.tasks.results import frame_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from termgauge.tasks.contract import About, AnyTask
    from termgauge.tasks.results import Result, Value


class Sought(Protocol):
    """A model of which neighbours were sought."""

    @property
    def neighbourhood(self) -> str:
        """Its ``vocabulary``, or the names of the ``terminology``."""
        ...


def by_neighbourhood(models: Mapping[str, Sought]) -> dict[str, list[str]]:
    """Return the names of models by where their neighbours were sought; those of two places are not to be compared."""
    groups: dict[str, list[str]] = {}
    for name, model in models.items():
        groups.setdefault(model.neighbourhood, []).append(name)
    return groups


def style_of(place: int) -> tuple[str, str]:
    """Return the colour and the shape of a model: where colours come round again the shape is another one."""
    return SERIES[place % len(SERIES)], SHAPES[(place + place // len(SERIES)) % len(SHAPES)]


BASELINE_SHAPE = "diamond"


def model_look(*, baseline: bool) -> tuple[str, str]:
    """Return the colour and the shape of a dot that stands for a model, where colours do not tell models apart.

    A baseline is a diamond in every plot of dots; where colours say nothing else, it also has the quieter colour.
    """
    return (MUTED, BASELINE_SHAPE) if baseline else (ACCENT, "circle")


def baseline_key(*, baselines: bool) -> tuple[KeyEntry, ...]:
    """Return the key to such dots; without any of `baselines` there is nothing to explain."""
    looks = {"model": model_look(baseline=False), "baseline": model_look(baseline=True)}
    return tuple(KeyEntry(name, *look) for name, look in looks.items()) if baselines else ()


def superscript_note(models: Collection[str], correction: str) -> tuple[str, ...]:
    """Say what superscripts mean, where there is more than one model."""
    note = "Superscripts: how many other models it significantly beats (+) and loses to (−), "
    return (f"{note}{corrected(correction)}.",) if len(models) > 1 else ()


def zeros_note(models: Collection[str]) -> str:
    """Name models that know nothing, as the rest of a sentence."""
    return f"{listed(map(bold, models))}: all {'its' if len(models) == 1 else 'their'} figures are 0."


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
