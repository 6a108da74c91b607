"""A tagger as a file: arrays of numbers and a JSON text in NumPy's `.npz`, without pickle, and a checksum over all.

A file from elsewhere is checked before it is used: its size, its arrays, and that every number in them makes sense, so
that the compiled code never reads beyond its tables.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.corpus.tagger_training import MOST_TAGS, Learned
from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import whole_file
from termgauge.io.source import read_small

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FORMAT, VERSION = "termgauge tagger", 1
_MOST_BYTES = 256 << 20
"""No tagger is larger, neither as a file nor unpacked."""
_ARRAYS = {"keys": np.uint32, "counts": np.uint8, "weight_tags": np.uint8, "weights": np.int16}
_ABOUT = "about"
_DAMAGED = (
    ValueError, KeyError, TypeError, IndexError, EOFError, OSError, zlib.error, zipfile.BadZipFile, RuntimeError,
    NotImplementedError, OverflowError, MemoryError, RecursionError,
)  # fmt: skip


def write_tagger(path: Path, learned: Learned, training: Mapping[str, Any]) -> None:
    """Write a tagger, and what it was trained on and how; the same tagger gives the same bytes."""
    arrays = _packed(learned)
    about = {"format": FORMAT, "version": VERSION, "tags": learned.tags, "known": learned.known, "training": training}
    about["sha256"] = _checksum(about, arrays)
    text = json.dumps(about, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")
    with whole_file(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, about=np.frombuffer(text, dtype=np.uint8), **arrays)  # type: ignore[arg-type]


def read_tagger(path: Path) -> tuple[Learned, dict[str, Any]]:
    """Read a tagger, and what is known about its training."""
    try:
        data = read_small(path, _MOST_BYTES)
    except OSError as error:
        raise TermgaugeError(f"{path}: cannot be read ({error.strerror or error}).") from error
    try:
        arrays = _arrays(data)
        about = json.loads(arrays.pop(_ABOUT).tobytes())
        known = isinstance(about, dict) and about.get("format") == FORMAT
    except _DAMAGED as error:
        raise TermgaugeError(
            f"{path}: is no tagger, or one that is damaged; make one with: termgauge tagger train TRAIN.tsv --out FILE."
        ) from error
    if not known:
        raise TermgaugeError(f"{path}: is no tagger of termgauge; name a file that termgauge tagger train has written.")
    if about.get("version") != VERSION:
        raise TermgaugeError(f"{path}: was written by another version of termgauge; train the tagger again.")
    try:
        checksum = about.pop("sha256")
        learned = _unpacked(about, arrays)
        whole = checksum == _checksum(about, arrays)
    except _DAMAGED:
        whole = False
    if not whole:
        raise TermgaugeError(f"{path}: is damaged: its contents are not those that were written; train it again.")
    return learned, about["training"]


def _arrays(data: bytes) -> dict[str, np.ndarray[Any, Any]]:
    """Unpack the arrays, which may not be pickled, nor larger than any tagger's."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > _MOST_BYTES:
            raise ValueError
    with np.load(io.BytesIO(data), allow_pickle=False) as stored:
        arrays = {name: np.asarray(stored[name]) for name in (*_ARRAYS, _ABOUT)}
    if any(array.ndim != 1 for array in arrays.values()) or any(
        arrays[name].dtype != kind for name, kind in _ARRAYS.items()
    ):
        raise ValueError
    return arrays


def _packed(learned: Learned) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays as they are stored: of the keys, which ascend, only the steps."""
    steps = np.diff(learned.keys, prepend=np.uint32(0))
    return {"keys": steps, "counts": learned.counts, "weight_tags": learned.weight_tags, "weights": learned.weights}


def _unpacked(about: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]) -> Learned:
    """Return what a file holds, if every number in it makes sense."""
    tags, known = about["tags"], about["known"]
    counts, weight_tags, weights = arrays["counts"], arrays["weight_tags"], arrays["weights"]
    keys = np.cumsum(arrays["keys"], dtype=np.uint64)
    sound = (
        isinstance(tags, list)
        and isinstance(known, dict)
        and 0 < len(tags) <= MOST_TAGS
        and all(isinstance(tag, str) and tag for tag in tags)
        and all(isinstance(tag, int) and 0 <= tag < len(tags) for tag in known.values())
        and len(counts) == len(keys)
        and int(counts.sum(dtype=np.int64)) == len(weights) == len(weight_tags)
        and (not len(weight_tags) or int(weight_tags.max()) < len(tags))
        and (not len(keys) or int(keys[-1]) < 1 << 32)
        and isinstance(about["training"], dict)
    )
    if not sound:
        raise ValueError
    return Learned(list(tags), dict(known), keys.astype(np.uint32), counts, weight_tags, weights)


def _checksum(about: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]) -> str:
    digest = sha256(json.dumps(about, ensure_ascii=True, sort_keys=True).encode("ascii"))
    for name in sorted(arrays):
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()
