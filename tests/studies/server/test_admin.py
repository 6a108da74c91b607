"""Tests of the administrator's page: what can be done with raters, and that reasons are kept."""

from __future__ import annotations

import json
import re

import pytest

from tests.studies.server.served import admin_token, answer, fields, invited, marks

LINK = re.compile(r"http://127\.0\.0\.1:8000/r/([\w-]{43})")


@pytest.fixture
def admin(study, visitor):
    client = visitor()
    client.csrf = fields(client.get(f"/admin/{admin_token(study)}"))["csrf"]
    return client


def act(admin, action, reason="", rater="r1"):
    return admin.post(f"/admin/raters/{rater}", data={"csrf": admin.csrf, "action": action, "reason": reason})


def state_of(study, rater="r1"):
    with study.store() as store:
        found = store.rater(rater)
    return found.state, found.reason


def test_a_rater_is_paused_and_goes_on(study, visitor, admin):
    client = visitor(invited(study, name="Ann"))
    assert act(admin, "pause", "holiday").status_code == 200
    assert state_of(study) == ("paused", "holiday")
    assert client.say(answer()).status_code == 409
    act(admin, "resume")
    assert client.say(answer()).status_code == 200


def test_a_rater_is_left_out_with_a_reason_and_taken_back(study, visitor, admin):
    visitor(invited(study)).say(answer())
    refused = act(admin, "leave_out")
    assert refused.status_code == 400
    assert "Say why" in refused.text
    act(admin, "leave_out", "the same rating throughout")
    assert state_of(study) == ("left_out", "the same rating throughout")
    assert "the same rating throughout" in admin.get("/admin").text
    act(admin, "take_back", "was a mistake")
    assert state_of(study)[0] == "active"
    with study.store() as store:
        kept = [(event.what, event.reason) for event in store.history() if event.what in ("left_out", "active")]
    assert kept == [("left_out", "the same rating throughout"), ("active", "was a mistake")]


def test_who_has_finished_can_be_let_in_again(study, visitor, admin):
    client = visitor(invited(study))
    with study.store() as store:
        store.set_state("r1", "finished", None)
    assert act(admin, "pause", "x").status_code == 400
    act(admin, "reopen")
    assert client.say(answer()).status_code == 200


def test_a_new_link_is_shown_once(study, visitor, admin):
    former = invited(study)
    page = act(admin, "reissue")
    (token,) = set(LINK.findall(page.text))
    assert visitor().get(f"/r/{former}").status_code == 401
    assert visitor().get(f"/r/{token}").status_code == 200
    assert token not in admin.get("/admin").text


def test_raters_are_invited(study, visitor, admin):
    page = admin.post("/admin/invite", data={"csrf": admin.csrf, "group": "2", "name": "Ann <b>"})
    (token,) = set(LINK.findall(page.text))
    assert visitor().get(f"/r/{token}").status_code == 200
    with study.store() as store:
        assert [(rater.group, rater.name) for rater in store.raters()] == [(2, "Ann <b>")]
    assert "Ann &lt;b&gt;" in admin.get("/admin").text
    for group in ("", "3", "0", "x", "²", "9" * 50):
        assert admin.post("/admin/invite", data={"csrf": admin.csrf, "group": group}).status_code == 400
    long = admin.post("/admin/invite", data={"csrf": admin.csrf, "group": "1", "name": "x" * 500})
    assert long.status_code == 400


@pytest.mark.parametrize(("action", "rater"), [("fire", "r1"), ("", "r1"), ("pause", "r9"), ("pause", "x")])
def test_what_cannot_be_done_is_refused(study, admin, action, rater):
    invited(study)
    assert act(admin, action, "so", rater).status_code == 400
    assert state_of(study) == ("active", None)


def test_answers_are_downloaded_without_names(study, visitor, admin):
    visitor(invited(study, name="Ann")).say(answer(1, 1, 4), answer(1, 2, None))
    response = admin.get("/admin/answers.tsv")
    assert "attachment" in response.headers["content-disposition"]
    header, *rows = [line.split("\t") for line in response.text.splitlines()]
    assert header == ["rater", "group", "page", "position", "pair", "word1", "word2", "rating", "kind", "seconds"]
    assert [(row[0], row[2], row[3], row[7]) for row in rows] == [("r1", "1", "1", "4"), ("r1", "1", "2", "")]
    assert "Ann" not in response.text


def test_visits_are_logged_by_page_and_address_without_the_secret(study, visitor, admin):
    admin.get("/admin")
    token = admin_token(study)
    other = visitor()
    other.get(f"/admin/{token}")
    for _ in range(3):
        other.get("/admin")
    other.get("/admin/answers.tsv")
    assert visitor().get("/admin/guess").status_code == 401
    visits = other.get("/admin/data").json()["visits"]
    mine = {visit["page"]: visit for visit in visits if visit["link"] == visits[0]["link"]}
    assert {page: visit["times"] for page, visit in mine.items()} == {
        "by the link": 1, "/admin": 4, "/admin/answers.tsv": 1, "/admin/data": 1,
    }  # fmt: skip
    assert len(visits) == 6, "those by the former link are others"
    assert {visit["address"] for visit in visits} == {"testclient"}
    assert all(visit["first"] <= visit["last"] for visit in visits)
    assert token not in str(visits)
    page = other.get("/admin").text
    assert "Visits of the administrator" in page
    assert "/admin/answers.tsv</td>" in page


def test_visits_stay_in_the_folder_of_the_study(study, admin, run):
    admin.get("/admin")
    _status, out, _err = run("study", "status", study.folder, "--json")
    assert [visit["page"] for visit in json.loads(out)["visits"]] == ["by the link", "/admin"]


def test_a_raters_answers_are_erased_and_the_record_says_by_whom(study, visitor, admin):
    client = visitor(invited(study, name="Ann"))
    client.say(answer(1, 1, 4), answer(1, 2, None))
    visitor(invited(study, name="Ben")).say(answer(1, 1, 5))
    assert "Ann" in admin.get("/admin").text
    refused = act(admin, "erase", "by mail")
    assert (refused.status_code, "Nothing was erased" in refused.text) == (400, True)
    assert client.get("/").status_code == 200
    data = {"csrf": admin.csrf, "action": "erase", "reason": "by mail", "sure": "yes"}
    assert admin.post("/admin/raters/r1", data=data).status_code == 200
    assert client.get("/").status_code == 401
    assert client.say(answer(1, 3, 4)).status_code == 401
    rows = admin.get("/admin/answers.tsv").text.splitlines()[1:]
    assert [row.split("\t")[0] for row in rows] == ["r2"]
    page = admin.get("/admin").text
    assert "by the administrator from testclient: by mail" in page
    assert "Ann" not in page
    assert 'action="/admin/raters/r1"' not in page
    assert 'action="/admin/raters/r2"' in page
    for action in ("reissue", "leave_out"):
        assert "were erased" in act(admin, action, "so").text
    assert state_of(study) == ("revoked", "answers erased")


def test_the_figures_are_there_for_programs(study, visitor, admin):
    visitor(invited(study, name="Ann")).say(answer())
    document = admin.get("/admin/data").json()
    assert "r1" in str(document)
    assert admin.get("/admin/data").headers["cache-control"] == "no-store"


def test_bars_are_as_long_as_their_share_and_haste_is_flagged(study, visitor):
    ratings = [3, 3, 3, 5, 6, 6, 0, 1]
    visitor(invited(study)).say(
        *(answer(position=at, rating=rating, seconds=0.3) for at, rating in enumerate(ratings, 1))
    )
    page = visitor().get(f"/admin/{admin_token(study)}")
    bars = [each for tag, each in marks(page) if tag == "progress" and "aria-hidden" in each]
    assert [int(each["value"]) / int(each["max"]) for each in bars] == [
        ratings.count(value) / len(ratings) for value in (*range(7), None)
    ]
    assert "38 %" in page.text
    assert "0.3 s for an answer, too fast to read a pair" in page.text


def test_a_new_link_is_drawn_for_phones(admin):
    page = admin.post("/admin/invite", data={"csrf": admin.csrf, "group": "1"})
    assert LINK.search(page.text)
    assert ("svg", "qr") in [(tag, each.get("class")) for tag, each in marks(page)]
    assert "svg" not in [tag for tag, _each in marks(admin.get("/admin"))]
