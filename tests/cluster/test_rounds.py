"""Blocks on their way: workers that die cost nothing but time, and only who kills them is given up."""

from __future__ import annotations

import threading
import time

import pytest

from termgauge.cluster import rounds
from termgauge.cluster.connect import connected, executor_of
from termgauge.cluster.messages import GivenUpError
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.cluster.clusters import die_with, double, processes, read, sized, unreadable, until


@pytest.fixture
def place(client):
    with executor_of(client) as made:
        yield made


def test_keys_are_those_of_their_round(place):
    first, second = (rounds.Round(place, None, ()) for _ in range(2))
    key = f"a_b-{first._token}-12-3"
    assert (first.owns(key), second.owns(key)) == (12, None)
    assert first.owns(f"-{first._token}-1-0") is None
    assert first.owns(f"a-{first._token}-x-0") is None


def test_large_answers_come_whole(place):
    done = list(place.map(sized, [(size,) for size in (0, 1, 20_000_000, 3)], label="large"))
    assert {each.number: len(each.value) for each in done} == {0: 0, 1: 1, 2: 20_000_000, 3: 3}


def test_a_round_that_is_closed_takes_nothing_from_others(place):
    for _ in range(5):
        closed = place.map(double, [(1,)] * 20, label="double")
        next(closed)
        closed.close()
        assert [done.value for done in place.map(double, [(2,)] * 4, label="double")] == [4] * 4


def test_an_answer_that_cannot_be_read_costs_its_block_alone(three):
    with connected(three.address) as place:
        done = list(place.map(unreadable, [(at,) for at in range(6)], label="odd"))
    found = {each.number: each.value if each.error is None else type(each.error) for each in done}
    assert found == {0: 0, 1: 1, 2: 2, 3: GivenUpError, 4: 4, 5: 5}


@pytest.mark.filterwarnings("ignore:The cluster has no worker now")
def test_who_kills_workers_is_given_up_and_who_waited_behind_it_is_not(three):
    with connected(three.address) as place:
        began = time.monotonic()
        done = list(place.map(die_with, [(at, 2) for at in range(12)], label="poison"))
        assert time.monotonic() - began < 60
    assert {each.number: each.value for each in done} == {at: at if at != 2 else None for at in range(12)}
    (poison,) = (each for each in done if each.error is not None)
    assert isinstance(poison.error, GivenUpError)
    assert "begun 4 times" in str(poison.error)
    assert poison.tries == 4


def test_a_block_that_was_sent_to_one_worker_alone_survives_that_worker(three, tmp_path):
    """Artifacts are at that worker, so the block goes there; when it dies, another gets them and does it."""
    (tmp_path / "text.txt").write_text("some words")
    with connected(three.address) as place:
        artifact = place.artifact(tmp_path / "text.txt")
        three.arrange("reading", "die_if_there")
        began = time.monotonic()
        (done,) = place.map(read, [(artifact,)], label="reading", inputs=[artifact])
        assert time.monotonic() - began < 30
    assert three.happened("reading") == 1
    assert (done.value, done.tries) == ("some words", 2)


@pytest.mark.long
def test_a_cluster_without_workers_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(rounds, "ALONE_SECONDS", 1.0)
    with processes(tmp_path / "cluster", 0) as none, connected(none.address) as place:
        late = threading.Timer(4, none.add, ("w0",))
        late.start()
        with pytest.warns(TermgaugeWarning, match="has no worker now; waiting for one"):
            (done,) = place.map(double, [(4,)], label="double")
        late.join()
    assert done.value == 8


@pytest.mark.long
def test_a_scheduler_that_dies_is_said_in_a_sentence(tmp_path):
    with processes(tmp_path / "cluster", 1) as one:
        began = time.monotonic()
        with connected(one.address) as place:
            each = place.map(double, ((at,) for at in range(100_000)), label="double")
            next(each)
            one.kill("scheduler")
            assert until(lambda: not one.alive("scheduler"))
            with pytest.raises(TermgaugeError, match=r"connection to the cluster was lost.*run the same command again"):
                list(each)
        assert time.monotonic() - began < 40
