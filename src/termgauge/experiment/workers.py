"""Units of work done here, in processes of their own with a share of the cores each, or by any executor.

One unit at a time is the rule, for the kernels and encoders use all cores by themselves. A process that dies takes
only its own unit with it: the others are done again, one by one. An interruption ends all of them at once.
"""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from typing import TYPE_CHECKING, Any

from termgauge.exceptions import CannotWriteError, sentence_of
from termgauge.experiment.record import Failure
from termgauge.experiment.units import Outcome, Work, do
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    from termgauge.embeddings.model import Model
    from termgauge.experiment.units import Prepared

THREAD_VARIABLES = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS")
WAKES_SECONDS = 0.2


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def one_by_one(here: Prepared, models: Sequence[str], openers: Mapping[str, Callable[[], Model]]) -> list[Outcome]:
    """Do the units of a table in this process."""
    done = []
    with track(here.step.capitalize(), total=len(models), unit="models") as advance:
        for model in models:
            done.append(here.attempt(model, openers[model]))
            advance(1)
    return done


def shared_out(work: Work, models: Sequence[str], jobs: int, executor: Executor | None = None) -> list[Outcome]:
    """Do the units of a table several at once, in processes or by an executor whose workers see the same files.

    Returns what became of them, in the order of the models.
    """
    if executor is not None:
        return _by(executor, work, models)
    with _processes(max(1, min(jobs, len(models)))) as pool:
        return _by(pool, work, models)


def _by(executor: Executor, work: Work, models: Sequence[str]) -> list[Outcome]:
    done: dict[str, Outcome] = {}
    with track(work.title.capitalize(), total=len(models), unit="models") as advance:
        futures: dict[Future[Outcome], str] = {}
        try:
            for model in models:
                futures[executor.submit(do, work, model)] = model
            for future in _as_completed(futures):
                done[futures[future]] = _outcome(future, work, futures[future])
                advance(1)
        except BrokenExecutor:  # one process died, and with it all that was under way
            for model in models:
                if model not in done:
                    done[model] = _alone(work, model)
                    advance(1)
        finally:
            for future in futures:
                future.cancel()
    return [done[model] for model in models]


def _outcome(future: Future[Outcome], work: Work, model: str) -> Outcome:
    """Return what became of a unit; one whose outcome does not reach this process costs itself alone."""
    try:
        return future.result()
    except (BrokenExecutor, CancelledError, CannotWriteError):
        raise
    except Exception as error:  # noqa: BLE001 - a defect, too, which the sentence says
        return Outcome(model, failure=Failure(step=work.title, reason=sentence_of(error)))


def _as_completed(futures: Iterable[Future[Outcome]]) -> Iterator[Future[Outcome]]:
    """Yield futures as they are done.

    Now and then it wakes up to be interrupted: once Polars has worked, a signal no longer wakes who waits for a lock.
    """
    left = set(futures)
    while left:
        done, left = wait(left, timeout=WAKES_SECONDS, return_when=FIRST_COMPLETED)
        yield from done


def _alone(work: Work, model: str) -> Outcome:
    """Do a unit in a process that may die."""
    with _processes(1) as pool:
        try:
            (future,) = _as_completed([pool.submit(do, work, model)])
            return _outcome(future, work, model)
        except BrokenExecutor:
            reason = "Its process was killed, perhaps for lack of memory; free some, or use --jobs 1."
            return Outcome(model, failure=Failure(step=work.title, reason=reason))


@contextmanager
def _processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Give processes that share the cores among them."""
    share = str(max(1, cores() // workers))
    former = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, share))  # libraries read them when they are first imported
    try:
        # Not forked: threads of kernels and encoders do not survive that.
        with _Pool(workers, mp_context=get_context("spawn"), initializer=_end_with_parent) as pool:
            try:
                yield pool
            except KeyboardInterrupt:
                pool.kill()
                raise
    finally:
        for name, value in former.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class _Pool(ProcessPoolExecutor):
    """Processes that leave interruptions to the one that started them, which then ends them at once.

    What they write is whole or not at all, so nothing is lost but the units under way.
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401
        with _uninterrupted():  # processes are started here, and what is blocked now is blocked in them for good
            return super().submit(fn, *args, **kwargs)

    def kill(self) -> None:
        """End all processes, whatever they do."""
        for process in list((self._processes or {}).values()):
            process.kill()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let an interruption wait until the block has ended."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows, where a console interrupts all its processes
        yield
        return
    former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)


def _end_with_parent() -> None:
    """End this process when the one that started it is killed; it would otherwise wait for work forever."""
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
