"""Matrices whose words lie beside them: NumPy and safetensors files."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from io import BytesIO
from math import prod
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from termgauge.embeddings.spec import single
from termgauge.embeddings.store.vectors import BLOCK_BYTES, Block, MappedMatrix, VectorStream, mapped
from termgauge.embeddings.store.vocabulary import PackedWords
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.io.decoding import parsed_json
from termgauge.io.parquet_sandbox import read_contained
from termgauge.io.paths import expanded
from termgauge.io.source import SourceFile, files_of
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

MAGIC = b"\x93NUMPY"
_LONGEST_HEADER = 1 << 16
_WORD_LISTS = (".txt", ".vocab", ".words", ".json", ".parquet")
_NAMES = ("words", "vocab", "vocabulary", "index", "tokens")


def matrix_and_words(location: Path, words: str) -> tuple[SourceFile, SourceFile]:
    """Find the matrix, in a file, folder or zip archive, and the word list, which the user may have named."""
    files = files_of(location)
    matrices = [file for file in files if file.name.lower().endswith(".npy")]
    matrix = single(matrices, location, ".npy files", "; name the file itself")
    if words:
        beside = (location.parent if location.is_file() else location) / words
        return matrix, files_of(beside if beside.is_file() else expanded(words))[0]
    around = files if len(files) > 1 else files_of(location.parent)
    return matrix, _word_list(matrix, around, location)


def _word_list(matrix: SourceFile, around: Sequence[SourceFile], location: Path) -> SourceFile:
    lists = [file for file in around if file.name.lower().endswith(_WORD_LISTS) and "/" not in file.name]
    stem = PurePosixPath(matrix.base).stem
    for fits in (
        [file for file in lists if file.base.startswith(f"{stem}.")],
        [file for file in lists if PurePosixPath(file.base).stem in _NAMES],
        lists,
    ):
        if len(fits) == 1:
            return fits[0]
    raise TermgaugeError(
        f"{location}: has {len(lists)} files beside it that could be the list of its words; "
        "name it with ?words=FILE (text with a word a line, JSON or Parquet)."
    )


def read_numpy(matrix: SourceFile, words: SourceFile) -> VectorStream:
    """Read a matrix and its words."""
    packed = read_words(words)
    header = _header(matrix)
    shape = header.shape
    if len(packed) != shape[0]:
        raise TermgaugeError(
            f"{words.label}: has {len(packed):,} words but {matrix.label} has {shape[0]:,} rows; "
            "give the list that belongs to it."
        )
    mapped = None
    if matrix.member is not None or matrix.path.suffix.lower() != ".npy":
        rows = _streamed(matrix, header)
    elif header.by_columns:
        rows = _turned(matrix, header)
    else:
        mapped = MappedMatrix(matrix.path, shape, header.dtype.str, header.start)
        rows = (block for _, block in mapped.blocks())
    return VectorStream(matrix.label, shape[1], _blocks(matrix.base, packed, rows), shape[0], "row", mapped)


def read_words(file: SourceFile) -> PackedWords:
    """Read a list of words: one a line, a JSON list or table of positions, or the text column of a Parquet file."""
    suffix = PurePosixPath(file.base).suffix.lower()
    if suffix == ".parquet":
        return PackedWords.from_words(_parquet_words(file))
    data = file.read()
    if suffix == ".json":
        return PackedWords.from_words(_json_words(data, file))
    lines = data.split(b"\n")  # and at nothing else: words may hold any other character
    if lines and not lines[-1]:
        lines.pop()
    return PackedWords.from_words(line.removesuffix(b"\r") for line in lines)


def _parquet_words(file: SourceFile) -> list[str]:
    import polars as pl

    frame = read_contained(file.read(), file.label).frame
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    if len(texts) != 1:
        raise TermgaugeError(f"{file.label}: has {len(texts)} columns of text; the list of words must have one.")
    return [word or "" for word in frame[texts[0]].to_list()]


def _json_words(data: bytes, file: SourceFile) -> list[str]:
    value = parsed_json(data, file.label)
    if isinstance(value, dict) and sorted(map(repr, value.values())) == sorted(map(repr, range(len(value)))):
        value = sorted(value, key=value.__getitem__)
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise TermgaugeError(
            f"{file.label}: is neither a list of words nor a table from each word to its row, counted from 0."
        )
    return value


class _Header(NamedTuple):
    shape: tuple[int, int]
    by_columns: bool
    dtype: np.dtype[Any]
    start: int
    """Where the numbers begin."""

    def runs(self) -> Iterator[tuple[int, int]]:
        """Cut the rows into runs of some bytes: the first row of each, and how many there are."""
        count, width = self.shape
        step = max(1, BLOCK_BYTES // (width * self.dtype.itemsize))
        return ((first, min(step, count - first)) for first in range(0, count, step))


def _header(file: SourceFile) -> _Header:
    head = BytesIO(file.head(_LONGEST_HEADER))
    try:
        with warnings.catch_warnings():  # of headers that Python 2 wrote
            warnings.simplefilter("ignore")
            version = np.lib.format.read_magic(head)
            read = np.lib.format.read_array_header_2_0 if version[0] > 1 else np.lib.format.read_array_header_1_0
            shape, by_columns, dtype = read(head)
    except Exception as error:  # a header is a Python literal, with all that can be wrong with one
        raise TermgaugeError(f"{file.label}: is no .npy file with one matrix in it; give one that is.") from error
    if len(shape) != 2 or min(shape) < 1 or dtype.kind != "f" or dtype.itemsize > 8:
        form = ", ".join(map(str, shape))
        raise TermgaugeError(
            f"{file.label}: holds an array of type {dtype.str} with shape ({form}); "
            "a matrix of floating point numbers is needed."
        )
    return _Header((shape[0], shape[1]), by_columns, dtype, head.tell())


def _blocks(name: str, words: PackedWords, rows: Iterable[NDArray[np.float32]]) -> Iterator[Block]:
    first = 0
    with track(f"Reading {name}", total=len(words), unit="vectors") as advance:
        for block in rows:
            last = first + len(block)
            yield Block(words.part(first, last), block, np.arange(first + 1, last + 1))
            advance(len(block))
            first = last


def _streamed(file: SourceFile, header: _Header) -> Iterator[NDArray[np.float32]]:
    if header.by_columns:
        raise TermgaugeError(f"{file.label}: is compressed and stored column after column; unpack it first.")
    row_bytes = header.shape[1] * header.dtype.itemsize
    with file.open() as stream:
        stream.read(header.start)
        for first, rows in header.runs():
            data = stream.read(rows * row_bytes)
            if len(data) < rows * row_bytes:
                raise _cut_off(file, first + len(data) // row_bytes)
            with np.errstate(over="ignore"):
                yield np.frombuffer(data, header.dtype).reshape(rows, -1).astype(np.float32)


def _turned(file: SourceFile, header: _Header) -> Iterator[NDArray[np.float32]]:
    """Read rows out of a file that holds columns."""
    count, size = header.shape[0], (file.path.stat().st_size - header.start) // header.dtype.itemsize
    if size < count * header.shape[1]:
        raise _cut_off(file, size % count)
    table = np.memmap(file.path, header.dtype, "r", header.start, header.shape, order="F")
    for first, rows in header.runs():
        with np.errstate(over="ignore"):
            yield table[first : first + rows].astype(np.float32, order="C")


def _cut_off(file: SourceFile, row: int) -> TermgaugeError:
    return TermgaugeError(f"{file.label}: is cut off in row {row + 1:,}; get it again.")


LONGEST_HEADER = 100 << 20
DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "bfloat16", "I64": "<i8", "I32": "<i4", "U8": "|u1"}
_SIZES = {name: 2 if name == "BF16" else np.dtype(dtype).itemsize for name, dtype in DTYPES.items()}
_FLOATS = ("F64", "F32", "F16", "BF16")
_MATRIX_NAMES = ("embeddings", "embedding.weight", "vectors")


class Tensor(NamedTuple):
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
            names = ", ".join(matrices) or "none"
            raise TermgaugeError(f"{self.path}: has no matrix '{name}'; it has {names}.{did_you_mean(name, matrices)}")
        for usual in (name, *_MATRIX_NAMES):
            if usual in matrices:
                return usual
        if len(matrices) != 1:
            names = ", ".join(matrices[:10]) or "none"
            raise TermgaugeError(
                f"{self.path}: holds {len(matrices)} matrices ({names}) where one of token vectors is needed; "
                "name it with ?tensor=NAME (a whole transformer is no table of vectors)."
            )
        return matrices[0]


def read_words_and_vectors(tensors: Safetensors, tensor: str) -> VectorStream:
    """Read a file that holds words beside their vectors, as `convert` writes it."""
    matrix = tensors.matrix(tensor)
    data, offsets = tensors.array("words"), tensors.array("word_offsets")
    if data is None or offsets is None or len(offsets) != matrix.shape[0] + 1:
        raise _damaged(tensors.path, "its words do not fit its vectors")
    if offsets[0] != 0 or offsets[-1] != len(data) or (offsets[1:] < offsets[:-1]).any():
        raise _damaged(tensors.path, "its words do not fit its vectors")
    words = PackedWords(data.astype("u1"), offsets.astype("i8"))
    blocks = _blocks(tensors.path.name, words, (rows for _, rows in matrix.blocks()))
    return VectorStream(str(tensors.path), matrix.shape[1], blocks, matrix.shape[0], "row", matrix)


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
