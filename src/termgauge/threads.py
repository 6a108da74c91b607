"""Threads that share the work of this process: all are made here, so that Ctrl-C stops what they do.

Python waits for the threads of a pool before it hands on an exception. Nothing that waits there is begun any more, and
what takes long may ask :func:`no_longer_wanted` now and then.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_thread = threading.local()
THREAD_VARIABLES = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS")
"""What libraries read, when they are first imported, to know how many threads they may use."""


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ThreadPool(ThreadPoolExecutor):
    """Some threads; if the block that has them fails or is interrupted, only what they have begun is finished."""

    def __init__(self, threads: int, name: str = "termgauge") -> None:
        self._stopped = threading.Event()
        if hasattr(signal, "siginterrupt"):  # Polars has signals go on with what they interrupt, which is to wait here
            signal.siginterrupt(signal.SIGINT, True)
        super().__init__(threads, name, initializer=setattr, initargs=(_thread, "stopped", self._stopped))

    def map_ahead(self, function: Callable[[_Item], _Result], items: Iterable[_Item], ahead: int) -> Iterator[_Result]:
        """Yield what a function returns for each item, in order; only so many items are taken in advance."""
        begun: deque[Future[_Result]] = deque()
        for item in items:
            begun.append(self.submit(function, item))
            if len(begun) > ahead:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()

    def __exit__(self, kind: type[BaseException] | None, *_rest: object) -> None:
        """End the threads when they have done their work, or what they have begun of it."""
        if kind is not None:
            self._stopped.set()
        self.shutdown(cancel_futures=kind is not None)


def no_longer_wanted() -> bool:
    """Say whether this thread works for a block that was left by an exception."""
    stopped: threading.Event | None = getattr(_thread, "stopped", None)
    return stopped is not None and stopped.is_set()
