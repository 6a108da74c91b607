"""Matrices in safetensors files, mapped where they lie: a JSON header says where each tensor's bytes are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.embeddings.store.matrix import MappedMatrix, mapped
from termgauge.exceptions import TermgaugeError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

LONGEST_HEADER = 100 << 20
DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "bfloat16", "I64": "<i8", "I32": "<i4", "U8": "|u1"}
_SIZES = {name: 2 if name == "BF16" else np.dtype(dtype).itemsize for name, dtype in DTYPES.items()}
_FLOATS = ("F64", "F32", "F16", "BF16")
_MATRIX_NAMES = ("embeddings", "embedding.weight", "vectors")


@dataclass(frozen=True)
class Tensor:
    """One tensor of a file."""

    dtype: str
    shape: tuple[int, ...]
    start: int


@dataclass(frozen=True)
class Safetensors:
    """The tensors of a file, by name."""

    path: Path
    tensors: Mapping[str, Tensor]

    def matrix(self, name: str = "") -> MappedMatrix:
        """Return a matrix of vectors: the one named, else the one that is there."""
        chosen = self.tensors[self._chosen(name)]
        rows, columns = chosen.shape
        if not rows or not columns:
            raise TermgaugeError(f"{self.path}: holds {rows:,} vectors of {columns:,} numbers; name another file.")
        return MappedMatrix(self.path, (rows, columns), DTYPES[chosen.dtype], chosen.start)

    def array(self, name: str) -> NDArray[Any] | None:
        """Return a tensor of numbers in one dimension, mapped, or None if there is no such tensor."""
        tensor = self.tensors.get(name)
        if tensor is None or len(tensor.shape) != 1 or tensor.dtype == "BF16":
            return None
        return mapped(self.path, DTYPES[tensor.dtype], tensor.shape, tensor.start)

    def _chosen(self, name: str) -> str:
        matrices = [key for key, tensor in self.tensors.items() if len(tensor.shape) == 2 and tensor.dtype in _FLOATS]
        if name and name not in matrices:
            known = ", ".join(matrices) or "none"
            raise TermgaugeError(f"{self.path}: has no matrix '{name}'; it has {known}.{did_you_mean(name, matrices)}")
        for usual in (name, *_MATRIX_NAMES):
            if usual in matrices:
                return usual
        if len(matrices) != 1:
            known = ", ".join(matrices[:10]) or "none"
            raise TermgaugeError(
                f"{self.path}: holds {len(matrices)} matrices ({known}) where one of token vectors is needed; "
                "name it with ?tensor=NAME (a whole transformer is no table of vectors)."
            )
        return matrices[0]


def looks_like_safetensors(head: bytes) -> bool:
    """Say whether a file begins as safetensors files do."""
    return len(head) > 9 and int.from_bytes(head[:8], "little") <= LONGEST_HEADER and head[8:9] == b"{"


def open_safetensors(path: Path) -> Safetensors:
    """Read the header of a file."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= min(LONGEST_HEADER, size - 8):
            raise _damaged(path, "its header is cut off or too long")
        try:
            header: Any = json.loads(file.read(length))
        except (ValueError, RecursionError) as error:
            raise _damaged(path, "its header is no JSON") from error
    if not isinstance(header, dict):
        raise _damaged(path, "its header is no table")
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__" and (tensor := _tensor(entry, 8 + length, size, path, name)):
            tensors[name] = tensor
    return Safetensors(path, tensors)


def _tensor(entry: Any, base: int, size: int, path: Path, name: str) -> Tensor | None:  # noqa: ANN401
    try:
        dtype, shape, (start, stop) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(path, f"its header does not describe '{name}'") from error
    if not all(type(length) is int and length >= 0 for length in (*shape, start, stop)):
        raise _damaged(path, f"its header does not describe '{name}'")
    if not isinstance(dtype, str) or dtype not in _SIZES:
        return None
    if stop - start != prod(shape) * _SIZES[dtype] or base + stop > size:
        raise _damaged(path, f"'{name}' ends at byte {base + stop:,} of {size:,}")
    return Tensor(dtype, shape, base + start)


def _damaged(path: Path, why: str) -> TermgaugeError:
    return TermgaugeError(f"{path}: is no whole safetensors file ({why}); get it again.")
