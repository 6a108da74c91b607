"""The steps of a run, by the names that people see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.tasks.registry import all_tasks

if TYPE_CHECKING:
    from termgauge.engine.tables import Experiment

READ, BUILD, HUMAN, REPORT = "Read terminologies", "Build benchmarks", "Load rated sets", "Report"
PERMISSIONS = "Permissions"
"""A step of plans alone: what the file does that its user should know."""


def step_names(experiment: Experiment, *, report: bool = True) -> list[str]:
    """Return the steps that an experiment has, in order."""
    asked = {each.task.title for each in experiment.task_configs()}
    wanted = {
        READ: bool(experiment.terminology),
        HUMAN: experiment.human is not None,
        BUILD: bool(experiment.benchmark),
        **{task.title: task.title in asked for task in all_tasks().values()},
        REPORT: report,
    }
    return [name for name, there in wanted.items() if there]
