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
    core_tasks: dict[str, AnyTask] = {name: import_module(f"termgauge.tasks.{name}.task").TASK for name in _OWN}
    tasks = dict(core_tasks)
    for name, task in with_plugins(GROUP, Task, core_tasks).items():  # type: ignore[type-abstract]
        others = [other for other in tasks.values() if other is not task]
        if any(task.table_name == other.table_name or task.title == other.title for other in others):
            warn(f"The task '{name}' is left out: its table '{task.table_name}' or title '{task.title}' is taken.")
        else:
            tasks[name] = task
    return dict(sorted(tasks.items(), key=lambda item: item[1].reads_run))


def task_of(name: str) -> AnyTask:
    """Return a task by its name."""
    tasks = all_tasks()
    if name not in tasks:
        raise TermgaugeError(f"There is no task '{name}'; there are {', '.join(tasks)}.{did_you_mean(name, tasks)}")
    return tasks[name]


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
