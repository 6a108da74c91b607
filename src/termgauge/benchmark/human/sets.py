"""The human-rated sets by id: found in a folder of the user's, found in the cache, or downloaded.

A set is looked for in the folder that the caller names, in the folder named by ``TERMGAUGE_DATA_DIR``, then in the
cache; only then is it fetched from its public address. ``TERMGAUGE_MIRROR`` names another place to fetch from: a base
address (``https:``, ``http:`` or ``file:``) under which the files lie side by side under their public names.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import quote

from termgauge.benchmark.human.catalogue import CATALOGUE, NAMESPACE, HumanSet
from termgauge.benchmark.human.rated_table import read_rated_table
from termgauge.display import Showing
from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.io.download import fetch
from termgauge.io.identity import sha256_of_bytes
from termgauge.io.store import sweep

if TYPE_CHECKING:
    import polars as pl

    from termgauge.benchmark.pairset import PairSet

MIRROR_VARIABLE = "TERMGAUGE_MIRROR"


class HumanSets(Showing, list[HumanSet]):
    """Human-rated sets, in a list."""

    def _brief(self) -> str:
        return f"{len(self)} sets that people rated: {', '.join(entry.id.removeprefix('human/') for entry in self)}"

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each set: what it is, and whether it is at hand."""
        import polars as pl

        return pl.DataFrame([entry.row() for entry in self])


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
    by_id = {entry.id: entry for entry in CATALOGUE}
    wanted = id if "/" in id else f"human/{id}"
    if wanted not in by_id:
        raise TermgaugeError(f"There is no human-rated set '{id}'; `termgauge sets` lists them.{_closest(wanted)}")
    return by_id[wanted]


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
    path = entry.locate(data_dir)
    if path is None:
        if not download or entry.address is None:
            raise TermgaugeError(f"The set '{entry.id}' is not at hand; {entry.by_hand}.")
        sweep(NAMESPACE)
        mirror = os.environ.get(MIRROR_VARIABLE)
        address = f"{mirror.rstrip('/')}/{quote(entry.file_name)}" if mirror else entry.address
        path = fetch(address, entry.cached, sha256=entry.sha256, size=entry.size, by_hand=entry.by_hand)
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


def _closest(wanted: str) -> str:
    """Compare without the part that all ids share, which would make any two look alike."""
    names = {entry.id.removeprefix("human/"): entry.id for entry in CATALOGUE}
    sentence = did_you_mean(wanted.rsplit("/", 1)[-1], names)
    return sentence.replace("mean '", "mean 'human/")
