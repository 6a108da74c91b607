"""Tests of what visitors read when something does not work."""

from __future__ import annotations

import pytest

from termgauge.exceptions import CannotWriteError, TermgaugeWarning
from termgauge.studies.database import BusyError
from termgauge.studies.server.site import state_sentence
from termgauge.studies.store import STATES, Store
from tests.studies.server.served import answer, invited, served, small_study


@pytest.fixture
def client(tmp_path):
    study = small_study(tmp_path)
    with served(study) as make:
        yield make(invited(study))


def raising(error):
    def answer_badly(*_all, **_more):
        raise error

    return answer_badly


def test_a_busy_database_is_tried_again(client, monkeypatch):
    page = client.get("/rate/1/1")
    monkeypatch.setattr(Store, "answer", raising(BusyError("study.sqlite: held")))
    response = client.say(answer())
    assert (response.status_code, response.headers["retry-after"]) == (503, "5")
    assert "busy" in response.json()["error"]
    form = client.press(page, "3")
    assert form.status_code == 503
    assert "busy" in form.text


def test_whoever_runs_the_server_is_told_once_of_a_full_disk(client, monkeypatch):
    monkeypatch.setattr(Store, "answer", raising(CannotWriteError("study.sqlite: the disk is full.")))
    with pytest.warns(TermgaugeWarning, match="disk is full"):
        assert client.say(answer()).status_code == 507
    for _ in range(3):
        response = client.say(answer())
        assert response.status_code == 507
        assert "study.sqlite" not in response.text


def test_scripts_get_json_and_people_get_pages(client):
    missing = client.get("/nowhere")
    assert missing.status_code == 404
    assert "There is no such page." in missing.text
    assert missing.headers["content-type"].startswith("text/html")
    for path in ("/api/nowhere", "/api/answers"):
        refused = client.get(path)
        assert list(refused.json()) == ["error"]


def test_raters_are_not_told_that_they_were_left_out():
    assert len({state_sentence(state) for state in STATES if state != "finished"}) == 1
