"""Units on other machines: what they write and say is what they would have written and said here, to the byte."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import warnings
from functools import wraps
from pathlib import Path

import pytest

import termgauge as tg
from termgauge.benchmark.human.sets import load_human
from termgauge.engine import workers
from termgauge.engine.run_folder import RunFolder
from termgauge.engine.runner import run
from termgauge.engine.units import Unit
from termgauge.engine.workers import Work, do_unit, unit_jobs, write_files
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.executor import use_executor
from termgauge.io.artifacts import artifact_of
from termgauge.io.store import cache_dir
from termgauge.tasks import contract
from tests.common.executors import SmallExecutor
from tests.engine.small_experiment import EXPERIMENT, write_experiment
from tests.engine.small_tables import CATEGORIES, TERMS, category_options
from tests.engine.toy_models import binary_set, graded_set
from tests.tasks.ner.stand_in import CORPUS, use_stand_in

MORE = f"""
[vocabulary]
missing = 3

[[analogies]]
name = "heart"
branches = ["X:0"]
k = [3]

[[linking]]
name = "all"
k = [1, 3]
device = "cpu"

[[ner]]
name = "drugs"
corpus = ["{CORPUS}"]
trials = 2
epochs = 2
device = "cpu"

[[audit]]
name = "second reader"
first = 3

[[subsets]]
name = "words"
by = "words"
"""
TABLES = {"audit", "categories", "coverage", "linking", "ner", "scores", "vocabulary"}


class Elsewhere(SmallExecutor):
    """Does blocks in this process as on another machine: in another folder, with copies of what is sent."""

    def map(self, function, blocks, **more):
        @wraps(function)
        def there(*values):
            with contextlib.chdir(self.folder), use_executor(None):
                return function(*values)

        return super().map(there, blocks, **more)

    shared: bool = False

    def artifact(self, path):
        made = artifact_of(Path(path), shared=self.shared)
        if not self.shared and not made.entry.is_dir():
            copy = made.entry / Path(made.path).name
            copy.parent.mkdir(parents=True)
            (shutil.copytree if Path(path).is_dir() else shutil.copy)(path, copy)
        return made


@pytest.fixture(params=[False, True], ids=["nothing shared", "a shared disk"])
def place(request, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    made = Elsewhere(folder)
    made.shared = request.param
    return made


@pytest.fixture(autouse=True)
def _stand_in(monkeypatch):
    """Let tasks that train do it without torch."""
    use_stand_in(monkeypatch)


def files_of(folder):
    """Return what a run holds, without what is about how it was made."""
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for about_times in ("run.json", ".lock"):
        found.pop(about_times, None)
    return {
        **found,
        "record": RunFolder(folder).record().model_dump(exclude={"units", "timings", "command", "benchmarks"}),
    }


def assert_same(one, two):
    """Assert that two runs hold the same, to the byte, and return what that is."""
    own, others = files_of(one), files_of(two)
    assert sorted(own) == sorted(others)
    for name, content in own.items():
        assert others[name] == content, name
    return own


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_every_task_is_done_there_as_here(tmp_path, place):
    path = write_experiment(tmp_path / "study", EXPERIMENT + MORE)
    here = run(path, out=tmp_path / "here" / "run", report=False).path
    with use_executor(place):
        there = run(path, out=tmp_path / "there" / "run", report=False).path
    own = assert_same(here, there)
    assert {Path(name).parts[0] for name in own} >= TABLES
    units = json.loads((there / "run.json").read_text())["units"]
    assert {each["worker"] for each in units} == {"small"}
    assert {each["task"] for each in units} >= TABLES - {"scores"}
    assert sum(each["task"] == "ner" for each in units) % 2 == 0, "a trial is a unit"


def test_a_measure_is_added_to_the_scores_that_are_there(tmp_path, place):
    sets, specs = [graded_set(), binary_set()], ["chance=baseline:random?dim=8", "letters=baseline:levenshtein"]
    for name, at in (("one", None), ("two", place)):
        with use_executor(at):
            tg.evaluate(sets, specs, tmp_path / name / "run", measures=["avg_cos"])
            tg.evaluate(sets, specs, tmp_path / name / "run", measures=["avg_cos", "fuzzy_jaccard"])
    assert_same(tmp_path / "one" / "run", tmp_path / "two" / "run")


def test_what_fails_there_says_what_it_would_say_here(tmp_path, place, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "cut.bin").write_bytes(b"3 4\nheart ")
    (tmp_path / "cut.txt").write_text("2 3\nheart 1 2 3\nskin 1 2\n")
    Path("words.txt").write_text("2 3\nheart 1 2 3\nskin 3 2 1\nskin 1 1 1\n")
    specs = {
        "gone": "word2vec:gone.bin",
        "cut": "word2vec:cut.txt",
        "absolute": f"word2vec:{tmp_path / 'cut.txt'}",
        "home": "word2vec:~/cut.bin",
        "nonsense": "no-such-scheme:x",
        "words": "word2vec:words.txt",
    }
    said = []
    for name, at in (("one", None), ("two", place)):
        with use_executor(at), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = tg.evaluate([graded_set()], specs, Path(name))
        texts = [str(each.message) for each in caught if issubclass(each.category, TermgaugeWarning)]
        said.append((texts, made.record().failures, {key: each.source for key, each in made.record().models.items()}))
    for one, two in zip(*said, strict=True):
        assert one == two
    assert set(said[0][1]) == {"gone", "cut", "absolute", "home", "nonsense"}
    assert set(said[0][2]) == {"words"}


def test_a_list_of_terms_goes_along(tmp_path, place, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plain = category_options(tmp_path).model_dump_json().replace(f"@{tmp_path}/", "@")
    options = CATEGORIES.options.model_validate_json(plain)
    work = Work("categories", options, contract.Material("organs"), {"letters": "baseline:levenshtein"})
    (job,) = unit_jobs(work, [Unit("letters")], place.artifact)
    assert sorted(job[2].paths) == [f"{letter}.txt" for letter in sorted(TERMS)]
    (done,) = place.map(do_unit, [job], label="categories", inputs=job[2].artifacts)
    outcome, files = done.result()
    assert (outcome.failure, files) == (None, {})


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_concepts_in_several_systems(tmp_path, place, shared):
    if shared is None:
        pytest.skip("needs the human-rated sets")
    data = shared / "data" / "similarity"
    frame = load_human("human/umnsrs-sim", data_dir=data, concepts="mesh").frame
    ids = sorted({*frame["concept_1"].drop_nulls(), *frame["concept_2"].drop_nulls()})
    lines = [f"{each} {at + 1} {len(ids) - at}" for at, each in enumerate(ids)]
    (tmp_path / "concepts.txt").write_text("\n".join([f"{len(ids)} 2", *lines]) + "\n")
    spec = f"ids=word2vec:{tmp_path / 'concepts.txt'}?kind=concepts"
    for name, at in (("one", None), ("two", place)):
        with use_executor(at):
            tg.evaluate(["human/umnsrs-sim"], [spec], tmp_path / name / "run", data_dir=data)
    record = assert_same(tmp_path / "one" / "run", tmp_path / "two" / "run")["record"]
    assert record["models"]["ids"]["concept_ids"] == {"human/umnsrs-sim": "mesh"}


def test_those_that_a_killed_worker_left_are_swept(cache_folder):
    left = workers._run_folder("a")
    assert workers._run_folder("a") == left
    assert left.is_relative_to(cache_dir())
    dead = left.with_name(left.name.replace(f"-{os.getpid()}-", "-4194304-"))  # a number that no process has
    left.rename(dead)
    workers._run_folder.cache_clear()
    assert [workers._run_folder("b")] == list((cache_folder / "runs").iterdir())


def test_a_file_of_a_former_unit_is_replaced_by_what_is_sent(tmp_path):
    (tmp_path / "old").write_text("old")
    (tmp_path / "new").write_text("new")
    target = tmp_path / "deep" / "file"
    for source in ("old", "new", "new"):
        workers._link(tmp_path / source, target)
        assert target.read_text() == source
    assert (tmp_path / "old").read_text() == "old"
    assert [path.name for path in target.parent.iterdir()] == ["file"]


def test_what_comes_back_is_written_whole(tmp_path):
    write_files(str(tmp_path), {"scores/m/a.parquet": b"1", "b": b""})
    assert (tmp_path / "scores" / "m" / "a.parquet").read_bytes() == b"1"
    assert (tmp_path / "b").read_bytes() == b""


def test_a_gpu_that_no_worker_has_is_refused_before_anything_starts(tmp_path, place):
    path = write_experiment(tmp_path / "study", EXPERIMENT + MORE.replace('device = "cpu"', 'device = "cuda"'))
    place.local = False
    with use_executor(place), pytest.raises(TermgaugeError, match=r"device=cuda: no worker of the cluster says that"):
        run(path, out=tmp_path / "run", report=False)
    assert place.called == []
    assert not (tmp_path / "run").exists()
    with use_executor(place), pytest.raises(TermgaugeError, match=r"start one with: dask worker --resources GPU=1"):
        tg.evaluate([graded_set()], ["transformers:no-such-model?device=cuda"], tmp_path / "run")
