"""What the tasks of a run found, for those that read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from termgauge.tasks.registry import all_tasks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.tasks.contract import AnyTask
    from termgauge.tasks.records import RunView
    from termgauge.tasks.results import Result


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
