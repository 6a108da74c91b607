"""What worker processes of tests load first: it lets happen to jobs what the plan says."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

from termgauge.cluster import dask_executor as worker
from termgauge.executor import retry_reason

PLAN = Path(os.environ["TERMGAUGE_TEST_PLAN"])
_plain = getattr(worker.perform, "plain", worker.perform)  # Dask may load this twice


def perform(sender, label, job):
    """Do a job, unless something is to happen to it; of each mark only one worker can take hold."""
    kind = label.split()[0]
    for mark in sorted(PLAN.glob(f"{kind}.*")):
        _kind, what, number = mark.name.split(".")
        if number.startswith("done"):
            continue
        if what == "die_if_there":  # once all that it reads is here
            _plain(sender, label, job)
        try:
            mark.rename(mark.with_name(f"{mark.name.rpartition('.')[0]}.done-{number}"))
        except FileNotFoundError:
            continue
        if what == "kill":
            threading.Thread(target=_die, args=(0.3,), daemon=True).start()
            _plain(sender, label, job)
            time.sleep(60)
        if what == "die_if_there":
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGKILL)
        if what == "error":
            raise RuntimeError("no worker can read this")
        if what == "hang":
            time.sleep(3600)
        if what == "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        if what in ("memory", "disk"):
            error = MemoryError() if what == "memory" else OSError(28, "No space left on device")
            raise worker.UnfitWorkerError(worker.TOO_SMALL, address(), retry_reason(error))
    return _plain(sender, label, job)


def address():
    from distributed import get_worker

    return get_worker().address


def _die(after: float) -> None:
    time.sleep(after)
    os.kill(os.getpid(), signal.SIGKILL)


worker.perform = perform
perform.plain = _plain
perform.__module__, perform.__qualname__ = "termgauge.cluster.dask_executor", "perform"
