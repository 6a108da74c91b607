"""Sparse rows against sparse columns as a dense table: the compiled kernel of the search by character n-grams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.compiled import njit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Sparse = tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int32]]
    """Values, their columns, and where each row begins, as SciPy has them."""


@njit()
def add_products(rows: Sparse, columns: Sparse, first: int, out: NDArray[np.float64]) -> None:
    """Add up the products of rows from `first` on with all columns, the latter given as rows of the transpose."""
    values, indices, begins = rows
    column_values, column_indices, column_begins = columns
    for row in range(len(out)):
        for at in range(begins[first + row], begins[first + row + 1]):
            value, shared = values[at], indices[at]
            for index in range(column_begins[shared], column_begins[shared + 1]):
                out[row, column_indices[index]] += value * column_values[index]
