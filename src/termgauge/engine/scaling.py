"""How long units take that workers share: the longest first, each to the worker that is free first.

>>> shared_seconds([4.0, 3.0, 3.0, 2.0], 2)
6.0
>>> shared_seconds([4.0, 3.0], 64)
4.0
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MEASURED_CORES = 2
"""What the plan says of a unit was measured with so many; a worker has one."""


def shared_seconds(units: Iterable[float], workers: int) -> float:
    """Return about how long workers take for units, if nothing but their number holds them up."""
    free = [0.0] * workers
    for seconds in sorted(units, reverse=True):
        heapq.heapreplace(free, free[0] + seconds)
    return max(free)
