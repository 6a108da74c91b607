"""Tests of the administrator's page in words: states, actions, bars and times."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from termgauge.studies.server.admin import ACTIONS, MOST_EVENTS, STATES, ago, overview_values
from termgauge.studies.server.overview import Agreement, Overview
from termgauge.studies.status import RaterStatus
from termgauge.studies.store import STATES as ALL_STATES
from termgauge.studies.store import Event
from tests.studies import small_study

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def seen(*raters, counts=(0, 0), agreement=None, history=(), pending=False):
    named = dict(zip(("0 no", "6 yes"), counts, strict=True))
    return Overview(raters, named, agreement, pending, history)


@pytest.fixture
def study(tmp_path):
    return small_study.similarity(tmp_path)


def test_every_state_has_words_and_only_actions_that_the_server_knows():
    offered = {state for _label, states, _action in ACTIONS.values() for state in states}
    assert set(STATES) == offered == set(ALL_STATES)


def test_a_study_without_raters(study):
    view = overview_values(study, seen())
    assert (view["done"], view["all"], view["states"], view["next_group"]) == (0, 0, "", 1)
    assert view["agreement"][0]["says"] == "is being worked out"
    assert view["given"] == 0


def test_raters_are_told_in_words(study):
    ann = RaterStatus(
        "r1", 1, "Ann", "active", None, "2026-03-01T09:00:00.000Z", "2026-03-01T10:00:00.000Z", showings=14,
        answered=7, unknown=1, seconds=2.04, minutes=(0.5, None), flags=("12 equal ratings in a row",),
    )  # fmt: skip
    bo = RaterStatus("r2", 2, None, "left_out", "careless", "2026-03-01T09:00:00.000Z", showings=15)
    cy = RaterStatus("r3", 1, "Cy", "finished", None, "2026-03-01T09:00:00.000Z", showings=14)
    agreement = Agreement("interval", 0.9994, -0.25, None, {"r1": (0.5, None)})
    view = overview_values(study, seen(ann, bo, cy, counts=(3, 9), agreement=agreement))
    assert (view["done"], view["all"], view["states"]) == (7, 43, "1 active, 1 left out, 1 finished")
    assert view["next_group"] == 2  # who is left out takes no place
    first, second, _third = view["raters"]
    assert (first["pace"], first["iaa1"], first["iaa2"], first["minutes"]) == ("2.0", "0.50", "–", ["0.5", "–"])
    assert first["flags"] == ("12 equal ratings in a row",)
    assert (second["done"], second["minutes"], second["actions"]) == (0, ["–", "–"], [("take_back", "Take back")])
    assert [each["value"] for each in view["agreement"]] == ["−0.25", "–", "0.99"]
    assert [(bar["count"], bar["share"]) for bar in view["distribution"]] == [(3, "25 %"), (9, "75 %")]


def test_quality_has_alpha_alone(tmp_path):
    view = overview_values(small_study.quality(tmp_path), seen(agreement=Agreement("nominal", 0.5)))
    assert [each["name"] for each in view["agreement"]] == ["Krippendorff's alpha"]
    assert not view["rated"]


def test_a_long_history_is_cut_and_says_so(study):
    events = tuple(Event("2026-03-01T09:00:00.000Z", None, "administrator", None) for _ in range(MOST_EVENTS + 3))
    view = overview_values(study, seen(history=events))
    assert (len(view["history"]), view["earlier"]) == (MOST_EVENTS, 3)


@pytest.mark.parametrize(
    ("then", "said"),
    [
        ("2026-03-01T11:59:30.000Z", "just now"),
        ("2026-03-01T12:00:30.000Z", "just now"),  # clocks differ
        ("2026-03-01T11:58:59.000Z", "1 minute ago"),
        ("2026-03-01T09:30:00.000Z", "2 hours ago"),
        ("2026-02-01T12:00:00.000Z", "28 days ago"),
    ],
)
def test_times_are_told_as_people_do(then, said):
    assert ago(then, NOW) == said
