"""Tests of the administrator's page in words: states, actions, bars and times."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from termgauge.studies.server.admin import ACTIONS, MOST_EVENTS, STATES, ago, overview_values
from termgauge.studies.server.overview import Agreement, Overview
from termgauge.studies.server.site import rendered
from termgauge.studies.status import RaterStatus
from termgauge.studies.store import STATES as ALL_STATES
from termgauge.studies.store import Event
from tests.studies import small_study

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def seen(*raters, counts=(0, 0), agreement=None, history=(), pending=False):
    named = dict(zip(("0 no", "6 yes"), counts, strict=True))
    return Overview(raters, named, agreement, pending, history)


def shown(study, overview):
    """Return the page of the administrator, without line ends."""
    values = overview_values(study, overview)
    return rendered("admin", **values, csrf="", notice=None, link=None, qr="").replace("\n", "")


@pytest.fixture
def study(tmp_path):
    return small_study.similarity(tmp_path)


def test_every_state_has_words_and_only_actions_that_the_server_knows():
    offered = {state for _label, states, _action in ACTIONS.values() for state in states}
    assert set(STATES) == offered == set(ALL_STATES)


def test_a_study_without_raters(study):
    assert overview_values(study, seen())["next_group"] == 1
    page = shown(study, seen())
    assert "0 <small>of 0 from the raters invited" in page
    assert "<dd>– <small>is being worked out" in page
    assert "Nobody is invited yet." in page


def test_raters_are_told_in_words(study):
    ann = RaterStatus(
        "r1", 1, "Ann", "active", None, "2026-03-01T09:00:00.000Z", "2026-03-01T10:00:00.000Z", showings=14,
        answered=7, unknown=1, seconds=2.04, minutes=(0.5, None), flags=("12 equal ratings in a row",),
    )  # fmt: skip
    bo = RaterStatus("r2", 2, None, "left_out", "careless", "2026-03-01T09:00:00.000Z", showings=15)
    cy = RaterStatus("r3", 1, "Cy", "finished", None, "2026-03-01T09:00:00.000Z", showings=14)
    agreement = Agreement("interval", 0.9994, -0.25, None, {"r1": (0.5, None)})
    overview = seen(ann, bo, cy, counts=(3, 9), agreement=agreement)
    view, page = overview_values(study, overview), shown(study, overview)
    assert view["states"] == "1 active, 1 left out, 1 finished"
    assert view["next_group"] == 2  # who is left out takes no place
    assert "7 <small>of 43 from the raters invited" in page
    first, second, _third = page.split('<tr id="rater-')[1:]
    for label, value in (("Seconds per pair", "2.0"), ("IAA-1", "0.50"), ("IAA-2", "–"), ("Not known", "1")):
        assert f'data-label="{label}">{value}</td>' in first
    assert "<li>12 equal ratings in a row</li>" in first
    assert '<bdi dir="auto">Ann</bdi></th><td class="number" data-label="Page 1">0.5</td>' in page
    assert "0 of 15<progress" in second
    assert view["actions"]["r2"] == [("take_back", "Take back")]
    assert [value for _name, value, _says in view["agreement"]] == ["−0.25", "–", "0.99"]
    assert '<td class="number">3</td><td class="number">25 %</td>' in page
    assert '<td class="number">9</td><td class="number">75 %</td>' in page


def test_quality_has_alpha_alone(tmp_path):
    view = overview_values(small_study.quality(tmp_path), seen(agreement=Agreement("nominal", 0.5)))
    assert [name for name, _value, _says in view["agreement"]] == ["Krippendorff's alpha"]
    assert not view["rated"]


def test_a_long_history_is_cut_and_says_so(study):
    events = tuple(Event("2026-03-01T09:00:00.000Z", None, "administrator", None) for _ in range(MOST_EVENTS + 3))
    page = shown(study, seen(history=events))
    assert page.count("new link for the administrator") == MOST_EVENTS
    assert "3 earlier ones are not shown." in page


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
