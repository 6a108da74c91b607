"""The graph of work behind a run: nodes that say what of them is missing and what would fail, and that do it.

A plan is what is missing of the graph; a run works the same nodes off, in the same order. So the two cannot disagree.
A node that would fail says so before anything is begun.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from termgauge.exceptions import TermgaugeError, sentence_of
from termgauge.plurals import numbered
from termgauge.progress import steps
from termgauge.reporting.blocks import Cell, Column, Prose, Section, Table
from termgauge.reporting.words import duration, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from termgauge.engine.session import RunSession

WORKERS = (1, 4, 16, 64)
"""Numbers of workers for which times are given."""
MEASURED_CORES = 2
"""What the plan says of a unit was measured with so many; a worker has one."""


def shared_seconds(units: Iterable[float], workers: int) -> float:
    """Return about how long workers take for units: the longest first, each to the worker that is free first.

    >>> shared_seconds([4.0, 3.0, 3.0, 2.0], 2), shared_seconds([4.0, 3.0], 64)
    (6.0, 4.0)
    """
    free = [0.0] * workers
    for seconds in sorted(units, reverse=True):
        heapq.heapreplace(free, free[0] + seconds)
    return max(free)


@dataclass(frozen=True)
class Item:
    """A thing that a step works on."""

    name: str
    what: str
    """How much it is, in words."""
    there: bool = False
    """Whether it is made already."""
    problem: str = ""
    """Why it will fail."""
    todo: int = 0
    """How much of it is to be done: sets to build, sets on which a model is to be scored, models, or parts of
    them, to be measured."""


@dataclass(frozen=True)
class PlannedStep:
    """What is missing of a step of a run."""

    name: str
    items: tuple[Item, ...]
    seconds: float
    units: tuple[float, ...] = ()
    """The seconds of what workers can share; all of it is in the time above."""

    def seconds_on(self, workers: int) -> float:
        """Return about how long it takes on workers of one core each."""
        shared = shared_seconds([MEASURED_CORES * seconds for seconds in self.units], workers)
        return max(0.0, self.seconds - sum(self.units)) + shared


@dataclass(frozen=True)
class Plan:
    """What a run would do."""

    title: str
    out: str
    steps: tuple[PlannedStep, ...]
    workers: int | None = None
    """How many blocks the cluster does at once, if one was named."""

    @property
    def seconds(self) -> float:
        """About how long it takes in all, on this machine."""
        return sum(step.seconds for step in self.steps)

    @property
    def units(self) -> int:
        """How many units workers can share."""
        return sum(len(step.units) for step in self.steps)

    def seconds_on(self, workers: int) -> float:
        """Return about how long it takes in all on workers of one core each."""
        return sum(step.seconds_on(workers) for step in self.steps)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-like values."""
        numbers = [*WORKERS, *([self.workers] if self.workers else [])]
        return {
            **asdict(self),
            "seconds": self.seconds,
            "units": self.units,
            "seconds_on_workers": {str(number): self.seconds_on(number) for number in sorted(set(numbers))},
        }


class Missing(NamedTuple):
    """What is missing of a node, or of a part of it."""

    item: Item
    seconds: float = 0.0
    """About how long it takes, beside what workers can share."""
    units: Sequence[float] = ()
    """The seconds of what they can share."""


@dataclass
class Node(ABC):
    """A piece of work."""

    session: RunSession
    name: str
    """What the plan calls it, if it would fail as a whole."""
    lasting: ClassVar[bool] = True
    """Whether what it makes stays in the run folder; else it is done in every run."""

    @property
    @abstractmethod
    def step(self) -> str:
        """The step of a run that it belongs to, by the name that people see."""

    @abstractmethod
    def missing(self, *, done: bool) -> Iterator[Missing]:
        """Say what of it is not there, and make nothing; `done` says whether all steps before it are."""

    @staticmethod
    def planned(missing: Callable[[], Iterator[Missing]], name: str, what: str = "") -> list[Missing]:
        """Return what is missing of something, or why it would fail."""
        try:
            return list(missing())
        except (TermgaugeError, OSError) as error:
            return [Missing(Item(name, what, problem=sentence_of(error)))]

    @abstractmethod
    def work(self) -> None:
        """Make what is not there."""


@dataclass(frozen=True)
class Graph:
    """Nodes in an order in which each comes after all that it needs, and what they share."""

    session: RunSession
    nodes: list[Node]

    @property
    def steps(self) -> list[str]:
        """The steps that it has, in order."""
        return list(dict.fromkeys(node.step for node in self.nodes))

    def missing(self) -> list[PlannedStep]:
        """Return what is not there, step by step."""
        planned, done = [], True
        for step, group in groupby(self.nodes, attrgetter("step")):
            nodes = list(group)
            parts = [part for node in nodes for part in node.planned(partial(node.missing, done=done), node.name)]
            items = tuple(part.item for part in parts)
            units = tuple(seconds for part in parts for seconds in part.units)
            planned.append(PlannedStep(step, items, sum(part.seconds for part in parts) + sum(units, 0.0), units))
            done = done and (not nodes[0].lasting or all(item.there for item in items))
        return planned

    def work_off(self) -> None:
        """Do all that is missing; the run folder is made once what is to be read was there."""
        session, opened = self.session, False
        with ExitStack() as held:
            begin = held.enter_context(steps(self.steps)) if session.goes_on else None
            for step, group in groupby(self.nodes, attrgetter("step")):
                if begin is not None:
                    begin(step)
                nodes = list(group)
                if nodes[0].lasting and not opened and session.folder is not None:
                    held.enter_context(session.folder.at_work())
                    opened = True
                with session.timed(step):
                    for node in nodes:
                        node.work()


def plan_section(plan: Plan) -> Section:
    """Return a plan for people."""
    rows = list(_rows(plan.steps))
    columns = (Column("Step"), Column("What"), Column("How much"), Column("About", numeric=True))
    sentences = [
        f"Into {plain(plan.out)}, in about {duration(plan.seconds) or 'a moment'}; times are rough. Nothing was made."
    ]
    if plan.units:
        sentences.append(_on_workers(plan))
    problems = sum(bool(item.problem) for step in plan.steps for item in step.items)
    if problems:
        sentences.append(f"**{problems} of these cannot be used as they are.**")
    title = f"What would be done: {plan.title}" if plan.title else "What would be done"
    return Section("plan", title, (Table("plan", "", columns, tuple(rows), sortable=False), Prose(tuple(sentences))))


def _rows(steps: Sequence[PlannedStep]) -> Iterator[tuple[Cell, ...]]:
    for step in steps:
        first = Cell(step.name), Cell(duration(step.seconds), step.seconds)
        for item in step.items or (Item("", ""),):
            there = "there already" if item.there else ""
            amount = f"Problem: {item.problem}" if item.problem else ", ".join(filter(None, (item.what, there)))
            yield first[0], Cell(item.name), Cell(amount), first[1]
            first = Cell(""), Cell("")


def _on_workers(plan: Plan) -> str:
    units = f"{numbered(plan.units, 'unit')} can be shared out"
    if plan.workers:
        called = f"the {plan.workers} workers" if plan.workers != 1 else "the one worker"
        return f"{units}: on {called} of the cluster it takes about {duration(plan.seconds_on(plan.workers))}."
    times = ", ".join(f"{duration(plan.seconds_on(number))} on {number}" for number in WORKERS)
    return f"{units} with --cluster: about {times} workers of one core each."
