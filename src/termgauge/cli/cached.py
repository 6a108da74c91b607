"""What is in the cache, checked in full: each part of it knows how to find damage in what it wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.io.checksums import RECORD, damaged_files

if TYPE_CHECKING:
    from pathlib import Path

    from termgauge.io.cache import Entry


def damage(entry: Entry) -> list[str] | None:
    """Return the files of an entry that are not what was written; None if it has no checksums to tell by."""
    from termgauge.benchmark.human import sets
    from termgauge.embeddings.encoders.encoding import SHELF as ENCODINGS
    from termgauge.embeddings.store.encodings import damaged_chunks
    from termgauge.io.source import HASHES, remembered

    if entry.shelf == ENCODINGS:
        return damaged_chunks(entry.path)
    if entry.shelf == HASHES:
        return [] if remembered(entry.path) else [entry.key]
    if entry.shelf == sets.SHELF:
        return _of_rated_set(entry.path)
    return damaged_files(entry.path) if (entry.path / RECORD).is_file() else None


def _of_rated_set(path: Path) -> list[str] | None:
    from termgauge.benchmark.human.catalogue import CATALOGUE
    from termgauge.io.identity import sha256_of_stream

    known = {entry.file_name: entry.sha256 for entry in CATALOGUE}
    if path.name not in known:
        return None
    with path.open("rb") as stream:
        return [] if sha256_of_stream(stream) == known[path.name] else [path.name]
