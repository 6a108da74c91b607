"""Kernels that Numba compiles once, and where the compiled code is kept.

Numba keeps it beside the source. Where that folder is not the user's to write to, it goes into termgauge's cache, and
where that cannot be written either, kernels are compiled in memory each time.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba

from termgauge.io.cache import cache_dir, writable

if TYPE_CHECKING:
    from collections.abc import Callable

SHELF = "numba"
_PACKAGE = Path(__file__).parent


def _kept() -> bool:
    """Say whether compiled code is kept, and tell Numba where."""
    if numba.config.CACHE_DIR or (writable(_PACKAGE) and writable(_PACKAGE / "__pycache__")):
        return True
    if writable(cache_dir()):
        numba.config.CACHE_DIR = os.fspath(cache_dir() / SHELF)
        return True
    return False


_KEEP = _kept()


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:  # noqa: ANN401
    """Compile a kernel, which runs without the lock of the interpreter."""
    compiled: Callable[[Callable[..., Any]], Any] = numba.njit(nogil=True, cache=_KEEP, **options)
    return compiled
