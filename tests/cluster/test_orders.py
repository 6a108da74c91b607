"""Orders and answers: values that go through pickle as they are, whatever the version on the other side."""

from __future__ import annotations

import pickle

import pytest

from termgauge.cluster.orders import TRIES, Answer, Failed, Finished, Lacking, Order, Refused, Troubled
from termgauge.exceptions import TermgaugeError
from termgauge.executor import Artifact, ArtifactFile

PARCEL = Artifact("/some/file", (ArtifactFile("", 3, "abc"),))


@pytest.mark.parametrize(
    "value",
    [
        Order("1", "module:function", (1, "a", PARCEL), "unit", (PARCEL,)),
        Finished("w (tcp://host:1)", {"a": 1}, 0.5),
        Refused("w", "9.9.9"),
        Lacking("w", "host:/cache", ("k",)),
        Troubled("w", "No memory."),
    ],
)
def test_they_go_through_pickle(value):
    assert pickle.loads(pickle.dumps(value)) == value
    assert type(pickle.loads(pickle.dumps(value))) is type(value)


def test_a_failure_keeps_its_error():
    again = pickle.loads(pickle.dumps(Failed("w", TermgaugeError("No."), 0.1)))
    assert (str(again.error), type(again.error)) == ("No.", TermgaugeError)


def test_the_address_of_a_worker_is_in_its_name():
    for name in ("w (1) (tcp://host:1)", "0 (tcp://host:1)", "tcp://host:1"):
        assert Answer(name).address == "tcp://host:1"


def test_an_order_begins_with_what_any_version_must_read():
    assert Order._fields[:2] == ("version", "function")
    assert TRIES == 1 + 3, "once, and three times more"
