"""Kernels that Numba compiles once, and where the compiled code is kept.

Numba keeps it beside the source. Where that folder is not the user's to write to, it goes into termgauge's cache, and
where that cannot be written either, kernels are compiled in memory each time. While it compiles, progress says so, and
Ctrl-C ends it even in a thread.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
from numba.core import event

from termgauge.io.store import cache_dir, writable
from termgauge.progress import listener_of_process
from termgauge.threads import no_longer_wanted

if TYPE_CHECKING:
    from collections.abc import Callable

    from termgauge.progress import Display

NAMESPACE = "numba"
_PACKAGE = Path(__file__).parent


def _kept() -> bool:
    """Say whether compiled code is kept, and tell Numba where."""
    if numba.config.CACHE_DIR or (writable(_PACKAGE) and writable(_PACKAGE / "__pycache__")):
        return True
    if writable(cache_dir()):
        numba.config.CACHE_DIR = os.fspath(cache_dir() / NAMESPACE)
        return True
    return False


_KEEP = _kept()


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:  # noqa: ANN401
    """Compile a kernel, which runs without the lock of the interpreter."""
    compiled: Callable[[Callable[..., Any]], Any] = numba.njit(nogil=True, cache=_KEEP, **options)
    return compiled


class _Compiling(event.Listener):  # type: ignore[misc]
    """Shows that Numba compiles; one thread at a time does, and a kernel that calls another has that compiled first."""

    def __init__(self) -> None:
        self._kernels = 0
        self._shown: tuple[Display, Any] | None = None

    def on_start(self, _event: event.Event) -> None:
        self._kernels += 1
        if self._kernels == 1 and (listener := listener_of_process()) is not None:
            self._shown = listener, listener.start("Compiling (once)", None, "")

    def on_end(self, _event: event.Event) -> None:
        self._kernels -= 1
        if not self._kernels and self._shown is not None:
            (listener, task), self._shown = self._shown, None
            listener.stop(task)


class _Stopping(event.Listener):  # type: ignore[misc]
    """Ends compilation in a thread of a block that was interrupted, before the next of Numba's many passes."""

    def on_start(self, _event: event.Event) -> None:
        if no_longer_wanted():
            raise KeyboardInterrupt

    def on_end(self, _event: event.Event) -> None:
        pass


event.register("numba:compile", _Compiling())
event.register("numba:run_pass", _Stopping())
