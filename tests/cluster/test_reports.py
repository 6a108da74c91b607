"""Progress across workers: shown beside the whole, by who asks for it, until it ends."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from termgauge.cluster import watch
from termgauge.cluster.connect import executor_of
from termgauge.cluster.reports import MOST_SHOWN, Reports
from termgauge.progress import listening
from tests.cluster.clusters import double, told


@dataclass
class Listener:
    """Remembers what it is told."""

    labels: list[str] = field(default_factory=list)
    totals: list[float | None] = field(default_factory=list)
    done: list[float] = field(default_factory=list)
    open: set[int] = field(default_factory=set)

    def start(self, label, total, _unit):
        self.labels.append(label)
        self.totals.append(total)
        self.done.append(0.0)
        self.open.add(len(self.labels) - 1)
        return len(self.labels) - 1

    def advance(self, task, amount):
        assert task in self.open
        self.done[task] += amount

    def stop(self, task):
        self.open.remove(task)


class Client:
    """A client as far as reports need one."""

    def subscribe_topic(self, topic, handler):
        self.topic, self.said = topic, handler

    def unsubscribe_topic(self, topic):
        assert topic == self.topic
        self.said = None


class Blocks:
    """Blocks whose keys begin with a letter."""

    def __init__(self, letter):
        self.letter, self.begun = letter, {1: 0}

    def owns(self, key):
        return 1 if key.startswith(self.letter) else None


@pytest.fixture
def said():
    client = Client()
    made = Reports(client, "topic")

    def say(key, **what):
        client.said((0.0, {"key": key, **what}))

    return made, say


def progress(done, label="Counting", worker="tcp://host:1"):
    return {"label": label, "total": 10, "unit": "steps", "done": done, "worker": worker}


def test_what_units_say_is_shown_with_the_name_of_the_worker(said):
    made, say = said
    listener = Listener()
    with listening(listener), made.of(Blocks("a")):
        say("a1", **progress(2.0))
        say("a1", **progress(5.0))
        say("a2", **progress(1.0, worker="w7"))
        say("a1", **progress(3.0, label="Sorting"))
        assert listener.labels == ["Counting on host:1", "Counting on w7", "Sorting on host:1"]
        assert listener.done == [5.0, 1.0, 3.0]
        assert listener.open == {1, 2}
        say("a2", ended=True)
        assert listener.open == {2}
    assert listener.open == set()
    say("a1", **progress(9.0))
    assert len(listener.labels) == 3, "nobody listens any more"


def test_no_more_than_a_few_are_shown_at_once(said):
    made, say = said
    listener = Listener()
    with listening(listener), made.of(Blocks("a")):
        for number in range(MOST_SHOWN + 3):
            say(f"a{number}", **progress(1.0))
        assert len(listener.open) == MOST_SHOWN
        say("a0", ended=True)
        say("a9", **progress(2.0))
        assert len(listener.open) == MOST_SHOWN


def test_without_a_listener_nothing_is_shown_but_beginnings_are_counted(said):
    made, say = said
    blocks, others = Blocks("a"), Blocks("b")
    with made.of(blocks), made.of(others):
        say("a1", begun=True)
        say("a1", begun=True)
        say("a1", **progress(1.0))
        say("a1", ended=True)
    assert (blocks.begun[1], others.begun[1]) == (2, 0)
    assert made._shown == {}


def test_close_ends_the_subscription():
    client = Client()
    Reports(client, "topic").close()
    assert client.said is None


def test_progress_comes_from_workers(client, monkeypatch):
    monkeypatch.setattr(watch, "SAYS_SECONDS", 0.05)
    listener = Listener()
    with executor_of(client) as place, listening(listener):
        assert [each.value for each in place.map(told, [(20, 0.05)], label="count")] == [20]
        assert listener.labels
        assert all(label.startswith("Counting on ") for label in listener.labels)
        assert listener.labels[0] != "Counting on "
        assert 1 <= listener.done[0] <= 20
        assert listener.open == set()
        shown = len(listener.labels)
        list(place.map(double, [(1,)] * 5, label="double"))
        assert len(listener.labels) == shown, "what is quick is not shown"
