"""The tasks that there are: our own, and those that other packages declare as entry points ``termgauge.tasks``."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.plugins import with_plugins
from termgauge.tasks.contract import AnyTask, Task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.tasks.contract import AnyTask
    from termgauge.tasks.records import RunView
    from termgauge.tasks.results import Result


GROUP = "termgauge.tasks"
_OWN = (
    "pairs",
    "vocabulary",
    "categories",
    "coverage",
    "analogies",
    "linking",
    "ner",
    "audit",
    "subsets",
    "prediction",
)
"""Folders here, in the order in which a run works them."""


@cache
def all_tasks() -> dict[str, AnyTask]:
    """Return the tasks by name in the order of a run: ours first, and those last that read what others found."""
    own: dict[str, AnyTask] = {name: import_module(f"termgauge.tasks.{name}.task").TASK for name in _OWN}
    known = dict(own)
    for name, task in with_plugins(GROUP, Task, own).items():  # type: ignore[type-abstract]
        others = [other for other in known.values() if other is not task]
        if any(task.table_name == other.table_name or task.title == other.title for other in others):
            warn(f"The task '{name}' is left out: its table '{task.table_name}' or title '{task.title}' is taken.")
        else:
            known[name] = task
    return dict(sorted(known.items(), key=lambda each: each[1].reads_run))


def task_of(name: str) -> AnyTask:
    """Return a task by its name."""
    known = all_tasks()
    if name not in known:
        raise TermgaugeError(f"There is no task '{name}'; there are {', '.join(known)}.{did_you_mean(name, known)}")
    return known[name]


class LoadedResult(NamedTuple):
    """A result of a run."""

    task: AnyTask
    name: str
    """Of its table; of the task itself where there is only one."""
    result: Result


def load_results(run: RunView) -> Iterator[LoadedResult]:
    """Yield what each task found that measures models, in the order of the run."""
    for task in all_tasks().values():
        if not task.reads_run:
            for name in run.tasks.get(task.name, ()) if task.repeated else (task.name,):
                if (result := task.load(run, name)) is not None:
                    yield LoadedResult(task, name, result)
