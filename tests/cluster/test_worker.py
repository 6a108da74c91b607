"""What a worker does with an order: it answers, whatever happens, and leaves nothing changed behind."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import numba
import pytest

from termgauge.cluster import worker
from termgauge.cluster.artifacts import artifact_of, store
from termgauge.cluster.orders import Failed, Finished, Lacking, Order, Refused, Troubled
from termgauge.cluster.watch import NotWantedError
from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.executor import current_executor, on_worker
from termgauge.io.identity import version

HERE = f"{__name__}:"


@pytest.fixture(autouse=True)
def here(monkeypatch):
    """Let this process be a worker of Dask."""
    own = SimpleNamespace(
        name="w1",
        address="tcp://host:1",
        get_current_task=lambda: "unit-1",
        log_event=lambda *_said: None,
        state=SimpleNamespace(tasks={"unit-1": SimpleNamespace(state="executing")}),
    )
    monkeypatch.setattr("distributed.get_worker", lambda: own)
    return own


def order(function, *block, **more):
    return Order(version(), f"{HERE}{function.__name__}", block, "unit", **more)


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


def test_a_block_has_one_thread_and_a_place_for_blocks_of_its_own():
    before = about_here()
    answer = worker.perform(order(about_here))
    assert isinstance(answer, Finished)
    assert answer.value == (1, True, True)
    assert answer.worker == "w1 (tcp://host:1)"
    assert about_here() == before
    assert worker.perform(order(about_here, holds_gpu=True)).value == (1, True, False)


def test_a_worker_without_a_name_is_called_by_its_address(here):
    here.name = here.address
    assert worker.perform(order(about_here)).worker == "tcp://host:1"


def test_an_order_of_another_version_is_refused_unread():
    answer = worker.perform(Order("9.9.9", "no.such.module:function", (), "unit"))
    assert answer == Refused("w1 (tcp://host:1)", version())


@pytest.mark.parametrize("name", ["memory", "disk", "quota"])
def test_what_the_machine_lacks_is_its_trouble(name):
    answer = worker.perform(order(fail_with, name))
    assert isinstance(answer, Troubled)
    assert answer.reason


@pytest.mark.parametrize("name", ["sentence", "defect", "other", "unsendable", "unwanted"])
def test_what_the_block_raises_is_answered(name):
    answer = worker.perform(order(fail_with, name))
    assert isinstance(answer, Failed)
    kinds = {"unsendable": RuntimeError, "unwanted": TermgaugeError}
    assert type(answer.error) is kinds.get(name, type(ERRORS[name]))


def test_a_function_that_is_not_there_is_a_failure():
    assert isinstance(worker.perform(order(about_here)._replace(function="no.such.module:function")), Failed)


def test_what_is_lacking_is_said(tmp_path):
    (tmp_path / "file.txt").write_text("text")
    artifact = artifact_of(tmp_path / "file.txt")
    answer = worker.perform(order(about_here, inputs=(artifact,)))
    assert answer == Lacking("w1 (tcp://host:1)", store(), (artifact.key,))
    assert isinstance(worker.perform(order(about_here, inputs=(artifact,), shared=True)), Finished)


def test_what_is_kept_is_forgotten_once(monkeypatch):
    forgotten = []

    def forget():
        forgotten.append(1)

    monkeypatch.setattr(worker, "_to_forget", [])
    worker.forget_when_done(forget)
    worker.forget_when_done(forget)
    worker.forget()
    assert forgotten == [1]


def test_versions_of_libraries():
    assert set(worker.versions(("numpy", "no-such-library"))) == {"numpy"}
