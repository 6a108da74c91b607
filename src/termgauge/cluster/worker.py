"""What a worker of Dask does with a job: see that it can do it, do it, and answer in plain values.

A worker is one of several on its machine, so that a job has one thread of its own. What a job cannot do for want of
memory or disk is answered, not raised, for another worker may have it.
"""

from __future__ import annotations

import ctypes
import pickle
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from termgauge.cluster.artifacts import missing
from termgauge.exceptions import sentence_of
from termgauge.executor import retry_reason, use_executor
from termgauge.io.identity import version

if TYPE_CHECKING:
    from collections.abc import Iterator

DONE, FAILED, REFUSED, MISSING_INPUT, RETRY_ELSEWHERE = "done", "failed", "refused", "missing input", "retry elsewhere"
LOOKS_SECONDS = 0.5


class NotWantedError(KeyboardInterrupt):
    """Nobody waits for this job any more."""


def perform(sender: str, label: str, job: bytes) -> tuple[str, str, Any, float]:  # noqa: ARG001 - Dask shows the label
    """Do a job; return how it ended, the name of this worker, what that brought, and the seconds it took.

    `sender` is the version of termgauge that sends it: a job of another one is not even read.
    """
    from distributed import get_worker

    worker, began = get_worker(), time.monotonic()
    name = f"{worker.name}" if str(worker.name) == worker.address else f"{worker.name} ({worker.address})"
    if sender != version():
        return REFUSED, name, version(), 0.0
    try:
        status, content = _attempted(worker, job)
    except NotWantedError as error:  # the answer goes nowhere
        status, content = FAILED, pickle.dumps(RuntimeError(str(error)))
    return status, name, content, time.monotonic() - began


def _attempted(worker: Any, job: bytes) -> tuple[str, Any]:  # noqa: ANN401
    import numba

    from termgauge.cluster.dask_executor import DaskExecutor

    threads = numba.get_num_threads()
    try:
        function, values, inputs, shared, holds_gpu = pickle.loads(job)  # noqa: S301 - Dask's own clients send it
        if missing(inputs, shared=shared):
            return MISSING_INPUT, ""
        numba.set_num_threads(1)  # there are as many workers as the machine has cores
        # A job sends jobs of its own to the same cluster, unless it holds a GPU that those might wait for.
        nested = None if holds_gpu else DaskExecutor(None, shared=shared)
        with _ended_when_cancelled(worker), use_executor(nested, worker=True):
            return DONE, pickle.dumps(function(*values))
    except Exception as error:  # noqa: BLE001 - whatever it is, who sent the job is told
        if reason := retry_reason(error):
            return RETRY_ELSEWHERE, reason
        return FAILED, _pickled(error)
    finally:
        numba.set_num_threads(threads)


def _pickled(error: Exception) -> bytes:
    """Return an error in a form that another process can read."""
    try:
        content = pickle.dumps(error)
        if type(pickle.loads(content)) is type(error):  # noqa: S301 - our own bytes
            return content
    except Exception:  # noqa: BLE001, S110 - errors of libraries may hold anything
        pass
    return pickle.dumps(RuntimeError(sentence_of(error)))


@contextmanager
def _ended_when_cancelled(worker: Any) -> Iterator[None]:  # noqa: ANN401
    """Interrupt what this thread does once nobody waits for it: Dask lets a cancelled task that has begun run on."""
    thread, key, ended, lock = threading.get_ident(), worker.get_current_task(), threading.Event(), threading.Lock()

    def watch() -> None:
        while not ended.wait(LOOKS_SECONDS):
            task = worker.state.tasks.get(key)
            if task is None or task.state in ("cancelled", "released", "forgotten"):
                with lock:
                    if not ended.is_set():
                        error = ctypes.py_object(NotWantedError)
                        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)
                return

    threading.Thread(target=watch, daemon=True, name="termgauge-watch").start()
    try:
        yield
    finally:
        with lock:
            ended.set()
