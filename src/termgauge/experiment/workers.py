"""Scoring several models at once, each in a process of its own with its share of the cores.

One model at a time is the rule, for the kernels and encoders use all cores by themselves. A process that dies takes
only its own model with it: the others are scored again, one by one.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from typing import TYPE_CHECKING

from termgauge.experiment.scoring_task import SCORING, Failure, ScoredModel, ScoringTask, score_model
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Executor

THREAD_VARIABLES = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS")


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def scored_models(tasks: Sequence[ScoringTask], jobs: int = 1, executor: Executor | None = None) -> list[ScoredModel]:
    """Do scoring tasks.

    Parameters
    ----------
    tasks
        The tasks.
    jobs
        How many are done at once.
    executor
        Who does them instead; its workers must see the same files.

    Returns
    -------
    list
        What became of them, in their order.

    Raises
    ------
    CannotWriteError
        If the run folder or the cache cannot be written.
    """
    if executor is not None:
        return _shared_out(tasks, executor)
    workers = min(jobs, len(tasks))
    if workers <= 1:
        return [score_model(task) for task in tasks]
    with _processes(workers) as pool:
        return _shared_out(tasks, pool)


def _shared_out(tasks: Sequence[ScoringTask], executor: Executor) -> list[ScoredModel]:
    found: dict[str, ScoredModel] = {}
    with track("Scoring", total=len(tasks), unit="models") as advance:
        futures: dict[Future[ScoredModel], ScoringTask] = {}
        try:
            for task in tasks:
                futures[executor.submit(score_model, task)] = task
            for done in as_completed(futures):
                found[futures[done].name] = done.result()
                advance(1)
        except BrokenExecutor:  # one process died, and with it all that was under way
            for task in tasks:
                if task.name not in found:
                    found[task.name] = _alone(task)
                    advance(1)
        finally:
            for future in futures:
                future.cancel()
    return [found[task.name] for task in tasks]


def _alone(task: ScoringTask) -> ScoredModel:
    """Do a task in a process that may die."""
    with _processes(1) as pool:
        try:
            return pool.submit(score_model, task).result()
        except BrokenExecutor:
            reason = "Its process was killed, perhaps for lack of memory; free some, or use --jobs 1."
            return ScoredModel(task.name, None, failure=Failure(SCORING, reason))


@contextmanager
def _processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Give processes that share the cores among them."""
    share = str(max(1, cores() // workers))
    former = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, share))  # libraries read them when they are first imported
    try:
        # Not forked: threads of kernels and encoders do not survive that.
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_end_with_parent) as pool:
            yield pool
    finally:
        for name, value in former.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _end_with_parent() -> None:
    """End this process when the one that started it is killed; it would otherwise wait for work forever."""
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
