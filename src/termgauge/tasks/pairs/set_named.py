"""Which set of a run a name means: people type a folder, a file or a part of an id rather than the id."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection

_SUFFIXES = (".gz", ".tsv", ".csv", ".parquet")


def set_named(name: str, known: Collection[str], where: str) -> str:
    """Return the id of the one set that a name means.

    A name is the id, a file such as ``hp/fsn-syn.hard.random.tsv``, the folder of a benchmark of which the run has one
    set, or a part of the id that only one has.

    Raises
    ------
    TermgaugeError
        If no set fits, or several do; the message, which begins with `where`, lists them.

    Examples
    --------
    >>> set_named("fsn-syn.hard.random.tsv", ["hp/fsn-syn/hard/random", "hp/fsn-syn/easy/random"], "run")
    'hp/fsn-syn/hard/random'
    """
    if name in known:
        return name
    last = _without_suffix(Path(name).name)
    whole, file = _ending({name.strip("/")}, known), _ending({last, last.replace(".", "/")}, known)
    for fitting in (_of_folder(name, known), whole, file, _holding(name, known)):
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise TermgaugeError(f"{where}: several sets fit '{name}'; name one of them: {', '.join(fitting)}.")
    there = f"; there are: {', '.join(known)}" if known else ""
    raise TermgaugeError(f"{where}: has no set '{name}'{there}.{did_you_mean(name, known)}")


def _of_folder(name: str, known: Collection[str]) -> list[str]:
    """Return the sets of the benchmark that stands in a folder."""
    from termgauge.benchmark.load import load_benchmark
    from termgauge.benchmark.manifest import MANIFEST

    if not (Path(name) / MANIFEST).is_file():
        return []
    return [pairs.id for pairs in load_benchmark(name) if pairs.id in known]


def _without_suffix(name: str) -> str:
    while suffix := next((each for each in _SUFFIXES if name.endswith(each)), ""):
        name = name.removesuffix(suffix)
    return name


def _ending(ends: Collection[str], known: Collection[str]) -> list[str]:
    """Return the sets whose id ends so; the name of a file has dots where the id has slashes."""
    return [each for each in known if any(f"/{each}".endswith(f"/{end}") for end in ends if end)]


def _holding(name: str, known: Collection[str]) -> list[str]:
    parts = name.lower().replace(".", "/").split("/")
    return [each for each in known if all(part in each.lower() for part in parts)] if name.strip("./ ") else []
