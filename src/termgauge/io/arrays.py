"""Arrays inside what a task measured, compressed in JSON, and arrays in the cache, mapped from the disk by who reads.

>>> from pydantic import TypeAdapter
>>> kept = TypeAdapter(Array).dump_json(np.array([[True, False]]))
>>> TypeAdapter(Array).validate_json(kept)
array([[ True, False]])
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import GetPydanticSchema
from pydantic_core import core_schema

from termgauge.io.identity import sha256_of_value
from termgauge.io.store import cached

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def _packed(array: NDArray[Any]) -> dict[str, Any]:
    data = base64.b85encode(zlib.compress(np.ascontiguousarray(array).tobytes())).decode("ascii")
    return {"dtype": array.dtype.str, "shape": list(array.shape), "data": data}


def _array(value: Any) -> NDArray[Any]:  # noqa: ANN401
    if isinstance(value, np.ndarray):
        return value
    try:
        kind = np.dtype(value["dtype"])
        data = zlib.decompress(base64.b85decode(value["data"]))
        return np.frombuffer(data, kind).reshape(value["shape"]).copy()  # objects are refused
    except (KeyError, TypeError, ValueError, IndexError, zlib.error) as error:
        raise ValueError(f"must be an array ({error})") from None


Array = Annotated[
    NDArray[Any],
    GetPydanticSchema(
        lambda _source, _handler: core_schema.no_info_plain_validator_function(
            _array, serialization=core_schema.plain_serializer_function_ser_schema(_packed)
        )
    ),
]
"""A NumPy array as a field of what a task measured."""

ARRAYS = "arrays"
"""Where the cache has folders of arrays."""


def save_arrays(arrays: Mapping[str, NDArray[Any]]) -> Path:
    """Write arrays into the cache, and return the folder in which they are."""

    def write(folder: Path) -> None:
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array)

    plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    about = [
        (name, array.dtype.str, array.shape, hashlib.sha256(array.data if array.size else b"").hexdigest())
        for name, array in plain.items()
    ]
    return cached(ARRAYS, sha256_of_value(about), write)


def load_arrays(folder: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of a folder, mapped from the disk; what is written to one is not written there."""
    return {path.stem: np.asarray(np.load(path, mmap_mode="c")) for path in sorted(folder.glob("*.npy"))}
