"""Tests of the pages of raters: the whole way, and what the server refuses."""

from __future__ import annotations

import json
import os
import threading

import pytest

from termgauge.exceptions import CannotWriteError, TermgaugeWarning
from termgauge.studies.store import Store
from tests.studies.server.served import admin_token, answer, fields, invited, marks, served, small_study


def stored(study, rater="r1"):
    with study.store() as store:
        return [(each.page, each.position, each.rating) for each in store.answers(rater)]


def rate_all(client, response, ratings):
    """Go through the study by its forms; return the last page and every address on the way."""
    way = []
    while response.url.path != "/finish":
        way.append(response.url.path)
        if response.url.path.startswith("/break"):
            response = client.get(f"/rate/{int(response.url.path.rpartition('/')[2]) + 1}/1")
            continue
        response = client.press(response, next(ratings))
        assert response.status_code == 200
    return response, way


def test_a_rater_goes_the_whole_way_with_plain_forms(study, visitor):
    token = invited(study)
    client = visitor()
    response = client.get(f"/r/{token}")
    assert response.url.path == "/instructions"
    response = client.post("/begin", data=fields(response))
    assert response.url.path == "/rate/1/1"
    rows = study.layout.filter(study.layout["group"] == 1)
    given = [str(at % 7) if at % 5 else "unknown" for at in range(rows.height)]
    response, way = rate_all(client, response, iter(given))
    assert "/break/1" in way
    response = client.post("/finish", data=fields(response))
    assert study.file.texts.thanks in response.text
    expected = [
        (page, position, None if said == "unknown" else float(said))
        for (page, position), said in zip(rows.select("page", "position").iter_rows(), given, strict=True)
    ]
    assert stored(study) == expected
    with study.store() as store:
        assert store.rater("r1").state == "finished"


def test_a_used_link_shows_thanks_and_takes_no_more_answers(study, visitor):
    token = invited(study)
    client = visitor(token)
    with study.store() as store:
        store.set_state("r1", "finished", None)
    for path in ("/", "/instructions", "/rate/1/1", "/finish", "/break/1"):
        assert study.file.texts.thanks in client.get(path).text
    refused = client.say(answer())
    assert refused.status_code == 409
    assert "finished" in refused.json()["error"]
    assert client.post("/rate/1/1", data={"csrf": client.csrf, "rating": "3", "client_id": "x"}).status_code == 409
    assert stored(study) == []


def test_a_rater_comes_back_where_they_left(study, visitor):
    token = invited(study)
    visitor(token).say(answer(1, 1), answer(1, 2), answer(1, 3))
    other_device = visitor()
    assert other_device.get(f"/r/{token}").url.path == "/rate/1/4"
    assert other_device.get("/").url.path == "/rate/1/4"


def test_no_pair_is_left_without_an_answer(study, visitor):
    client = visitor(invited(study))
    response = client.press(client.get("/rate/1/1"), None)
    assert (response.status_code, response.url.path) == (400, "/rate/1/1")
    assert study.file.texts.choose_first in response.text
    assert client.get("/rate/1/5").url.path == "/rate/1/1"
    assert client.get("/rate/2/1").url.path == "/rate/1/1"
    assert client.get("/break/1").url.path == "/rate/1/1"
    assert client.get("/finish").url.path == "/rate/1/1"
    client.post("/finish", data={"csrf": client.csrf})
    with study.store() as store:
        assert store.rater("r1").state == "active"


def test_back_needs_no_answer_and_shows_the_former_one(study, visitor):
    client = visitor(invited(study))
    client.say(answer(1, 1, 4))
    response = client.press(client.get("/rate/1/2"), None, "back")
    assert response.url.path == "/rate/1/1"
    chosen = [given["value"] for tag, given in marks(response) if tag == "input" and "checked" in given]
    assert chosen == ["4"]
    response = client.press(response, "unknown")
    assert stored(study) == [(1, 1, None)]
    chosen = [given["value"] for tag, given in marks(client.get("/rate/1/1")) if "checked" in given]
    assert chosen == ["unknown"]


def test_no_stop_is_preset(study, visitor):
    response = visitor(invited(study)).get("/rate/1/1")
    assert [given for _tag, given in marks(response) if "checked" in given] == []


@pytest.mark.parametrize("rating", [7, -1, 2.5, 1e300, 10**30, "3", True, [3], {"a": 1}, float("nan"), float("inf")])
def test_a_rating_outside_the_scale_is_not_stored(study, visitor, rating):
    client = visitor(invited(study))
    body = json.dumps({"answers": [answer(rating=rating)]})
    response = client.post("/api/answers", content=body, headers={"x-csrf-token": client.csrf})
    assert response.status_code in (200, 400)
    if response.status_code == 200:
        assert response.json()["saved"] == []
        assert "scale" in response.json()["refused"][0]["why"]
    assert client.press(client.get("/rate/1/1"), str(rating)).status_code == 400 or rating == "3"
    assert stored(study) in ([], [(1, 1, 3.0)] if rating == "3" else [])


def test_a_pair_that_the_group_does_not_see_is_refused(study, visitor):
    client = visitor(invited(study))
    response = client.say(answer(1, 999), answer(9, 1), answer(0, 0), answer(1, 1))
    assert [each["why"] for each in response.json()["refused"]] == ["There is no such pair for you in this study."] * 3
    assert len(response.json()["saved"]) == 1
    assert client.get("/rate/1/999").status_code == 404
    assert client.post("/rate/9/1", data={"csrf": client.csrf, "rating": "3", "client_id": "x"}).status_code == 404
    assert client.get("/api/pages/9").status_code == 404


def test_raters_see_the_pairs_of_their_own_group_and_nothing_else(tmp_path):
    study = small_study(tmp_path, groups=2)
    token = {group: invited(study, group, f"Secret Name {group}") for group in (1, 2)}
    words = {
        group: set(rows.join(study.pairs, on="pair")["word1"])
        for (group,), rows in study.layout.partition_by("group", as_dict=True).items()
    }
    hidden = {"kind", "consistency", "duplicate", "unique", "Secret Name", 'pair":'}
    with served(study) as make:
        client = make(token[1])
        seen = set()
        for page in (1, 2):
            response = client.get(f"/api/pages/{page}")
            assert set(response.json()) == {"page", "pages", "showings"}
            for each in response.json()["showings"]:
                assert set(each) == {"position", "word1", "word2", "answer"}
                seen.add(each["word1"])
                client.say(answer(page, each["position"], 3))
            assert not any(word in response.text for word in hidden)
            assert not any(word in client.get(f"/rate/{page}/1").text for word in ("Secret Name", token[2], token[1]))
    assert seen == words[1] != words[2]


def test_two_tabs_that_disagree_are_told_and_nothing_is_overwritten(study, visitor):
    token = invited(study)
    one, other = visitor(token), visitor(token)
    pages = one.get("/rate/1/1"), other.get("/rate/1/1")
    assert one.press(pages[0], "2").url.path == "/rate/1/2"
    conflict = other.press(pages[1], "5")
    assert conflict.status_code == 409
    chosen = [given["value"] for tag, given in marks(conflict) if tag == "input" and "checked" in given]
    assert chosen == ["2"]
    assert stored(study) == [(1, 1, 2.0)]
    assert other.press(conflict, "5").status_code == 200
    assert stored(study) == [(1, 1, 5.0)]
    refused = one.say(answer(rating=1, revision=1)).json()["refused"]
    assert refused[0]["current"] == {"rating": 5.0, "revision": 2}
    assert one.say(answer(rating=5, revision=1)).json()["saved"][0]["revision"] == 2


def test_many_tabs_at_once_store_one_answer(study, visitor):
    token = invited(study)
    clients = [visitor(token) for _ in range(6)]
    results = []
    threads = [
        threading.Thread(target=lambda at=at, client=client: results.append(client.say(answer(rating=at)).json()))
        for at, client in enumerate(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(len(each["saved"]) for each in results) == [0, 0, 0, 0, 0, 1]
    assert len(stored(study)) == 1
    current = {each["refused"][0]["current"]["rating"] for each in results if each["refused"]}
    assert current == {stored(study)[0][2]}


def test_an_answer_that_is_sent_again_counts_once(study, visitor):
    client = visitor(invited(study))
    sent = [answer(1, at, at) for at in (1, 2, 3)]
    first, again = client.say(*sent).json(), client.say(*sent).json()
    assert first == again
    assert [each["revision"] for each in again["saved"]] == [1, 1, 1]
    with study.store() as store:
        assert len(store.all_answers()) == 3


def test_changes_that_waited_are_stored_in_their_order(study, visitor):
    client = visitor(invited(study))
    response = client.say(answer(1, 1, 2, client_id="a"), answer(1, 1, 4, client_id="b")).json()
    assert [each["revision"] for each in response["saved"]] == [1, 2]
    assert stored(study) == [(1, 1, 4.0)]


def test_a_form_that_is_sent_twice_counts_once(study, visitor):
    client = visitor(invited(study))
    page = client.get("/rate/1/1")
    for _ in range(2):
        assert client.press(page, "3").url.path == "/rate/1/2"
    with study.store() as store:
        assert len(store.all_answers()) == 1


def test_ten_equal_ratings_in_a_row_give_one_warning_over_pages(tmp_path):
    study = small_study(tmp_path, groups=1, consistency=0, duplicates=0)
    places = list(study.layout.select("page", "position").iter_rows())
    with served(study) as make:
        client = make(invited(study))
        warned = [bool(client.say(answer(*place, 3)).json()["warning"]) for place in places]
        assert warned == [(at + 1) % 10 == 0 for at in range(len(places))]
        again = client.say(answer(*places[9], 3, revision=1)).json()
        assert again["warning"] is None
        last = client.say(answer(*places[9], 4, revision=1, client_id="other")).json()
        assert last["warning"] is None
        assert (
            study.file.texts.warning.replace("{count}", "10")
            == client.say(answer(*places[9], 3, revision=2)).json()["warning"]
        )


def test_not_knowing_interrupts_a_row_and_is_none(tmp_path):
    study = small_study(tmp_path, groups=1, consistency=0, duplicates=0)
    places = list(study.layout.select("page", "position").iter_rows())
    with served(study) as make:
        client = make(invited(study))
        ratings = [3] * 9 + [None] + [3] * 9 + [None] * 5
        sent = zip(places, ratings, strict=True)
        assert not any(client.say(answer(*place, rating)).json()["warning"] for place, rating in sent)
        assert client.say(answer(*places[9], 3, revision=1)).json()["warning"]


def test_the_warning_is_shown_after_a_form(tmp_path):
    study = small_study(tmp_path, groups=1, consistency=0, duplicates=0)
    warning = study.file.texts.warning.replace("{count}", "10")
    with served(study) as make:
        client = make(invited(study))
        for position in range(1, 10):
            assert warning not in client.press(client.get(f"/rate/1/{position}"), "3").text
        assert warning in client.press(client.get("/rate/1/10"), "3").text
        assert warning not in client.get("/rate/1/11").text


def test_who_misses_the_qualification_starts_again(tmp_path):
    study = small_study(tmp_path, qualification=True)
    with served(study) as make:
        client = make()
        response = client.arrive(invited(study))
        assert response.url.path == "/qualification"
        assert client.get("/rate/1/1").url.path == "/qualification"
        assert client.get("/api/pages/1").status_code == 404
        assert client.say(answer()).status_code == 409
        assert client.post("/rate/1/1", data={"csrf": client.csrf, "rating": "3", "client_id": "x"}).status_code == 409
        for wrong in ({"q1": "6", "q2": "5"}, {"q1": "6"}, {"q1": "unknown", "q2": "0"}, {}, {"q1": "nan", "q2": "0"}):
            response = client.post("/qualification", data={"csrf": client.csrf, **wrong})
            assert response.url.path == "/instructions"
            assert study.file.texts.qualification_missed in response.text
            assert client.post("/begin", data={"csrf": client.csrf}).url.path == "/qualification"
        response = client.post("/qualification", data={"csrf": client.csrf, "q1": "5", "q2": "0"})
        assert response.url.path == "/rate/1/1"
    with study.store() as store:
        assert store.rater("r1").attempts == 5


@pytest.mark.parametrize("seconds", [0, 12.25, 1e6, None])
def test_the_time_for_each_pair_is_kept(study, visitor, seconds):
    client = visitor(invited(study))
    client.say(answer(seconds=seconds))
    with study.store() as store:
        assert store.answers()[0].seconds == (None if seconds is None else min(seconds, 3600))


@pytest.mark.parametrize("body", [
    b"", b"{", b"[]", b"null", b"3", b'{"answers": 3}', b'{"answers": [3]}', b'{"answers": [{}]}', b"\xff\xfe",
    b"[" * 60_000, b'{"answers": [' + b"9" * 5000 + b"]}",
    json.dumps({"answers": [{**answer(), "seconds": -1}]}).encode(),
    json.dumps({"answers": [{**answer(), "seconds": "1"}]}).encode(),
    json.dumps({"answers": [{**answer(), "page": 1.0}]}).encode(),
    json.dumps({"answers": [{**answer(), "client_id": "x" * 65}]}).encode(),
    json.dumps({"answers": [{**answer(), "client_id": "a\nb"}]}).encode(),
    json.dumps({"answers": [{**answer(), "revision": -1}]}).encode(),
    json.dumps({"answers": [answer()] * 401}).encode(),
])  # fmt: skip
def test_what_cannot_be_read_is_refused_whole(study, visitor, body):
    client = visitor(invited(study))
    response = client.post("/api/answers", content=body, headers={"x-csrf-token": client.csrf})
    assert response.status_code == 400
    assert stored(study) == []


def test_a_paused_rater_is_told_and_nothing_is_lost(study, visitor):
    client = visitor(invited(study))
    waiting = answer()
    with study.store() as store:
        store.set_state("r1", "paused", "holiday")
    for path in ("/", "/rate/1/1", "/instructions", "/qualification"):
        response = client.get(path)
        assert study.file.texts.paused in response.text
        assert "holiday" not in response.text
    assert client.say(waiting).status_code == 409
    assert client.get("/api/pages/1").status_code == 409
    with study.store() as store:
        store.set_state("r1", "active", None)
    assert client.say(waiting).json()["saved"]


def test_on_a_full_disk_the_page_says_so_and_keeps_the_answer(study, visitor, monkeypatch):
    client = visitor(invited(study))
    waiting = answer(1, 2)
    page = client.get("/rate/1/1")

    def full(*_all, **_more):
        raise CannotWriteError("study.sqlite: the disk is full and nothing was stored; make room on it.")

    with monkeypatch.context() as patched:
        patched.setattr(Store, "answer", full)
        with pytest.warns(TermgaugeWarning, match="disk is full"):
            refused = client.press(page, "4")
        assert refused.status_code == 507
        assert "no room left" in refused.text
        assert [given["value"] for tag, given in marks(refused) if tag == "input" and "checked" in given] == ["4"]
        response = client.say(waiting)
        assert (response.status_code, "no room left" in response.json()["error"]) == (507, True)
    assert stored(study) == []
    client.press(refused, "4")
    client.say(waiting)
    assert stored(study) == [(1, 1, 4.0), (1, 2, 3.0)]


def test_a_disk_that_fills_up_loses_nothing_that_was_acknowledged(small_disk, recwarn):
    study = small_study(small_disk, words=[(f"left {at}", f"right {at}") for at in range(1500)], groups=1, pages=1)
    ballast = small_disk / "ballast"
    with served(study) as make:
        client = make(invited(study))
        free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
        ballast.write_bytes(b"x" * max(0, free - 150_000))
        acknowledged, refused = 0, None
        while refused is None:
            sent = [
                answer(1, acknowledged + at + 1, 2, client_id=f"{acknowledged + at}-{'x' * 40}") for at in range(50)
            ]
            response = client.say(*sent)
            if response.status_code == 200:
                acknowledged += len(response.json()["saved"])
            else:
                refused = response
        assert (refused.status_code, "no room left" in refused.json()["error"]) == (507, True)
        assert acknowledged > 0
        assert len(client.get("/api/pages/1").json()["showings"]) >= 1500
        ballast.unlink()
        assert len(client.say(*sent).json()["saved"]) == 50
    with study.store() as store:
        assert [each.position for each in store.all_answers()] == list(range(1, acknowledged + 51))
    assert any("disk" in str(each.message) or "written" in str(each.message) for each in recwarn)


def test_markup_in_terms_stays_text(tmp_path):
    words = [(f"<script>alert({at})</script>", f'a & b "{at}" <b>\'') for at in range(12)]
    study = small_study(tmp_path, words=words, title="<i>Title</i>")
    with served(study) as make:
        client = make(invited(study, name="<script>alert(2)</script>"))
        for path in ("/rate/1/1", "/instructions"):
            response = client.get(path)
            assert all(tag not in ("b", "i") for tag, _given in marks(response))
            assert all(given.get("src") for tag, given in marks(response) if tag == "script")
        assert "&lt;script&gt;alert(" in client.get("/rate/1/1").text
        admin = make()
        page = admin.get(f"/admin/{admin_token(study)}")
        assert all(given.get("src") for tag, given in marks(page) if tag == "script")


def test_no_page_for_raters_is_given_what_they_must_not_know(tmp_path, monkeypatch):
    from termgauge.studies.design import Showing, showings_of
    from termgauge.studies.server import rating
    from termgauge.studies.server import site as views

    forbidden = {"label", "set", "kind", "pair", "rater", "name", "raters", "key", "score", "low", "high"}
    shown = {}
    rendered = views.rendered
    monkeypatch.setattr(views, "rendered", lambda page, /, **view: shown.update({page: view}) or rendered(page, **view))
    study = small_study(tmp_path, qualification=True, groups=1, consistency=0, duplicates=0)
    with served(study) as visitor:
        client = visitor(invited(study))
        response = client.get("/qualification")
        client.post("/qualification", data={**fields(response), "q1": "6", "q2": "0"})
        for showing in showings_of(study, 1):
            response = client.press(client.get(rating.address(showing.slot)), "1")
        client.post("/finish", data={"csrf": client.csrf})
    assert set(shown) == {"instructions", "qualification", "rate", "break", "finish", "message"}
    for page, view in shown.items():
        assert forbidden.isdisjoint(view), page
    for example in shown["instructions"]["examples"]:
        assert forbidden.isdisjoint(example)
    assert all(len(pair) == 2 for pair in shown["qualification"]["pairs"])
    assert forbidden.isdisjoint(Showing._fields)
