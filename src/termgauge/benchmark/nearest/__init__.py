"""The search for the nearest terms by edit distance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Ints32 = NDArray[np.int32]
Words = NDArray[np.uint64]
"""Bits, 64 at a time."""
Flags = NDArray[np.bool_]
Symbols = NDArray[Any]
"""Letters as whole numbers, of 16 or 32 bits."""
