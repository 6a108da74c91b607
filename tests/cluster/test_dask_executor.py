"""Jobs on Dask: workers that die cost nothing but time, only who kills them is given up, and what nobody wants ends."""

from __future__ import annotations

import shutil
import threading
import time

import numpy as np
import pytest

from termgauge.cluster import dask_executor
from termgauge.cluster.connect import executor_of, on_cluster
from termgauge.cluster.dask_executor import given_up, lost
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.executor import in_order
from termgauge.io.arrays import save_arrays
from tests.cluster.clusters import (
    die_with,
    double,
    fail,
    nested,
    processes,
    read,
    sized,
    total,
    unreadable,
    until,
)


@pytest.fixture
def place(client):
    return executor_of(client)


def test_blocks_are_done_and_each_is_accounted_for(place):
    done = list(place.map(double, ((value,) for value in range(40)), label="double"))
    assert sorted((each.number, each.value) for each in done) == [(value, 2 * value) for value in range(40)]
    assert {each.tries for each in done} == {1}
    assert all(each.worker and each.seconds >= 0 and each.error is None for each in done)
    assert (place.slots, place.gpus) == (2, 2)


def test_blocks_are_taken_a_few_ahead(place):
    taken = []

    def blocks():
        for value in range(100):
            taken.append(value)
            yield (value,)

    each = place.map(double, blocks(), label="double")
    next(each)
    assert len(taken) < 20
    each.close()


def test_what_a_block_raises_is_its_own(place):
    done = list(place.map(fail, [(1,), (2,)], label="failure"))
    assert sorted(str(each.error) for each in done) == ["1 is not wanted.", "2 is not wanted."]
    with pytest.raises(TermgaugeError, match="is not wanted"):
        list(in_order(done))


def test_a_block_sends_blocks_of_its_own(place):
    done = list(place.map(nested, [([1, 2, 3],), ([4],)], label="outer"))
    assert {each.number: each.result() for each in done} == {0: [2, 4, 6], 1: [8]}


def test_a_block_that_holds_a_gpu_sends_none(place):
    (done,) = place.map(nested, [([1],)], label="outer", gpu=True)
    assert done.result() is None


def test_nobody_is_asked_for_a_gpu_that_is_not_there(three):
    with on_cluster(three.address) as place:
        assert place.gpus == 0
        assert [each.value for each in place.map(double, [(1,)], label="double", gpu=True)] == [2]


def test_artifact_reach_workers_that_share_no_disk(three, tmp_path):
    (tmp_path / "text.txt").write_text("word " * 3_000_000)
    (tmp_path / "folder" / "deep").mkdir(parents=True)
    (tmp_path / "folder" / "one.txt").write_text("1")
    (tmp_path / "folder" / "empty.txt").touch()
    numbers = np.arange(1000.0)
    with on_cluster(str(three.file)) as place:
        text, folder = place.artifact(tmp_path / "text.txt"), place.artifact(tmp_path / "folder")
        bundle = place.artifact(save_arrays({"numbers": numbers, "none": np.empty(0)}))
        found = [each.result() for each in place.map(read, [(text,)] * 6, label="read", inputs=[text])]
        assert {len(each) for each in found} == {15_000_000}
        blocks = [(folder,)]
        (names,) = place.map(read, blocks, label="read", inputs=lambda artifact: [artifact])
        assert names.result() == ["empty.txt", "one.txt"]
        sums = [each.result() for each in place.map(total, [(bundle, 2)] * 4, label="sum", inputs=[bundle])]
    assert sums == [{"none": 0.0, "numbers": float(2 * numbers.sum())}] * 4
    stored = list(three.folder.glob("w*/cache/artifacts/*"))
    assert stored
    assert not [each for each in stored if each.name.startswith(".tmp-")]


# A worker that is killed may not have told that it began.
@pytest.mark.parametrize(("what", "tries"), [("kill", {1, 2}), ("memory", {2}), ("disk", {2})])
def test_what_one_worker_cannot_do_another_does(three, what, tries):
    three.arrange("frail", what)
    with on_cluster(three.address) as place:
        done = sorted(place.map(double, [(value,) for value in range(6)], label="frail"), key=lambda each: each.number)
    assert [each.value for each in done] == [0, 2, 4, 6, 8, 10]
    assert max(each.tries for each in done) in tries
    assert three.happened("frail") == 1
    for mark in three.plan.glob("frail.*"):
        mark.unlink()


@pytest.mark.filterwarnings("ignore:The cluster has no worker now")  # on a busy machine they die faster than they come
@pytest.mark.parametrize(("what", "why"), [("kill", "died"), ("memory", "memory"), ("disk", "No space left")])
def test_a_block_that_no_worker_can_do_is_given_up_alone(three, what, why):
    three.arrange(f"hopeless-{what}", what, times=4)
    with on_cluster(three.address) as place:
        (done,) = place.map(double, [(1,)], label=f"hopeless-{what}")
        assert [each.value for each in place.map(double, [(2,)], label="other")] == [4]
    assert three.happened(f"hopeless-{what}") == 4
    assert isinstance(done.error, TermgaugeError)
    assert f"hopeless-{what} was begun 4 times on the cluster and not finished" in str(done.error)
    assert why in str(done.error)


def test_what_dask_itself_cannot_do_fails_at_once(three):
    three.arrange("unreadable", "error")
    with on_cluster(three.address) as place:
        (done,) = place.map(double, [(1,)], label="unreadable")
    assert str(done.error) == "no worker can read this"


def test_what_is_gone_from_a_store_is_sent_again(three, tmp_path):
    (tmp_path / "text.txt").write_text("word")
    with on_cluster(three.address) as place:
        text = place.artifact(tmp_path / "text.txt")
        for _ in range(2):
            done = place.map(read, [(text,)] * 6, label="read", inputs=[text])
            assert [each.result() for each in done] == ["word"] * 6
            for store in three.folder.glob("w*/cache/artifacts"):
                shutil.rmtree(store)


def test_large_answers_come_whole(place):
    done = list(place.map(sized, [(size,) for size in (0, 1, 20_000_000, 3)], label="large"))
    assert {each.number: len(each.value) for each in done} == {0: 0, 1: 1, 2: 20_000_000, 3: 3}


def test_a_batch_that_is_closed_takes_nothing_from_others(place):
    for _ in range(5):
        closed = place.map(double, [(1,)] * 20, label="double")
        next(closed)
        closed.close()
        assert [done.value for done in place.map(double, [(2,)] * 4, label="double")] == [4] * 4


def test_an_answer_that_cannot_be_read_costs_its_job_alone(three):
    with on_cluster(three.address) as place:
        done = list(place.map(unreadable, [(at,) for at in range(6)], label="odd"))
    found = {each.number: each.value if each.error is None else type(each.error) for each in done}
    assert found == {0: 0, 1: 1, 2: 2, 3: TermgaugeError, 4: 4, 5: 5}


@pytest.mark.filterwarnings("ignore:The cluster has no worker now")
def test_who_kills_workers_is_given_up_and_who_waited_behind_it_is_not(three):
    with on_cluster(three.address) as place:
        began = time.monotonic()
        done = list(place.map(die_with, [(at, 2) for at in range(12)], label="poison"))
        assert time.monotonic() - began < 120
    assert {each.number: each.value for each in done} == {at: at if at != 2 else None for at in range(12)}
    (poison,) = (each for each in done if each.error is not None)
    assert isinstance(poison.error, TermgaugeError)
    assert "begun 4 times" in str(poison.error)
    assert poison.tries == 4


def test_a_job_survives_the_worker_that_was_sent_what_it_reads(three, tmp_path):
    """The job goes to the worker that has its artifacts; when that dies, another gets them and does it."""
    (tmp_path / "text.txt").write_text("some words")
    with on_cluster(three.address) as place:
        artifact = place.artifact(tmp_path / "text.txt")
        three.arrange("reading", "die_if_there")
        (done,) = place.map(read, [(artifact,)], label="reading", inputs=[artifact])
    assert three.happened("reading") == 1
    assert done.value == "some words"


def test_a_cluster_without_workers_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(dask_executor, "ALONE_SECONDS", 1.0)
    with processes(tmp_path / "cluster", 0) as none, on_cluster(none.address) as place:
        late = threading.Timer(4, none.add, ("w0",))
        late.start()
        with pytest.warns(TermgaugeWarning, match="has no worker now; waiting for one"):
            (done,) = place.map(double, [(4,)], label="double")
        late.join()
    assert done.value == 8


def test_a_scheduler_that_dies_is_said_in_a_sentence(tmp_path):
    with processes(tmp_path / "cluster", 1) as one:
        began = time.monotonic()
        with on_cluster(one.address) as place:
            each = place.map(double, ((at,) for at in range(100_000)), label="double")
            next(each)
            one.kill("scheduler")
            assert until(lambda: not one.alive("scheduler"))
            with pytest.raises(TermgaugeError, match=r"connection to the cluster was lost.*run the same command again"):
                list(each)
        assert time.monotonic() - began < 40


def test_a_worker_that_is_stopped_is_done_without(tmp_path):
    with processes(tmp_path / "cluster", 2, ttl="5s") as two, on_cluster(two.address) as place:
        two.arrange("frail", "stop")
        done = sorted(place.map(double, [(at,) for at in range(6)], label="frail"), key=lambda each: each.number)
        assert [each.value for each in done] == [0, 2, 4, 6, 8, 10]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            given_up("search", 4, "w1: no memory."),
            "The search was begun 4 times on the cluster and not finished (w1: no memory);",
        ),
        (given_up("search", 1, "KeyError: 'x'"), "was begun once on the cluster and not finished (KeyError: 'x')"),
        (lost(), "The connection to the cluster was lost; what was finished is kept, so run the same command again"),
        (lost(OSError("it broke.")), "was lost (it broke); what"),
        (lost(KeyError("workers")), "was lost; what"),
    ],
)
def test_sentences(said, expected):
    assert expected in str(said)
    assert str(said).endswith(".")
    assert "\n" not in str(said)
    assert ".." not in str(said).replace("...", "")
