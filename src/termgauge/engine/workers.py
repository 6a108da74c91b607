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

from termgauge.embeddings.sending import device_of
from termgauge.engine.remote import UnitSender, do_unit, write_files
from termgauge.engine.run_folder import Failure
from termgauge.engine.units import Outcome, Unit, Work, do
from termgauge.exceptions import CannotWriteError, sentence_of
from termgauge.executor import THREAD_VARIABLES, cores, current_executor, require_devices
from termgauge.progress import track
from termgauge.tasks.registry import task_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    from termgauge.embeddings.model import Model
    from termgauge.engine.units import BoundTask
    from termgauge.executor import JobExecutor

WAKES_SECONDS = 0.2
"""Who waits wakes up so often to be interrupted: once Polars has worked, a signal wakes nobody who waits for a lock."""
_KILLED = "Its process was killed, perhaps for lack of memory; free some, or use --jobs 1."


def one_by_one(here: BoundTask, units: Sequence[Unit], openers: Mapping[str, Callable[[], Model]]) -> list[Outcome]:
    """Do the units of a table in this process."""
    done = []
    with track(here.step.capitalize(), total=len(units), unit="models") as advance:
        for unit in units:
            done.append(here.attempt(unit.model, openers[unit.model], unit.parts))
            advance(1)
    return done


def shared_out(work: Work, units: Sequence[Unit], jobs: int, pool: Executor | None = None) -> list[Outcome]:
    """Do the units of a table several at once, each part of a model as a unit of its own, and return them in order.

    They go to the cluster, if there is one; to a pool, whose workers see the same files; or to processes.
    """
    single = [Unit(unit.model, (part,)) for unit in units for part in unit.parts]
    done: dict[int, Outcome] = {}
    with track(work.title.capitalize(), len(single), task_of(work.task).parts_called or "models") as advance:
        cluster = current_executor()
        for at, outcome in _on_cluster(cluster, work, single) if cluster else _in_pool(pool, work, single, jobs):
            done[at] = outcome
            advance(1)
    return [done[at] for at in range(len(single))]


def _on_cluster(executor: JobExecutor, work: Work, units: Sequence[Unit]) -> Iterator[tuple[int, Outcome]]:
    task, sender = task_of(work.task), UnitSender(work, executor)
    options = task.options.model_validate_json(work.options)
    require_devices([getattr(options, "device", ""), *(device_of(spec) for _name, spec in work.specs)])
    jobs, gpu = map(sender.job, units), task.on_gpu(options)
    for done in executor.map(do_unit, jobs, label=work.title, inputs=lambda *job: job[2].artifacts, gpu=gpu):
        unit = units[done.number]
        if done.error is None:
            outcome, files = done.result()
            write_files(work.run, files)
        else:  # a unit that is given up costs itself alone
            outcome = _failed(work, unit, sentence_of(done.error))
        yield (
            done.number,
            replace(outcome, parts=unit.parts, worker=done.worker, seconds=done.seconds, tries=done.tries),
        )


def _failed(work: Work, unit: Unit, reason: str) -> Outcome:
    return Outcome(unit.model, failure=Failure(step=work.title, reason=reason))


def _in_pool(
    pool: Executor | None, work: Work, units: Sequence[Unit], processes: int = 0
) -> Iterator[tuple[int, Outcome]]:
    if pool is None:
        with _processes(max(1, min(processes, len(units)))) as own:
            yield from _in_pool(own, work, units)
        return
    futures: dict[Future[Outcome], int] = {}
    left = set(range(len(units)))
    try:
        for at, unit in enumerate(units):
            futures[pool.submit(do, work, unit)] = at
        for future in _as_completed(set(futures)):
            outcome = _outcome(future, work, units[futures[future]])
            left.remove(futures[future])
            yield futures[future], outcome
    except BrokenExecutor:  # one process died, and with it all that was under way
        for at in sorted(left):
            with _processes(1) as own:
                try:
                    (future,) = _as_completed({own.submit(do, work, units[at])})
                    outcome = _outcome(future, work, units[at])
                except BrokenExecutor:
                    outcome = _failed(work, units[at], _KILLED)
            yield at, outcome
    finally:
        for future in futures:
            future.cancel()


def _outcome(future: Future[Outcome], work: Work, unit: Unit) -> Outcome:
    """Return what became of a unit; one whose outcome does not reach this process costs itself alone."""
    try:
        return future.result()
    except (BrokenExecutor, CancelledError, CannotWriteError):
        raise
    except Exception as error:  # noqa: BLE001 - a defect, too, which the sentence says
        return _failed(work, unit, sentence_of(error))


def _as_completed(left: set[Future[Outcome]]) -> Iterator[Future[Outcome]]:
    while left:
        done, left = wait(left, timeout=WAKES_SECONDS, return_when=FIRST_COMPLETED)
        yield from done


@contextmanager
def _processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Give processes that share the cores among them."""
    former = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    # Libraries read them when they are first imported.
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(max(1, cores() // workers))))
    try:
        # Not forked: threads of kernels and encoders do not survive that.
        with _Pool(workers, mp_context=get_context("spawn"), initializer=_end_with_parent) as pool:
            try:
                yield pool
            except KeyboardInterrupt:  # what they write is whole or not at all
                for process in list((pool._processes or {}).values()):  # noqa: SLF001
                    process.kill()
                raise
    finally:
        for name, value in former.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


class _Pool(ProcessPoolExecutor):
    """Processes that leave interruptions to the one that started them, which then ends them at once."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401
        if not hasattr(signal, "pthread_sigmask"):  # Windows, where a console interrupts all its processes
            return super().submit(fn, *args, **kwargs)
        # Processes are started here, and what is blocked now is blocked in them for good.
        former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
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
