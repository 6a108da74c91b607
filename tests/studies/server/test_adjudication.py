"""Tests of the page on which the administrator decides about pairs."""

from __future__ import annotations

import pytest

from tests.studies.server.served import admin_token, answer, fields, invited, marks, served, small_study

HOSTILE = "<img src=x>"


@pytest.fixture
def study(tmp_path):
    words = [(f"left {at} {HOSTILE}", f"right {at}") for at in range(12)]
    return small_study(tmp_path, words=words, groups=1, pages=1, consistency=0, duplicates=0)


@pytest.fixture
def admin(study):
    with served(study) as visitor:
        for rating in (0, 6):
            visitor(invited(study)).say(answer(position=1, rating=rating), answer(position=2, rating=3))
        client = visitor()
        client.csrf = fields(client.get(f"/admin/{admin_token(study)}"))["csrf"]
        client.rater = visitor(invited(study))
        yield client


def decide(admin, pair, rating="2", reason="because", **more):
    return admin.post(
        f"/admin/adjudication/{pair}", data={"csrf": admin.csrf, "rating": rating, "reason": reason, **more}
    )


def decisions(study):
    with study.store() as store:
        return [(each.pair, each.rating, each.reason) for each in store.adjudications()]


def test_a_pair_is_decided_and_decided_anew(study, admin):
    pair = study.layout["pair"][0]
    page = admin.get("/admin/adjudication")
    assert "1 of 1 is not decided yet" in page.text
    assert HOSTILE not in page.text
    assert [each["action"] for tag, each in marks(page) if tag == "form"] == [f"/admin/adjudication/{pair}"]
    with study.store() as store:
        before = store.all_answers()
    assert "0 of 1 are not decided yet" in decide(admin, pair, reason=f"why {HOSTILE}").text
    assert HOSTILE not in admin.get("/admin/adjudication").text
    decide(admin, pair, "unknown", "cannot be told")
    assert decisions(study) == [(pair, 2.0, f"why {HOSTILE}"), (pair, None, "cannot be told")]
    with study.store() as store:
        assert store.all_answers() == before


def test_what_is_refused(study, admin):
    assert decide(admin, 1, reason=" ").status_code == 400
    assert "Say why" in decide(admin, 1, reason="").text
    for pair, rating in ((0, "2"), (99, "2"), (1, "9"), (1, ""), (1, "nan")):
        assert decide(admin, pair, rating).status_code == 400
    assert decide(admin, 1, csrf="guess").status_code == 403
    assert admin.get("/admin/adjudication/1").status_code == 405
    assert admin.rater.get("/admin/adjudication").status_code == 401
    assert admin.rater.post("/admin/adjudication/1", data={"rating": "2", "reason": "x"}).status_code == 401
    assert decisions(study) == []
