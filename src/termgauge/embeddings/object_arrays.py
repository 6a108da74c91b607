"""Arrays out of whatever other libraries hand over: lists, NumPy, torch tensors on any device, arrays of a GPU."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def as_matrix(given: Any) -> NDArray[np.floating]:  # noqa: ANN401
    """Return rows of numbers as a matrix, without a copy where none is needed.

    Raises
    ------
    ValueError
        If they are none; it says in a few words what was given instead.

    Examples
    --------
    >>> as_matrix([[1, 2], [3, 4]]).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    >>> as_matrix([[1, 2], [3]])
    Traceback (most recent call last):
    ValueError: rows of different lengths
    """
    if isinstance(given, str | bytes | Mapping) or given is None:
        raise ValueError(_called(given))
    plain = as_array(given)
    if plain is None:
        if not isinstance(given, Iterable):
            raise ValueError(_called(given))
        rows = [row if (array := as_array(row)) is None else array for row in given]
        try:
            plain = np.asarray(rows)
        except (ValueError, TypeError):
            raise ValueError("rows of different lengths") from None
    if plain.dtype.kind not in "fiub":
        raise ValueError("rows of something that is no number")
    if plain.ndim != 2 or not plain.shape[1]:
        raise ValueError(f"an array of the shape {plain.shape}")
    return plain if plain.dtype.kind == "f" else plain.astype(np.float32)


def as_array(given: Any) -> NDArray[Any] | None:  # noqa: ANN401
    """Return an array of any library as NumPy's; None for what is no array."""
    if isinstance(given, np.ndarray):
        return given
    if hasattr(given, "detach") and hasattr(given, "cpu"):  # torch; NumPy has no bfloat16
        tensor = given.detach().cpu()
        return np.asarray((tensor.float() if tensor.is_floating_point() else tensor).numpy())
    if hasattr(given, "__cuda_array_interface__") and hasattr(given, "get"):  # CuPy
        return np.asarray(given.get())
    return np.asarray(given) if hasattr(given, "__array__") else None


def _called(given: object) -> str:
    return "nothing" if given is None else f"an object of the type {type(given).__name__}"
