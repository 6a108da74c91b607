"""Do tests keep their level, and do intervals hold the true value? Simulations of what the documentation claims."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Case = TypeVar("Case")
Found = TypeVar("Found")


def simulated(
    simulate: Callable[[Case, int], Found], cases: Sequence[Case], repeats: Sequence[int]
) -> Iterator[tuple[Case, Found]]:
    """Yield each case with what came out, in their order; all processors work on them."""
    workers = min(len(cases), os.cpu_count() or 1)
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        yield from zip(cases, pool.map(simulate, cases, repeats), strict=True)
