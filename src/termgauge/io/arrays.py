"""Arrays inside what a task measured: in JSON they are compressed, and come back as they were.

>>> from pydantic import TypeAdapter
>>> kept = TypeAdapter(Array).dump_json(np.array([[True, False]]))
>>> TypeAdapter(Array).validate_json(kept)
array([[ True, False]])
"""

from __future__ import annotations

import base64
import zlib
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import GetPydanticSchema
from pydantic_core import core_schema


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
