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
from dataclasses import replace
from multiprocessing import get_context, parent_process
from typing import TYPE_CHECKING, Any

from termgauge.cluster.machine import THREAD_VARIABLES, cores
from termgauge.engine.remote import Sender, do_there
from termgauge.engine.run_folder import Failure
from termgauge.engine.units import Outcome, Unit, Work, do
from termgauge.exceptions import CannotWriteError, sentence_of
from termgauge.executor import current_executor
from termgauge.progress import track
from termgauge.tasks.registry import task_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    from termgauge.embeddings.model import Model
    from termgauge.engine.remote import Returned
    from termgauge.engine.units import BoundTask
    from termgauge.executor import JobExecutor, JobResult

WAKES_SECONDS = 0.2


def one_by_one(here: BoundTask, units: Sequence[Unit], openers: Mapping[str, Callable[[], Model]]) -> list[Outcome]:
    """Do the units of a table in this process."""
    done = []
    with track(here.step.capitalize(), total=len(units), unit="models") as advance:
        for unit in units:
            done.append(here.attempt(unit.model, openers[unit.model], unit.parts))
            advance(1)
    return done


def shared_out(work: Work, units: Sequence[Unit], jobs: int, executor: Executor | None = None) -> list[Outcome]:
    """Do the units of a table several at once.

    They go to the executor, if there is one; to an executor, whose workers see the same files; or to processes. Each
    part of a model is a unit of its own. Returns what became of them, in order.
    """
    single = [Unit(unit.model, (part,)) for unit in units for part in unit.parts]
    if (place := current_executor()) is not None:
        return _at(place, work, single)
    if executor is not None:
        return _by(executor, work, single)
    with _processes(max(1, min(jobs, len(single)))) as pool:
        return _by(pool, work, single)


def _at(place: JobExecutor, work: Work, units: Sequence[Unit]) -> list[Outcome]:
    task, sender = task_of(work.task), Sender(work, place)
    gpu = task.on_gpu(task.options.model_validate_json(work.options))
    done: dict[int, Outcome] = {}
    with track(work.title.capitalize(), total=len(units), unit=task.parts_called or "models") as advance:
        blocks = map(sender.block, units)
        for each in place.map(do_there, blocks, label=work.title, inputs=lambda *block: block[2].artifacts, gpu=gpu):
            done[each.number] = _returned(each, work, units[each.number])
            advance(1)
    return [done[number] for number in range(len(units))]


def _returned(done: JobResult[Returned], work: Work, unit: Unit) -> Outcome:
    """Return what became of a unit of a cluster; one that is given up costs itself alone."""
    if done.error is None:
        outcome = done.result().unpacked(work.run)
    else:
        outcome = Outcome(unit.model, failure=Failure(step=work.title, reason=sentence_of(done.error)))
    return replace(outcome, parts=unit.parts, worker=done.worker, seconds=done.seconds, tries=done.tries)


def _by(executor: Executor, work: Work, units: Sequence[Unit]) -> list[Outcome]:
    done: dict[Unit, Outcome] = {}
    with track(work.title.capitalize(), total=len(units), unit=task_of(work.task).parts_called or "models") as advance:
        futures: dict[Future[Outcome], Unit] = {}
        try:
            for unit in units:
                futures[executor.submit(do, work, unit)] = unit
            for future in _as_completed(futures):
                done[futures[future]] = _outcome(future, work, futures[future].model)
                advance(1)
        except BrokenExecutor:  # one process died, and with it all that was under way
            for unit in units:
                if unit not in done:
                    done[unit] = _alone(work, unit)
                    advance(1)
        finally:
            for future in futures:
                future.cancel()
    return [done[unit] for unit in units]


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


def _alone(work: Work, unit: Unit) -> Outcome:
    """Do a unit in a process that may die."""
    with _processes(1) as pool:
        try:
            (future,) = _as_completed([pool.submit(do, work, unit)])
            return _outcome(future, work, unit.model)
        except BrokenExecutor:
            reason = "Its process was killed, perhaps for lack of memory; free some, or use --jobs 1."
            return Outcome(unit.model, failure=Failure(step=work.title, reason=reason))


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
