"""Vectors scaled to length 1, for all that compares them outside the compiled kernels of `termgauge.similarity`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_Number = TypeVar("_Number", np.float32, np.float64)
_EASY = {np.float32: (1e-15, 1e15), np.float64: (1e-140, 1e140)}
"""Lengths whose squares each precision holds well."""


def unit_vectors(vectors: ArrayLike, precision: type[_Number], *, zeros: float = np.nan) -> NDArray[_Number]:
    """Return the rows of a table scaled to length 1, computed and returned in single or double precision.

    `zeros` stands in place of each number of a vector of zeros, which has no direction. A vector with something that is
    no finite number becomes NaN.
    """
    rows: NDArray[Any] = np.asarray(vectors, precision)
    copy = not np.may_share_memory(rows, vectors) if isinstance(vectors, np.ndarray) else True  # may be overwritten
    least, most = _EASY[precision]
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(rows, axis=1)
        hard = np.flatnonzero(~((lengths > least) & (lengths < most)))
        # Divided by their greatest entries first, so that the square of no entry overflows or vanishes.
        greatest = np.abs(rows[hard]).max(axis=1, keepdims=True, initial=0)
        scaled = rows[hard] / np.where(np.isfinite(greatest), greatest, np.nan)
        units: NDArray[_Number] = np.divide(rows, lengths[:, None], out=rows if copy else None)
        units[hard] = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
        units[hard[greatest[:, 0] == 0]] = zeros
    return units
