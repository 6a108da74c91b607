"""What a worker does with a job: it says what it lacks, and leaves nothing changed behind."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import numba
import pytest

from termgauge.cluster.dask_executor import MISSING_INPUT, OTHER_VERSION, TOO_SMALL, UnfitWorkerError, perform
from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.executor import current_executor
from termgauge.io.artifacts import artifact_of
from termgauge.io.identity import version

ADDRESS = "tcp://host:1"


@pytest.fixture(autouse=True)
def here(monkeypatch):
    """Let this process be a worker of Dask."""
    own = SimpleNamespace(name="w1", address=ADDRESS)
    monkeypatch.setattr("distributed.get_worker", lambda: own)
    return own


def answer(function, *values, inputs=(), shared=False, gpu=False):
    """Return what a job brings, and the name of the worker."""
    job = pickle.dumps((function, values, inputs, shared, gpu))
    content, name, seconds = perform(version(), "job", job)
    assert seconds >= 0
    return pickle.loads(content), name


def about_here():
    return numba.get_num_threads(), current_executor() is not None


ERRORS = {
    "sentence": TermgaugeError("No such thing."),
    "defect": KeyError("x"),
    "other": OSError(2, "No such file"),
    "memory": MemoryError(),
    "disk": OSError(28, "No space left on device"),
    "quota": CannotWriteError("The disk is full."),
}


def fail_with(name):
    raise ERRORS[name]


def test_a_job_has_one_thread_and_an_executor_for_jobs_of_its_own(here):
    before = about_here()
    assert answer(about_here) == ((1, True), f"w1 ({ADDRESS})")
    assert about_here() == before
    assert answer(about_here, gpu=True)[0] == (1, False)
    here.name = ADDRESS
    assert answer(about_here)[1] == ADDRESS


def test_a_job_of_another_version_is_refused_unread():
    with pytest.raises(UnfitWorkerError) as raised:
        perform("9.9.9", "job", b"no pickle")
    assert raised.value.args == (OTHER_VERSION, ADDRESS, version())


@pytest.mark.parametrize("name", ERRORS)
def test_what_the_machine_lacks_is_told_from_what_a_job_raises(name):
    lacks = name in ("memory", "disk", "quota")
    with pytest.raises(UnfitWorkerError if lacks else type(ERRORS[name])) as raised:
        answer(fail_with, name)
    assert not lacks or raised.value.args[:2] == (TOO_SMALL, ADDRESS)


def test_what_is_missing_is_said(tmp_path):
    (tmp_path / "file.txt").write_text("text")
    with pytest.raises(UnfitWorkerError) as raised:
        answer(about_here, inputs=(artifact_of(tmp_path / "file.txt"),))
    assert raised.value.args[:2] == (MISSING_INPUT, ADDRESS)
    assert answer(about_here, inputs=(artifact_of(tmp_path / "file.txt", shared=True),), shared=True)
