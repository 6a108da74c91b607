"""One thread that writes for all requests: what waits while a COMMIT runs shares the next one.

A COMMIT has to wait for the disk. With one for each rating, raters would queue up behind the disk; this way two hundred
of them share a few. A request is answered only after the COMMIT of its own work has returned.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from termgauge.studies.database import BusyError

if TYPE_CHECKING:
    from collections.abc import Callable

    from termgauge.studies.store import Store

T = TypeVar("T")
MOST_AT_ONCE = 256
MOST_WAITING = 4096


class Writer:
    """The thread, and the store that only it writes to."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: queue.SimpleQueue[tuple[Callable[[Store], Any], Future[Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="termgauge-study-writer", daemon=True)
        self._thread.start()

    async def do(self, work: Callable[[Store], T]) -> T:
        """Do some work on the store; when this returns, it is on the disk."""
        if self._waiting.qsize() >= MOST_WAITING:
            raise BusyError(f"{self._store.path}: too many answers wait to be written; try again in a moment.")
        future: Future[T] = Future()
        self._waiting.put((work, future))
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Write what waits, and end."""
        self._waiting.put(None)
        self._thread.join()
        self._store.close()

    def _write(self) -> None:
        going = True
        while going:
            batch = [self._waiting.get()]
            while len(batch) < MOST_AT_ONCE and batch[-1] is not None:
                try:
                    batch.append(self._waiting.get_nowait())
                except queue.Empty:
                    break
            going = batch[-1] is not None
            self._write_together([each for each in batch if each is not None])

    def _write_together(self, batch: list[tuple[Callable[[Store], Any], Future[Any]]]) -> None:
        wanted = [(work, future) for work, future in batch if future.set_running_or_notify_cancel()]
        if not wanted:
            return
        try:
            results = self._store.together([partial(work, self._store) for work, _future in wanted])
        except Exception as error:  # noqa: BLE001 - whoever asked is told; the thread goes on
            for _work, future in wanted:
                future.set_exception(error)
            return
        for (_work, future), result in zip(wanted, results, strict=True):
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(result)
