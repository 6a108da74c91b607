"""Work that takes too long for a request: done in a thread, kept until something changes, and not done all the time."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
SHARE_OF_TIME, LONGEST_REST = 0.1, 60.0
"""So much of the time may go into the work: where it takes long, its result is renewed more rarely, but it is."""


class Kept(Generic[T]):
    """The last result of some work, and of which state of things it is."""

    def __init__(self) -> None:
        self._result: T | None = None
        self._of: object = None
        self._task: asyncio.Task[None] | None = None
        self._rests_until = 0.0

    @property
    def is_renewed(self) -> bool:
        """Whether the work goes on at the moment, so that another result comes soon."""
        return self._task is not None

    async def look(self, state: object, work: Callable[[], T], *, patience: float | None = None) -> T | None:
        """Return the result, made anew if the state of things is another one.

        Parameters
        ----------
        state
            What the result depends on.
        work
            Makes the result; called in a thread, one at a time.
        patience
            Seconds to wait for it; after that the former result is returned, None if there was none, and the work
            goes on. Without it, as long as it takes.
        """
        if self._task is None and state != self._of and time.monotonic() >= self._rests_until:
            self._task = asyncio.create_task(self._make(state, work))
        if self._task is not None:
            task = self._task
            await asyncio.wait({task}, timeout=patience)
            if task.done():
                self._task = None
                task.result()
        return self._result

    async def _make(self, state: object, work: Callable[[], T]) -> None:
        begun = time.monotonic()
        try:
            self._result = await asyncio.to_thread(work)
            self._of = state
        finally:
            took = time.monotonic() - begun
            self._rests_until = time.monotonic() + min(took * (1 / SHARE_OF_TIME - 1), LONGEST_REST)
