"""The human-rated sets by id: found in a folder of the user's, found in the cache, or downloaded.

A set is looked for in the folder that the caller names, in the folder named by ``TERMGAUGE_DATA_DIR``, then in the
cache; only then is it fetched from its public address. ``TERMGAUGE_MIRROR`` names another place to fetch from: a base
address (``https:``, ``http:`` or ``file:``) under which the files lie side by side under their public names.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import quote

from termgauge.benchmark.human.catalogue import CATALOGUE, HumanSet
from termgauge.benchmark.human.rated_table import read_rated_table
from termgauge.display import Showing
from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.io.download import fetch
from termgauge.io.identity import sha256_of_bytes
from termgauge.io.paths import expanded
from termgauge.io.store import entry_path, sweep

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from termgauge.benchmark.pairset import PairSet

__all__ = ["HumanSet", "find_human", "human_sets", "load_human", "locate", "set_rows", "status"]

DATA_DIR_VARIABLE = "TERMGAUGE_DATA_DIR"
MIRROR_VARIABLE = "TERMGAUGE_MIRROR"
NAMESPACE = "human"

IN_FOLDER, IN_CACHE, TO_DOWNLOAD, BY_HAND = "in folder", "in cache", "to download", "by hand"


class HumanSets(Showing, list[HumanSet]):
    """Human-rated sets, in a list."""

    shown_by = "termgauge.reporting.about_data:listed_sets"

    def _brief(self) -> str:
        return f"{len(self)} sets that people rated: {', '.join(entry.id.removeprefix('human/') for entry in self)}"

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each set: what it is, and whether it is at hand."""
        import polars as pl

        return pl.DataFrame([row_of(entry) for entry in self])


def human_sets() -> HumanSets:
    """Return all human-rated sets, at hand or not.

    Examples
    --------
    >>> [entry.id for entry in human_sets()][:2]
    ['human/hliaoutakis', 'human/minimayo-physicians']
    """
    return HumanSets(CATALOGUE)


def find_human(id: str) -> HumanSet:  # noqa: A002
    """Return the entry of one set, such as ``human/umnsrs-sim``; the part before the slash may be left out."""
    known = {entry.id: entry for entry in CATALOGUE}
    wanted = id if "/" in id else f"human/{id}"
    if wanted not in known:
        raise TermgaugeError(f"There is no human-rated set '{id}'; `termgauge sets` lists them.{_closest(wanted)}")
    return known[wanted]


def load_human(
    id: str,  # noqa: A002
    *,
    data_dir: str | os.PathLike[str] | None = None,
    download: bool = True,
    concepts: str | None = None,
) -> PairSet:
    """Load a human-rated set, downloading its file if it is not at hand.

    Parameters
    ----------
    id
        Such as ``human/umnsrs-sim``.
    data_dir
        A folder that may hold the file under its public name.
    download
        Whether the file may be downloaded.
    concepts
        Which concept ids to take where the file has several: ``umls``, ``mesh`` or ``snomed``; by default the
        system that leaves out the fewest.

    Raises
    ------
    TermgaugeError
        If there is no such set, or its file cannot be had or read.

    Warns
    -----
    TermgaugeWarning
        If the file in the user's folder is not the edition that termgauge knows; it is used all the same.
    """
    entry = find_human(id)
    path = locate(entry, data_dir)
    if path is None:
        if not download or entry.address is None:
            raise TermgaugeError(f"The set '{entry.id}' is not at hand; {entry.by_hand}.")
        sweep(NAMESPACE)
        path = fetch(_address(entry), _cached(entry), sha256=entry.sha256, size=entry.size, by_hand=entry.by_hand)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TermgaugeError(f"{path}: cannot be read ({error.strerror or error}).") from error
    pairs = read_rated_table(content, entry.layout, name=str(path), id=entry.id, system=concepts)
    sha256 = sha256_of_bytes(content)
    if sha256 != entry.sha256:
        warn(
            f"{path}: is another edition of '{entry.id}' than the one termgauge knows ({len(pairs):,} pairs instead of "
            f"{entry.pairs:,}, SHA-256 {sha256} instead of {entry.sha256}); it is used as it is."
        )
    return pairs


def locate(entry: HumanSet, data_dir: str | os.PathLike[str] | None = None) -> Path | None:
    """Return where the file of a set is on this machine, or None; a folder that is named must exist."""
    return _in_folder(entry, data_dir) or _in_cache(entry)


def status(entry: HumanSet, data_dir: str | os.PathLike[str] | None = None) -> str:
    """Say whether a set is ``in folder``, ``in cache``, ``to download`` or ``by hand``."""
    if _in_folder(entry, data_dir) is not None:
        return IN_FOLDER
    if _in_cache(entry) is not None:
        return IN_CACHE
    return BY_HAND if entry.address is None else TO_DOWNLOAD


def set_rows(data_dir: str | os.PathLike[str] | None = None) -> list[dict[str, str | int | None]]:
    """Return a row for each set, for a listing: what it is, and whether it is at hand.

    Each row has ``id``, ``title``, ``pairs``, ``scale``, ``score``, ``concepts``, ``status``, ``path``, ``file``,
    ``bytes``, ``home``, ``licence`` and ``citation``.
    """
    return [row_of(entry, data_dir) for entry in CATALOGUE]


def row_of(entry: HumanSet, data_dir: str | os.PathLike[str] | None = None) -> dict[str, str | int | None]:
    """Return the row of one set."""
    path = locate(entry, data_dir)
    return {
        "id": entry.id,
        "title": entry.title,
        "pairs": entry.pairs,
        "scale": f"{entry.scale[0]:g}-{entry.scale[1]:g}",
        "score": entry.score,
        "concepts": ", ".join(entry.layout.concepts),
        "status": status(entry, data_dir),
        "path": None if path is None else str(path),
        "file": entry.file_name,
        "bytes": entry.size,
        "home": entry.home,
        "licence": entry.licence,
        "citation": entry.citation,
    }


def _folders(data_dir: str | os.PathLike[str] | None) -> Iterator[Path]:
    named = os.environ.get(DATA_DIR_VARIABLE)
    for place, source in ((data_dir, "--data-dir (data_dir in an experiment)"), (named, DATA_DIR_VARIABLE)):
        if place is None or not str(place):
            continue
        folder = expanded(place)
        if not folder.is_dir():
            raise TermgaugeError(f"{folder}: is no folder; name in {source} a folder that holds human-rated sets.")
        yield folder


def _in_folder(entry: HumanSet, data_dir: str | os.PathLike[str] | None) -> Path | None:
    paths = (folder / entry.file_name for folder in _folders(data_dir))
    # Unlike Path.is_file, this is False where the folder may not be read.
    return next((path for path in paths if os.path.isfile(path)), None)  # noqa: PTH113


def _in_cache(entry: HumanSet) -> Path | None:
    path = _cached(entry)
    try:
        whole = sha256_of_bytes(path.read_bytes()) == entry.sha256
    except OSError:
        return None
    return path if whole else None


def _cached(entry: HumanSet) -> Path:
    return entry_path(NAMESPACE, entry.file_name)


def _address(entry: HumanSet) -> str:
    mirror = os.environ.get(MIRROR_VARIABLE)
    return f"{mirror.rstrip('/')}/{quote(entry.file_name)}" if mirror else str(entry.address)


def _closest(wanted: str) -> str:
    """Compare without the part that all ids share, which would make any two look alike."""
    names = {entry.id.removeprefix("human/"): entry.id for entry in CATALOGUE}
    sentence = did_you_mean(wanted.rsplit("/", 1)[-1], names)
    for name, full in names.items():
        sentence = sentence.replace(f"'{name}'", f"'{full}'")
    return sentence
