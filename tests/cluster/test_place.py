from __future__ import annotations

import shutil

import numpy as np
import pytest

from termgauge.cluster.connect import connected, executor_of
from termgauge.cluster.messages import GivenUpError
from termgauge.exceptions import TermgaugeError
from termgauge.executor import in_order
from tests.cluster.clusters import double, fail, nested, read, total


@pytest.fixture
def place(client):
    with executor_of(client) as made:
        yield made


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
    with connected(three.address) as place:
        assert place.gpus == 0
        assert [each.value for each in place.map(double, [(1,)], label="double", gpu=True)] == [2]


def test_artifact_reach_workers_that_share_no_disk(three, tmp_path):
    (tmp_path / "text.txt").write_text("word " * 3_000_000)
    (tmp_path / "folder" / "deep").mkdir(parents=True)
    (tmp_path / "folder" / "one.txt").write_text("1")
    (tmp_path / "folder" / "empty.txt").touch()
    numbers = np.arange(1000.0)
    with connected(str(three.file)) as place:
        text, folder = place.artifact(tmp_path / "text.txt"), place.artifact(tmp_path / "folder")
        bundle = place.arrays_artifact({"numbers": numbers, "none": np.empty(0)})
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
    with connected(three.address) as place:
        done = sorted(place.map(double, [(value,) for value in range(6)], label="frail"), key=lambda each: each.number)
    assert [each.value for each in done] == [0, 2, 4, 6, 8, 10]
    assert max(each.tries for each in done) in tries
    assert three.happened("frail") == 1
    for mark in three.plan.glob("frail.*"):
        mark.unlink()


@pytest.mark.filterwarnings("ignore:The cluster has no worker now")  # on a busy machine they die faster than they come
@pytest.mark.parametrize(
    ("what", "remedy"), [("kill", "more memory"), ("memory", "more memory"), ("disk", "make room on the disks")]
)
def test_a_block_that_no_worker_can_do_is_given_up_alone(three, what, remedy):
    three.arrange(f"hopeless-{what}", what, times=4)
    with connected(three.address) as place:
        (done,) = place.map(double, [(1,)], label=f"hopeless-{what}")
        assert [each.value for each in place.map(double, [(2,)], label="other")] == [4]
    assert three.happened(f"hopeless-{what}") == 4
    assert isinstance(done.error, GivenUpError)
    assert f"hopeless-{what} was begun 4 times on the cluster and not finished" in str(done.error)
    assert remedy in str(done.error).rpartition(";")[2]


def test_what_dask_itself_cannot_do_is_given_up_at_once(three):
    three.arrange("unreadable", "error")
    with connected(three.address) as place:
        (done,) = place.map(double, [(1,)], label="unreadable")
    assert "RuntimeError: no worker can read this" in str(done.error)


def test_what_is_gone_from_a_store_is_sent_again(three, tmp_path):
    (tmp_path / "text.txt").write_text("word")
    with connected(three.address) as place:
        text = place.artifact(tmp_path / "text.txt")
        for _ in range(2):
            done = place.map(read, [(text,)] * 6, label="read", inputs=[text])
            assert [each.result() for each in done] == ["word"] * 6
            for store in three.folder.glob("w*/cache/artifacts"):
                shutil.rmtree(store)
