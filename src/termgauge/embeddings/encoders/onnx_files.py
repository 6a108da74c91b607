"""Which files besides itself an ONNX graph reads: tensors may lie in files of any name, which the graph gives.

A graph is a protobuf message. Only the few fields that lead to tensors are followed, in subgraphs and functions, too;
everything else, the weights above all, is stepped over.
"""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING, NamedTuple

from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_DEEPEST = 60
_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5
_LOCATION = b"location"
# By message: the numbers of the fields to follow, and the message that each holds.
_FOLLOWED: dict[str, dict[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "function": {7: "node", 11: "attribute"},
    "graph": {1: "node", 5: "tensor", 15: "sparse tensor"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse tensor", 23: "sparse tensor"},
    "sparse tensor": {1: "tensor", 2: "tensor"},
    "tensor": {13: "entry"},
}


class _Span(NamedTuple):
    start: int
    stop: int


def external_files(graph: Path) -> list[str]:
    """Return the names of the files that hold tensors of a graph, relative to its folder; none may lead out of it."""
    try:
        with graph.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            names = {each.decode("utf-8") for each in _locations(data, _Span(0, len(data)), "model", 0)}
    except (ValueError, IndexError) as error:  # an empty file cannot be mapped
        raise TermgaugeError(f"{graph}: is no ONNX graph, or one that was cut off; get it again.") from error
    except OSError as error:
        raise TermgaugeError(f"{graph}: cannot be read ({error.strerror or error}).") from error
    for name in sorted(names):
        parts = name.replace("\\", "/").split("/")
        if not name.strip() or ".." in parts or parts[0] == "" or ":" in parts[0] or "\0" in name:
            raise TermgaugeError(
                f"{graph}: takes weights from {name!r}, which is not in its folder; get it again from a source "
                "that you trust."
            )
        if not (graph.parent / name).is_file():
            raise TermgaugeError(f"{graph}: takes weights from '{name}', which is not there; get that file, too.")
    return sorted(names)


def _locations(data: mmap.mmap, span: _Span, message: str, depth: int) -> Iterator[bytes]:
    if depth > _DEEPEST:
        raise ValueError("nested too deep")
    followed = _FOLLOWED[message]
    for number, inner in _fields(data, span):
        kind = followed.get(number)
        if kind == "entry":
            entry = {at: data[part.start : part.stop] for at, part in _fields(data, inner)}
            if entry.get(1) == _LOCATION:
                yield entry.get(2, b"")
        elif kind is not None:
            yield from _locations(data, inner, kind, depth + 1)


def _fields(data: mmap.mmap, span: _Span) -> Iterator[tuple[int, _Span]]:
    """Go through the fields of a message that hold messages or text."""
    at = span.start
    while at < span.stop:
        key, at = _varint(data, at)
        kind = key & 7
        if kind == _VARINT:
            _, at = _varint(data, at)
            continue
        length = {_FIXED_64: 8, _FIXED_32: 4}.get(kind)
        if kind == _BYTES:
            length, at = _varint(data, at)
        if length is None or at + length > span.stop:
            raise ValueError("no protobuf message")
        if kind == _BYTES:
            yield key >> 3, _Span(at, at + length)
        at += length


def _varint(data: mmap.mmap, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
        if shift > 63:
            raise ValueError("no protobuf message")
