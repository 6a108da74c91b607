"""Units done by processes or an executor: in order, with a share of the cores, and alone in their failure."""

from __future__ import annotations

import os
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from termgauge.engine import workers
from termgauge.engine.models import opener
from termgauge.engine.run_folder import RunFolder
from termgauge.engine.units import BoundTask, Unit, Work
from termgauge.engine.workers import THREAD_VARIABLES, cores, one_by_one, shared_out
from termgauge.exceptions import CannotWriteError
from termgauge.tasks import contract
from tests.common.interruption import SAID, interrupt, slow_command
from tests.engine.small_tables import CATEGORIES, category_options, material_of

SPECS = (("letters", "baseline:levenshtein"), ("chance", "baseline:random?dim=8"), ("gone", "word2vec:gone.bin"))


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path / "run")


@pytest.fixture
def work(folder, tmp_path):
    options = category_options(tmp_path)
    testing = contract.Testing().model_dump_json()
    return Work("categories", "organs", options.model_dump_json(), testing, str(folder.path), specs=SPECS)


def outcomes(done):
    return [(each.model, each.record, each.measured, each.failure) for each in done]


@pytest.mark.long
def test_it_does_not_matter_who_does_the_work(work, folder, tmp_path):
    names = [name for name, _spec in SPECS]
    units = list(map(Unit, names))
    here = BoundTask.from_material(CATEGORIES, category_options(tmp_path), material_of(folder), "categories organs")
    alone = one_by_one(here, units, {name: opener(name, spec) for name, spec in SPECS})
    assert [each.model for each in alone] == names
    assert [each.failure.step if each.failure else None for each in alone] == [None, None, "opening"]
    for done in (shared_out(work, units, 2), shared_out(work, units, 1, ThreadPoolExecutor(2))):
        assert outcomes(done) == outcomes(alone)
    assert [each.model for each in shared_out(work, units[::-1], 2)] == names[::-1]
    assert shared_out(work, [], 2) == []


class Broken:
    """An executor whose processes die."""

    def submit(self, *_given):
        future = Future()
        future.set_exception(BrokenExecutor("died"))
        return future


@pytest.mark.long
def test_a_worker_that_dies_costs_its_model_alone(work, monkeypatch):
    units = [Unit("letters"), Unit("chance")]
    done = shared_out(work, units, 1, Broken())
    assert [each.failure for each in done] == [None, None], "each was done again in a process of its own"

    @contextmanager
    def broken(_workers):
        yield Broken()

    monkeypatch.setattr(workers, "_processes", broken)
    done = shared_out(work, units, 2)
    assert [each.failure.step for each in done] == ["categories organs"] * 2
    assert "perhaps for lack of memory" in done[0].failure.reason


def test_a_folder_that_cannot_be_written_ends_the_whole(work):
    class Full(Broken):
        def submit(self, *_given):
            future = Future()
            future.set_exception(CannotWriteError("The disk is full."))
            return future

    with pytest.raises(CannotWriteError):
        shared_out(work, [Unit("letters"), Unit("chance")], 1, Full())


def test_an_outcome_that_does_not_come_back_costs_its_model_alone(work):
    class Lossy(ThreadPoolExecutor):
        def submit(self, verb, work, unit):
            if unit.model == "letters":
                return super().submit(lambda: {}["lost"])
            return super().submit(verb, work, unit)

    lost, done = shared_out(work, [Unit("letters"), Unit("chance")], 1, Lossy(1))
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


@pytest.mark.long
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
