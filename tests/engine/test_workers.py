"""Units done by processes or an executor: in order, with a share of the cores, and alone in their failure."""

from __future__ import annotations

import os
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import pytest
from pydantic import TypeAdapter

import termgauge as tg
from termgauge.engine import workers
from termgauge.engine.models import opener
from termgauge.engine.run_folder import RunFolder
from termgauge.engine.units import BoundTask, Unit
from termgauge.engine.workers import THREAD_VARIABLES, TerminologySource, Work, cores, work_off
from termgauge.exceptions import CannotWriteError
from termgauge.tasks import contract
from termgauge.terminology.options import ReadingOptions
from tests.common.interruption import SAID, interrupt, slow_command
from tests.engine.small_experiment import write_experiment
from tests.engine.small_tables import CATEGORIES, category_options, material_of
from tests.engine.toy_models import graded_set

SPECS = {"letters": "baseline:levenshtein", "chance": "baseline:random?dim=8", "gone": "word2vec:gone.bin"}


@pytest.fixture
def folder(tmp_path):
    made = RunFolder(tmp_path / "run")
    made.write(made.record())
    return made


@pytest.fixture
def bound(folder, tmp_path):
    return BoundTask.from_material(CATEGORIES, category_options(tmp_path), material_of(folder), "categories organs")


@pytest.fixture
def work(folder, bound):
    return Work("categories", bound.options, contract.Material("organs"), SPECS, str(folder.path))


def shared_out(bound, work, units, jobs=1, pool=None):
    return work_off(bound, units, {}, work, jobs, pool)


def outcomes(done):
    measured = TypeAdapter(CATEGORIES.measured_type | None)
    return [(each.model, each.record, measured.dump_json(each.measured), each.failure) for each in done]


@pytest.mark.integration
def test_it_does_not_matter_who_does_the_work(work, bound):
    units = list(map(Unit, SPECS))
    alone = work_off(bound, units, {name: opener(name, spec) for name, spec in SPECS.items()}, None, 2)
    assert [each.model for each in alone] == list(SPECS)
    assert [each.failure.step if each.failure else None for each in alone] == [None, None, "opening"]
    for done in (shared_out(bound, work, units, 2), shared_out(bound, work, units, 1, ThreadPoolExecutor(2))):
        assert outcomes(done) == outcomes(alone)
    assert [each.model for each in shared_out(bound, work, units[::-1], 2)] == list(SPECS)[::-1]
    assert shared_out(bound, work, [], 2) == []


def test_what_others_measure_is_kept_and_what_they_note_comes_back(work, bound, tmp_path):
    words = write_experiment(tmp_path / "study").parent / "words.txt"
    lines = words.read_text().splitlines()
    words.write_text("\n".join([f"{len(lines)} 6", *lines[1:], lines[1]]) + "\n")
    (done,) = shared_out(bound, replace(work, specs={"w": str(words)}), [Unit("w")], 1, ThreadPoolExecutor(1))
    assert "more than once" in done.notes[0]
    assert done.measured == bound.kept("w", done.record.key)


def test_a_worker_that_sees_another_terminology_says_so(work, bound, tmp_path):
    place = write_experiment(tmp_path / "study").parent / "small.obo"
    odd = replace(work, terminology=TerminologySource((str(place),), ReadingOptions(), "another hash"))
    (done,) = shared_out(bound, odd, [Unit("letters")], 1, ThreadPoolExecutor(1))
    assert "holds something else here than where the run was started" in done.failure.reason


def test_threads_of_a_pool_share_what_is_made_once(tmp_path):
    specs = {f"m{at}": f"baseline:random?dim={at + 4}" for at in range(6)}
    with ThreadPoolExecutor(6) as pool:
        run = tg.evaluate([graded_set()], specs, tmp_path / "run", executor=pool)
    assert {path.parent.name for path in (run.path / "scores").glob("*/*.parquet")} == set(specs)


class Broken:
    """An executor whose processes die."""

    def submit(self, *_given):
        future = Future()
        future.set_exception(BrokenExecutor("died"))
        return future


@pytest.mark.integration
def test_a_worker_that_dies_costs_its_model_alone(work, bound, monkeypatch):
    units = [Unit("letters"), Unit("chance")]
    done = shared_out(bound, work, units, 1, Broken())
    assert [each.failure for each in done] == [None, None], "each was done again in a process of its own"

    @contextmanager
    def broken(_workers):
        yield Broken()

    monkeypatch.setattr(workers, "_processes", broken)
    done = shared_out(bound, work, units, 2)
    assert [each.failure.step for each in done] == ["categories organs"] * 2
    assert "perhaps for lack of memory" in done[0].failure.reason


def test_a_folder_that_cannot_be_written_ends_the_whole(work, bound):
    class Full(Broken):
        def submit(self, *_given):
            future = Future()
            future.set_exception(CannotWriteError("The disk is full."))
            return future

    with pytest.raises(CannotWriteError):
        shared_out(bound, work, [Unit("letters"), Unit("chance")], 1, Full())


def test_an_outcome_that_does_not_come_back_costs_its_model_alone(work, bound):
    class Lossy(ThreadPoolExecutor):
        def submit(self, verb, work, unit, inputs):
            if unit.model == "letters":
                return super().submit(lambda: {}["lost"])
            return super().submit(verb, work, unit, inputs)

    lost, done = shared_out(bound, work, [Unit("letters"), Unit("chance")], 1, Lossy(1))
    assert "defect of termgauge (KeyError: 'lost'" in lost.failure.reason
    assert done.failure is None


def test_processes_share_the_cores(monkeypatch):
    monkeypatch.setattr(workers, "cores", lambda: 8)
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    with workers._processes(3) as pool:
        assert {name: os.environ[name] for name in THREAD_VARIABLES} == dict.fromkeys(THREAD_VARIABLES, "2")
        assert pool.submit(os.getenv, "OMP_NUM_THREADS").result() == "2"
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "NUMBA_NUM_THREADS" not in os.environ


@pytest.mark.integration
@pytest.mark.parametrize("to_all", [True, False], ids=["the terminal", "the parent alone"])
def test_an_interruption_ends_all_at_once_and_in_silence(tmp_path, monkeypatch, to_all):
    """As with Ctrl-C, which goes to all processes of a terminal, or with ``kill -INT``."""
    with slow_command(tmp_path, monkeypatch, "--jobs", "2") as (started, marks):
        seconds, *said = interrupt(started, to_all=to_all)
    assert seconds < 2
    assert said == [130, "", f"{SAID}\n"]
    for mark in marks.iterdir():
        with pytest.raises(ProcessLookupError):
            os.kill(int(mark.name), 0)


def test_cores():
    assert 1 <= cores() <= (os.cpu_count() or 1)
