"""The sets that some names mean: folders of benchmarks, single files, and human-rated sets by id."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.benchmark.human.sets import human_sets, load_human
from termgauge.benchmark.pairset import PairSet, read_parquet, read_tsv
from termgauge.exceptions import TermgaugeError, did_you_mean

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

HUMAN = "human"


def load_sets(
    sources: Iterable[str | os.PathLike[str] | PairSet], *, data_dir: Path | None = None, download: bool = True
) -> list[PairSet]:
    """Return the sets that some names mean.

    Parameters
    ----------
    sources
        A benchmark's folder (all its sets, or one as ``DIR/fsn-syn.hard.random.tsv``), the id of a human-rated set,
        ``human`` for all of those that are at hand, or a set itself.
    data_dir
        A folder with human-rated sets.
    download
        Whether human-rated sets may be downloaded.

    Raises
    ------
    TermgaugeError
        If a name means nothing, or two sets have the same id.
    """
    found: list[PairSet] = []
    for source in sources:
        if isinstance(source, PairSet):
            found.append(source)
            continue
        name = str(source)
        if name == HUMAN or (name.startswith(f"{HUMAN}/") and not Path(name).exists()):
            found += _human(name, data_dir, download=download)
        else:
            found += _from_path(Path(name))
    ids = [pairs.id for pairs in found]
    for name in ids:
        if ids.count(name) > 1:
            raise TermgaugeError(f"Two sets are called '{name}'; name each benchmark once.")
    if not found:
        raise TermgaugeError("No set was named; name a benchmark's folder or a human-rated set with --benchmark.")
    return found


def _human(name: str, data_dir: Path | None, *, download: bool) -> list[PairSet]:
    if name != HUMAN:
        return [load_human(name, data_dir=data_dir, download=download)]
    at_hand = [entry for entry in human_sets() if entry.status(data_dir) in ("in folder", "in cache")]
    found = [load_human(entry.id, data_dir=data_dir, download=False) for entry in at_hand]
    if not found:
        raise TermgaugeError(
            "No human-rated set is at hand; name the folder that holds them with --data-dir, or one of them by its id "
            "to download it (`termgauge sets` lists them)."
        )
    return found


def _from_path(path: Path) -> list[PairSet]:
    if path.is_dir():
        from termgauge.benchmark.stored import load_benchmark

        return list(load_benchmark(path))
    if path.suffix == ".parquet":
        return [read_parquet(path)]
    if not path.exists():
        ids = [entry.id for entry in human_sets()]
        raise TermgaugeError(
            f"{path}: is neither a benchmark nor the id of a human-rated set.{did_you_mean(str(path), ids)}"
        )
    return [read_tsv(path)]
