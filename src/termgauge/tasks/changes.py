"""What changed between two runs in what a task found: every value that both have, with a test where there is one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.tasks.contract import AnyTask
    from termgauge.tasks.records import RunView
    from termgauge.tasks.results import Result

SAME, RENAMED, CHANGED = "same", "renamed", "changed"
ONLY_FIRST, ONLY_SECOND = "only in the first run", "only in the second run"


@dataclass(frozen=True)
class ModelChange:
    """A model of the first run and what stands for it in the second."""

    name: str
    other: str
    state: str
    parts: tuple[str, ...] = ()
    """What of its identity is not the same."""
    rescored: tuple[str, ...] = ()
    """Sets on which its scores differ though its identity is the same."""


@dataclass(frozen=True)
class SetChange:
    """A set of the first run and the one of the second that has its contents, or else its name."""

    name: str
    other: str
    state: str
    pairs: tuple[int, ...] = ()
    """In the first run, and in the second."""


@dataclass(frozen=True)
class ValueChange:
    """A value that both runs have."""

    model: str
    set: str
    """What it is about: a set, or a table of another task."""
    measures: tuple[str, str]
    """By which it was made in the first run and in the second; or what of the table it is about."""
    statistic: str
    before: float
    after: float
    n: int
    """Pairs that both runs score, on which both values are; of a set that has changed, the fewer of the two."""
    coverage: tuple[float, float]
    """Share of the set's pairs that the model can score, before and after."""
    paired: bool
    """Whether the set is the same in both runs; else each value is on its own pairs, and nothing is tested."""
    identical: bool
    """Whether all scores are the same."""
    test: str = ""
    low: float = math.nan
    high: float = math.nan
    """The interval of the difference at the corrected level."""
    p_value: float = math.nan
    adjusted_p: float = math.nan
    significant: bool = False
    better: str = "higher"
    """Which values are better: ``higher``, ``lower``, or nothing where neither is."""

    @property
    def measure(self) -> str:
        """What it was made by, in words."""
        return " → ".join(dict.fromkeys(self.measures))

    @property
    def difference(self) -> float:
        """The second run's value less the first's."""
        return self.after - self.before

    @property
    def changed(self) -> bool:
        """Whether the value is another."""
        return not (self.before == self.after or (math.isnan(self.before) and math.isnan(self.after)))

    @property
    def verdict(self) -> str:
        """What to make of it, in a word or two."""
        if not self.changed:
            return "unchanged"
        if not self.paired:
            return "other pairs"
        if not self.test:
            return "not tested"
        if not self.significant:
            return "not significant"
        return "better" if (self.difference > 0) == (self.better == "higher") else "worse"


class TaskChanges(NamedTuple):
    """What a task adds to the comparison of two runs."""

    values: list[ValueChange]
    sets: list[SetChange]
    missing: list[tuple[str, str, str]]
    """Model, set, and which run alone has it."""


def plain_changes(
    task: AnyTask, runs: tuple[RunView, RunView], names: Sequence[str], models: Sequence[ModelChange]
) -> TaskChanges:
    """Compare the values of a task's results in two runs, without a test."""
    values: list[ValueChange] = []
    missing: list[tuple[str, str, str]] = []
    for name in names:
        before, after = (task.load(run, name) for run in runs)
        title = f"{task.name}: {name}" if task.repeated else task.name
        if before is not None and after is not None:
            values += _matched(title, before, after, models)
        elif before is not after:
            missing.append(("", title, ONLY_FIRST if after is None else ONLY_SECOND))
    return TaskChanges(values, [], missing)


def _matched(title: str, before: Result, after: Result, models: Sequence[ModelChange]) -> Iterator[ValueChange]:
    second = {(value.model, value.item, value.statistic): value for value in after.values()}
    other_name = {model.name: model.other for model in models if model.name and model.other}
    for one in before.values():
        other = second.get((other_name.get(one.model, ""), one.item, one.statistic))
        if other is None or one.value is None or other.value is None:
            continue
        yield ValueChange(
            one.model,
            title,
            (one.item, one.item),
            one.statistic,
            one.value,
            other.value,
            min(one.n or 0, other.n or 0),
            (1.0, 1.0),
            paired=True,
            identical=one.value == other.value,
            better=one.better,
        )
