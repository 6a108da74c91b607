"""The same bytes from one process, two processes, and a cluster whose workers are killed at each kind of unit."""

from __future__ import annotations

import random
from itertools import combinations
from typing import TYPE_CHECKING

import polars as pl
import pytest

from termgauge import run
from termgauge.benchmark import negatives
from termgauge.cluster.connect import on_cluster
from tests.cluster.clusters import processes
from tests.embeddings import onnx_files
from tests.engine import small_experiment
from tests.engine.small_experiment import CONDITIONS, EXPERIMENT, ORGANS, write_experiment

if TYPE_CHECKING:
    from pathlib import Path

MORE = """
[[benchmark]]
name = "own"
file = "rated.tsv"

[[model]]
name = "encoder"
spec = "onnx:encoder?pooling=mean"

[[model]]
name = "grams"
spec = "baseline:char-ngrams"

[[linking]]
name = "synonyms"
"""
KINDS = (
    ("scoring", "categories", "lengths", "search"),
    ("vocabulary", "coverage", "linking", "encoding", "values"),
)
"""Whose first block costs a worker its life, in two runs: a unit that is where three workers die is given up."""
TIMED = {"run.json", "report.html", ".report.json", ".lock"}
"""Files that say when they were made, where, or how long it took."""

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def experiment(tmp_path, monkeypatch):
    """Return an experiment file, in whose folder one is; blocks are small enough for there to be several of each."""
    monkeypatch.setattr(negatives, "BATCH", 128)
    folder = tmp_path / "study"
    parts = ["upper", "lower", "left", "right", "inner", "outer", "front", "back", "small", "large", "long"]
    organs = [*ORGANS, *(f"{part} {organ}" for part in parts for organ in ORGANS)]  # more names than a batch has
    monkeypatch.setattr(small_experiment, "ORGANS", organs)
    onnx_files.write(folder / "encoder")
    file = write_experiment(folder, EXPERIMENT + MORE)
    draw = random.Random(3)
    names = [f"{organ} {condition}" for organ in ORGANS for condition in CONDITIONS]
    pairs = [(*pair, draw.randint(0, 50) / 10) for pair in draw.sample(list(combinations(names, 2)), 240)]
    lines = ["term_1\tterm_2\tscore", *("\t".join(map(str, pair)) for pair in pairs)]
    (folder / "rated.tsv").write_text("\n".join(lines) + "\n")
    monkeypatch.chdir(folder)
    return file


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name not in TIMED)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def difference(name: str, one: bytes, two: bytes) -> object:
    """Return how files differ: the rows of tables, or what stands around the first byte."""
    if name.endswith(".parquet"):
        tables = [pl.read_parquet(each).with_row_index() for each in (one, two)]
        if tables[0].schema == tables[1].schema:
            both = tables, tables[::-1]
            tables = [one.join(two, on=one.columns, how="anti", nulls_equal=True).head(3) for one, two in both]
        return [table.to_dicts() for table in tables]
    at = next((place for place, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    return [each[max(0, at - 60) : at + 60] for each in (one, two)]


@pytest.mark.parametrize("shared", [False, True], ids=["sent", "shared"])
def test_a_run_is_the_same_wherever_it_is_done_and_whoever_dies(experiment, tmp_path, monkeypatch, shared):
    one = run(experiment, out=tmp_path / "one")
    wanted = contents(one.path)
    assert len(wanted) > 60
    monkeypatch.setenv("TERMGAUGE_CACHE_DIR", str(tmp_path / "second"))
    others = [run(experiment, out=tmp_path / "two", jobs=2)]
    for number, kinds in enumerate(KINDS):
        # Workers that have never encoded anything: what is in their caches is no block.
        monkeypatch.setenv("TERMGAUGE_CACHE_DIR", str(tmp_path / f"cache-{number}"))
        with processes(tmp_path / f"cluster-{number}") as three:
            for kind in kinds:
                three.arrange(kind, "kill")
            with on_cluster(three.address, shared=shared):
                others.append(run(experiment, out=tmp_path / f"many-{number}"))
            assert {kind: three.happened(kind) for kind in kinds} == dict.fromkeys(kinds, 1)
        units = others[-1].record().units
        assert {unit.worker.split()[0] for unit in units} <= {"w0", "w1", "w2"}
        assert {unit.model for unit in units} == {"words", "letters", "chance", "encoder", "grams"}
    for other in others:
        assert other.record().failures == {}
        found = contents(other.path)
        assert found.keys() == wanted.keys()
        assert {
            name: difference(name, wanted[name], found[name]) for name in wanted if found[name] != wanted[name]
        } == {}
