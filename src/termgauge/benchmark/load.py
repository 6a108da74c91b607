"""The sets that some names mean: folders of benchmarks, single files, and human-rated sets by id."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.benchmark.huggingface import DATA
from termgauge.benchmark.human.sets import human_sets, load_human
from termgauge.benchmark.manifest import MANIFEST
from termgauge.benchmark.pair_table import is_table, read_pairs, split_columns
from termgauge.benchmark.pairset import PairSet, read_parquet
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.frames import is_frame
from termgauge.options import several

if TYPE_CHECKING:
    from termgauge.io.tables import Columns

HUMAN = "human"


def load_sets(
    sources: Any,  # noqa: ANN401
    *,
    columns: Columns = (),
    data_dir: Path | None = None,
    download: bool = True,
) -> list[PairSet]:
    """Return the sets that some names mean; no two may have the same id.

    A name is a benchmark's folder (all its sets, or one as ``DIR/fsn-syn.hard.random.tsv``), that of an export for
    Hugging Face or mteb, the id of a human-rated set, or ``human`` for all of those that are at hand; a set itself, or
    a DataFrame of pairs, may stand there too, and one of them alone. In ``{NAME: PAIRS}`` each gets a name. A table of
    one's own is named with its `columns`, or as ``pairs.csv?columns=term1,term2,score``; see
    :func:`~termgauge.benchmark.pair_table.read_pairs`.
    """
    named: list[tuple[str | None, Any]] = [(None, each) for each in several(sources)]
    if isinstance(sources, Mapping):
        named = [(str(name), each) for name, each in sources.items()]
    sets: list[PairSet] = []
    for name, source in named:
        found = _sets_of(source, name, columns, data_dir, download=download)
        if name is not None and len(found) != 1:
            raise TermgaugeError(f"'{name}' is to be the name of {len(found)} sets; name each of them, or none.")
        sets += found if name is None else [replace(found[0], id=name)]
    ids = [pairs.id for pairs in sets]
    for name in ids:
        if ids.count(name) > 1:
            raise TermgaugeError(
                f"Two sets are called '{name}'; name each benchmark once, and DataFrames as in {{\"mine\": df}}."
            )
    if not sets:
        raise TermgaugeError("No set was named; name a benchmark's folder or a human-rated set with --benchmark.")
    return sets


def _sets_of(
    source: Any,  # noqa: ANN401
    name: str | None,
    columns: Columns,
    data_dir: Path | None,
    *,
    download: bool,
) -> list[PairSet]:
    if isinstance(source, PairSet):
        return [source]
    if is_frame(source):
        return [read_pairs(source, columns, id=name)]
    if not isinstance(source, str | os.PathLike):
        raise TermgaugeError(
            "Sets are folders or files, DataFrames, ids of human-rated sets, or what tg.build, tg.load_benchmark and "
            f"tg.load_human return, not {type(source).__name__}."
        )
    if str(source) == HUMAN or (str(source).startswith(f"{HUMAN}/") and not Path(source).exists()):
        return _human(str(source), data_dir, download=download)
    return _from_path(str(source), columns)


def _human(name: str, data_dir: Path | None, *, download: bool) -> list[PairSet]:
    if name != HUMAN:
        return [load_human(name, data_dir=data_dir, download=download)]
    at_hand = [entry for entry in human_sets() if entry.status(data_dir) in ("in folder", "in cache")]
    if not at_hand:
        raise TermgaugeError(
            "No human-rated set is at hand; name the folder that holds them with --data-dir, or one of them by its id "
            "to download it (`termgauge sets` lists them)."
        )
    return [load_human(entry.id, data_dir=data_dir, download=False) for entry in at_hand]


def _from_path(name: str, columns: Columns) -> list[PairSet]:
    file, named = split_columns(name)
    path = Path(file)
    if path.is_dir():
        from termgauge.benchmark.stored import load_benchmark

        if not (path / MANIFEST).is_file() and (files := sorted((path / DATA).glob("*.parquet"))):
            return [read_parquet(file) for file in files]
        benchmark = load_benchmark(path)
        if benchmark.empty:
            raise TermgaugeError(f"{path}: none of the sets of this benchmark has a pair; name another benchmark.")
        return list(benchmark)
    if path.suffix == ".parquet":
        return [read_parquet(path)]
    if not path.exists():
        ids = [entry.id for entry in human_sets()]
        raise TermgaugeError(
            f"{path}: there is no such file or folder, and it is neither a benchmark nor the id of a human-rated set."
            f"{did_you_mean(str(path), ids)}"
        )
    if named or columns or is_table(path):
        return [read_pairs(path, named or columns)]
    from termgauge.benchmark.stored import read_file

    return [read_file(path)]
