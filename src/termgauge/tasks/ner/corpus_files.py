"""Which files of a folder are the parts of a corpus: known by the names that people give them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from termgauge.io.source import SourceFile

TRAIN, DEVEL, TEST = PARTS = ("train", "devel", "test")
_NAMES = {
    "train": TRAIN, "training": TRAIN, "devel": DEVEL, "dev": DEVEL, "valid": DEVEL, "validation": DEVEL,
    "development": DEVEL, "test": TEST, "testing": TEST,
}  # fmt: skip
_ENDINGS = ("", "tsv", "txt", "tab", "conll", "iob", "iob1", "iob2", "iobes", "bio", "bioes", "bilou")


def files_of_parts(place: Path) -> dict[str, SourceFile]:
    """Return the file of each part that a folder or an archive has, in the order of parts; devel may be missing."""
    try:
        listed = sorted(place.iterdir()) if place.is_dir() else []
    except OSError as error:
        raise TermgaugeError(f"{place}: cannot be read ({error.strerror}).") from error
    if place.is_dir():
        files = [file for path in listed if path.is_file() and part_of(path.name) for file in _single(path)]
    else:
        files = files_of(place)
        if len(files) == 1 and files[0].member is None:
            raise TermgaugeError(f"{place}: is a file; name the folder that has train.tsv and test.tsv.")
    found: dict[str, list[SourceFile]] = {part: [] for part in PARTS}
    for file in files:
        if part := part_of(file.base):
            found[part].append(file)
    for part, candidates in found.items():
        if len(candidates) > 1:
            both = " and ".join(file.name for file in candidates[:2])
            raise TermgaugeError(f"{place}: {both} could both be {part}; keep one of them in the folder.")
        if not candidates and part != DEVEL:
            inner = [path.name for path in listed if path.is_dir() and any(map(part_of, _names(path)))]
            hint = f"name a folder inside it, such as {inner[0]}" if inner else f"add {part}.tsv"
            raise TermgaugeError(f"{place}: has no file {part}.tsv (or .txt, .conll, .iob); {hint}.")
    return {part: candidates[0] for part, candidates in found.items() if candidates}


def _single(path: Path) -> Sequence[SourceFile]:
    """Return a file of a folder; none if it is an archive."""
    files = files_of(path)
    return files if files and files[0].member is None else ()


def _names(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except OSError:
        return []


def part_of(name: str) -> str:
    """Return which part a file is by its name; nothing if it is none.

    >>> part_of("train.tsv"), part_of("dev.txt.gz"), part_of("train_dev.tsv")
    ('train', 'devel', '')
    """
    stem, _, ending = re.sub(r"\.(gz|bz2|xz)$", "", name.lower()).partition(".")
    return _NAMES.get(stem, "") if ending in _ENDINGS else ""
