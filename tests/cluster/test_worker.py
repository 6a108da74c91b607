"""What a worker does with a job: it answers, whatever happens, and leaves nothing changed behind."""

from __future__ import annotations

import pickle
import threading
import time
from types import SimpleNamespace

import numba
import pytest

from termgauge.cluster import worker
from termgauge.cluster.artifacts import artifact_of
from termgauge.cluster.worker import DONE, FAILED, MISSING_INPUT, REFUSED, RETRY_ELSEWHERE, NotWantedError, perform
from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.executor import current_executor, on_worker
from termgauge.io.identity import version

NAME = "w1 (tcp://host:1)"


@pytest.fixture(autouse=True)
def here(monkeypatch):
    """Let this process be a worker of Dask."""
    own = SimpleNamespace(
        name="w1",
        address="tcp://host:1",
        get_current_task=lambda: "job-1",
        state=SimpleNamespace(tasks={"job-1": SimpleNamespace(state="executing")}),
    )
    monkeypatch.setattr("distributed.get_worker", lambda: own)
    return own


def answer(function, *values, inputs=(), shared=False, gpu=False):
    """Return how a job ends, and what it brings."""
    status, name, content, seconds = perform(version(), "job", pickle.dumps((function, values, inputs, shared, gpu)))
    assert name == NAME
    assert seconds >= 0
    return status, pickle.loads(content) if status in (DONE, FAILED) else content


def about_here():
    return numba.get_num_threads(), on_worker(), current_executor() is not None


class UnsendableError(Exception):
    """An error that holds what cannot go to another process."""

    def __init__(self):
        super().__init__("held")
        self.lock = threading.Lock()


ERRORS = {
    "sentence": TermgaugeError("No such thing."),
    "defect": KeyError("x"),
    "memory": MemoryError(),
    "disk": OSError(28, "No space left on device"),
    "quota": CannotWriteError("The disk is full."),
    "other": OSError(2, "No such file"),
    "unsendable": UnsendableError(),
    "unwanted": NotWantedError("nobody"),
}


def fail_with(name):
    raise ERRORS[name]


def sleep_long():
    for _ in range(200):
        time.sleep(0.05)


def test_a_job_has_one_thread_and_an_executor_for_jobs_of_its_own():
    before = about_here()
    assert answer(about_here) == (DONE, (1, True, True))
    assert about_here() == before
    assert answer(about_here, gpu=True) == (DONE, (1, True, False))


def test_a_worker_without_a_name_is_called_by_its_address(here):
    here.name = here.address
    assert perform("9.9.9", "job", b"")[1] == "tcp://host:1"


def test_a_job_of_another_version_is_refused_unread():
    assert perform("9.9.9", "job", b"no pickle") == (REFUSED, NAME, version(), 0.0)


@pytest.mark.parametrize("name", ["memory", "disk", "quota"])
def test_what_the_machine_lacks_may_be_elsewhere(name):
    status, reason = answer(fail_with, name)
    assert status == RETRY_ELSEWHERE
    assert reason


@pytest.mark.parametrize("name", ["sentence", "defect", "other", "unsendable", "unwanted"])
def test_what_the_job_raises_is_answered(name):
    status, error = answer(fail_with, name)
    assert status == FAILED
    kinds = {"unsendable": RuntimeError, "unwanted": RuntimeError}
    assert type(error) is kinds.get(name, type(ERRORS[name]))


def test_a_job_that_cannot_be_read_is_a_failure():
    status, _name, content, _seconds = perform(version(), "job", b"cno.such.module\nfunction\n.")
    assert (status, type(pickle.loads(content))) == (FAILED, ModuleNotFoundError)


def test_what_is_missing_is_said(tmp_path):
    (tmp_path / "file.txt").write_text("text")
    artifact = artifact_of(tmp_path / "file.txt")
    assert answer(about_here, inputs=(artifact,)) == (MISSING_INPUT, "")
    assert answer(about_here, inputs=(artifact,), shared=True)[0] == DONE


@pytest.mark.parametrize("state", ["cancelled", "released", None])
def test_a_job_that_nobody_wants_is_interrupted_in_its_thread(here, monkeypatch, state):
    monkeypatch.setattr(worker, "LOOKS_SECONDS", 0.05)
    here.state.tasks = {"job-1": SimpleNamespace(state=state)} if state else {}
    began = time.monotonic()
    assert answer(sleep_long)[0] == FAILED
    assert time.monotonic() - began < 5
