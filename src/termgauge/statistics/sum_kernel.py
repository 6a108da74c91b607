"""Sums over resamples, compiled: item by item in the order in which they were drawn, so that rounding never differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

SUM_NANOSECONDS = 1.0
"""About, for an item that is drawn and a column."""


def resampled_sums(arrays: Mapping[str, NDArray[Any]], drawn: NDArray[np.int64]) -> NDArray[Any]:
    """Return the sum of the rows of all items drawn in each resample; ``rows`` are whole numbers or not.

    Examples
    --------
    >>> resampled_sums({"rows": np.array([[1, 10], [2, 20]])}, np.array([[0, 0], [0, 1]])).tolist()
    [[2, 20], [3, 30]]
    """
    rows = arrays["rows"]
    sums = np.zeros((len(drawn), rows.shape[1]), np.int64 if rows.dtype.kind == "i" else np.float64)
    _add_rows(rows, drawn, sums)
    return sums


@njit()
def _add_rows(rows: NDArray[Any], drawn: NDArray[np.int64], sums: NDArray[Any]) -> None:  # pragma: no cover - compiled
    for resample in range(len(drawn)):
        into = sums[resample]
        for place in range(drawn.shape[1]):
            row = rows[drawn[resample, place]]
            for column in range(rows.shape[1]):
                into[column] += row[column]
