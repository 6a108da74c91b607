"""Tests of who is asking: links, cookies, forged requests, and how often one may try."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from termgauge.studies.server import site as site_module
from tests.studies.server.served import BASE, Visitor, admin_token, answer, fields, invited, served, small_study

WRONG = ["x", "a" * 43, "%00", "..%2f..%2fetc%2fpasswd", "a" * 500, "a" * 2000, "é", "' OR 1=1 --"]


@pytest.mark.parametrize("token", WRONG)
def test_a_wrong_link_leads_nowhere(visitor, token):
    client = visitor()
    for path in (f"/r/{token}", f"/admin/{token}"):
        response = client.get(path)
        assert response.status_code in (401, 404, 414)
        assert "set-cookie" not in response.headers
    client.cookies.set(next(iter(cookie_names(client))), "a" * 43)
    assert client.get("/").status_code == 401


def cookie_names(client):
    site = client.app.state.site
    return [site.cookie(role) for role in (site_module.RATER, site_module.ADMIN)]


def test_without_a_link_every_page_is_closed(visitor):
    client = visitor()
    for path in ("/", "/instructions", "/rate/1/1", "/break/1", "/finish", "/qualification", "/api/pages/1"):
        assert client.get(path).status_code == 401
    for path in ("/begin", "/rate/1/1", "/finish", "/qualification", "/sign-out", "/admin/sign-out"):
        assert client.post(path, data={"csrf": "x"}).status_code == 401
    for path in ("/admin", "/admin/data", "/admin/answers.tsv"):
        assert client.get(path).status_code == 401
    for path in ("/admin/invite", "/admin/raters/r1"):
        assert client.post(path, data={"csrf": "x"}).status_code == 401
    response = client.post("/api/answers", json={"answers": [answer()]})
    assert (response.status_code, list(response.json())) == (401, ["error"])


def test_a_revoked_or_replaced_link_ends_the_visit(study, visitor):
    token = invited(study)
    client = visitor(token)
    assert client.say(answer()).status_code == 200
    with study.store() as store:
        again = store.reissue("r1")
    assert client.get("/").status_code == 401
    assert client.say(answer(position=2)).status_code == 401
    assert client.get(f"/r/{token}").status_code == 401
    client = visitor(again)
    with study.store() as store:
        store.set_state("r1", "revoked", None)
    assert client.get("/").status_code == 401
    with study.store() as store:
        assert len(store.answers()) == 1


def test_a_raters_link_opens_no_page_of_the_administrator(study, visitor):
    token = invited(study)
    client = visitor(token)
    assert client.get("/admin").status_code == 401
    assert client.get(f"/admin/{token}").status_code == 401
    client.cookies.set(cookie_names(client)[1], token)
    assert client.get("/admin").status_code == 401
    other = visitor()
    assert other.get(f"/r/{admin_token(study)}").status_code == 401


@pytest.mark.parametrize("public_url", [None, "https://study.example.org"])
def test_the_cookie_is_out_of_reach_and_the_secret_leaves_the_address(tmp_path, public_url):
    study = small_study(tmp_path)
    with served(study, public_url=public_url) as make:
        client = make()
        response = client.get(f"/r/{invited(study)}", follow_redirects=False)
        assert (response.status_code, response.headers["location"]) == (303, "/")
        cookie = response.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert "Path=/" in cookie
        assert "Domain" not in cookie
        assert ("Secure" in cookie) == (public_url is not None)
        assert cookie.startswith("__Host-") == (public_url is not None)
        assert study.id in cookie
        admin = make().get(f"/admin/{admin_token(study)}", follow_redirects=False)
        assert admin.headers["location"] == "/admin"
        assert admin.headers["set-cookie"].partition("=")[0] != cookie.partition("=")[0]


FORGED = [
    {"origin": "https://evil.example"},
    {"origin": "http://127.0.0.1:9000"},
    {"origin": "file://"},
    {"origin": "http://["},
    {"origin": "null", "sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
]


@pytest.mark.parametrize("headers", FORGED)
def test_a_page_of_another_site_can_do_nothing(study, visitor, headers):
    client = visitor(invited(study))
    response = client.say(answer(), **headers)
    assert (response.status_code, list(response.json())) == (403, ["error"])
    for path, more in {"/begin": {}, "/rate/1/1": {"rating": "3", "client_id": "x"}, "/finish": {}}.items():
        assert client.post(path, data={"csrf": client.csrf, **more}, headers=headers).status_code == 403
    admin = visitor()
    csrf = fields(admin.get(f"/admin/{admin_token(study)}"))["csrf"]
    invited_by_others = admin.post("/admin/invite", data={"csrf": csrf, "group": "1"}, headers=headers)
    assert invited_by_others.status_code == 403
    with study.store() as store:
        assert store.answers() == []
        assert len(store.raters()) == 1


@pytest.mark.parametrize("headers", [
    {}, {"origin": BASE}, {"origin": BASE, "sec-fetch-site": "same-origin"},
    {"origin": "null", "sec-fetch-site": "same-origin"},
])  # fmt: skip
def test_a_page_of_this_site_can(study, visitor, headers):
    assert visitor(invited(study)).say(answer(), **headers).json()["saved"]


@pytest.mark.parametrize("csrf", ["", "x", "é", "0" * 64])
def test_without_the_proof_of_the_form_nothing_is_done(study, visitor, csrf):
    client = visitor(invited(study))
    client.csrf = csrf.encode()
    assert client.say(answer()).status_code == 403
    assert client.post("/begin", data={"csrf": csrf}).status_code == 403
    assert client.post("/rate/1/1", data={"csrf": csrf, "rating": "3", "client_id": "x"}).status_code == 403
    with study.store() as store:
        assert store.answers() == []


def test_the_proof_of_another_rater_or_study_does_not_count(tmp_path):
    studies = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        studies.append(small_study(tmp_path / name))
    with served(studies[0]) as make, served(studies[1]) as make_other:
        first, second = make(invited(studies[0])), make(invited(studies[0]))
        elsewhere = make_other(invited(studies[1]))
        assert len({first.csrf, second.csrf, elsewhere.csrf}) == 3
        for csrf in (second.csrf, elsewhere.csrf):
            first.csrf, mine = csrf, first.csrf
            assert first.say(answer()).status_code == 403
            first.csrf = mine
        for name, value in elsewhere.cookies.items():
            second.cookies.set(name, value)
        assert second.say(answer()).json()["saved"], "a cookie of another study changes nothing"
    with studies[0].store() as store:
        assert [each.rater for each in store.answers()] == ["r2"]


def test_who_tries_many_links_has_to_wait_and_nobody_else(study, visitor):
    token = invited(study)
    client = visitor()
    statuses = [client.get(f"/r/{at}").status_code for at in range(site_module.WRONG_AT_ONCE + 5)]
    assert statuses == [401] * site_module.WRONG_AT_ONCE + [429] * 5
    refused = client.get("/r/x")
    assert int(refused.headers["retry-after"]) >= 1
    assert client.get(f"/r/{token}").status_code == 200


def test_who_has_a_former_link_is_told_so_whatever_others_at_the_address_try(study, visitor):
    former = invited(study)
    with study.store() as store:
        store.reissue("r1")
    client = visitor()
    assert 429 in [client.get(f"/r/{at}").status_code for at in range(site_module.WRONG_AT_ONCE + 5)]
    refused = client.get(f"/r/{former}")
    assert refused.status_code == 401
    assert "ask the person who sent it for a new one" in refused.text


def test_a_link_that_is_used_too_often_elsewhere_works_here(study, visitor):
    token = invited(study)
    client = visitor(token)
    other = Visitor(client.app, base_url=BASE, client=("203.0.113.9", 1))
    client.app.state.site.link_throttle = site_module.Throttle(0.001, 3)
    assert [other.get(f"/r/{token}", follow_redirects=False).status_code for _ in range(4)] == [303] * 3 + [429]
    assert client.get("/api/pages/1").status_code == 200


def in_database(study, statement, *values):
    """Change the file of a study from outside."""
    with closing(sqlite3.connect(study.folder / "study.sqlite")) as file, file:
        file.execute(statement, values)


def days_ago(study, column, days):
    in_database(study, f"UPDATE tokens SET {column} = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-{days} days')")


def test_a_link_expires_and_a_new_one_goes_on(study, visitor):
    token = invited(study)
    client = visitor(token)
    assert client.say(answer()).status_code == 200
    days_ago(study, "expires", -1)
    assert client.get("/rate/1/2").status_code == 200
    days_ago(study, "expires", 0)
    for path in ("/", "/rate/1/2", f"/r/{token}"):
        page = client.get(path)
        assert page.status_code == 401
        assert "This link has expired. The answers that you have given are kept." in page.text
    refused = client.say(answer(position=2))
    assert (refused.status_code, "has expired" in refused.json()["error"]) == (401, True)
    with study.store() as store:
        again = store.reissue("r1", days=2)
    assert visitor(again).say(answer(position=2)).status_code == 200
    with study.store() as store:
        assert len(store.answers()) == 2


def test_a_server_can_let_all_links_expire(study):
    tokens = invited(study), admin_token(study)
    with served(study, expire_after=7) as make:
        for days, status in ((6, 303), (8, 401)):
            days_ago(study, "issued", days)
            for path, token in zip(("r", "admin"), tokens, strict=True):
                assert make().get(f"/{path}/{token}", follow_redirects=False).status_code == status


@pytest.mark.parametrize("public_url", [None, "https://study.example.org"])
def test_who_signs_out_needs_the_link_again(study, public_url):
    with served(study, public_url=public_url) as make:
        client = make(base_url=public_url or BASE)
        links = {"/": f"/r/{invited(study)}", "/admin": f"/admin/{admin_token(study)}"}
        for home, link in links.items():
            assert client.get(link).status_code == 200
            assert client.get(home).status_code == 200
        for home, link in links.items():
            path = f"{home.rstrip('/')}/sign-out"
            assert client.post(path, data={"csrf": "x"}).status_code == 403
            done = client.post(path, data={"csrf": fields(client.get(home))["csrf"]})
            assert (done.status_code, "You are signed out" in done.text) == (200, True)
            assert client.get(home).status_code == 401
            assert client.get(links["/admin"] if home == "/" else links["/"]).status_code == 200, "the other one stays"
            assert client.get(link).status_code == 200
            client.post(path, data={"csrf": fields(client.get(home))["csrf"]})


def test_who_has_finished_can_sign_out(study, visitor):
    client = visitor(invited(study))
    with study.store() as store:
        store.set_state("r1", "finished", None)
    assert client.post("/sign-out", data=fields(client.get("/"))).status_code == 200
    assert client.get("/").status_code == 401


def test_one_link_can_be_used_often_but_not_without_end(study, visitor):
    client = visitor(invited(study))
    statuses = {client.get("/api/pages/1").status_code for _ in range(site_module.REQUESTS_AT_ONCE // 2)}
    assert statuses == {200}
    site = client.app.state.site
    site.link_throttle = site_module.Throttle(0.001, 3)
    statuses = [client.get("/api/pages/1").status_code for _ in range(5)]
    assert statuses == [200, 200, 200, 429, 429]
    assert visitor().get(f"/r/{invited(study)}").status_code == 200


def test_other_kinds_of_forms_are_refused(study, visitor):
    client = visitor(invited(study))
    multipart = client.post("/begin", files={"csrf": client.csrf})
    assert multipart.status_code == 415
    plain = client.post("/begin", content=b"csrf=x", headers={"content-type": "text/plain"})
    assert plain.status_code == 415
    many = client.post("/begin", data={f"f{at}": "x" for at in range(200)})
    assert many.status_code == 400
