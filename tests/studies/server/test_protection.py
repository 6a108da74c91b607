"""Tests of what stands before every page: headers, names of the server, sizes, and defects."""

from __future__ import annotations

import asyncio

import pytest

from termgauge.exceptions import TermgaugeWarning
from termgauge.studies.server import protection
from termgauge.studies.server.protection import MOST_BODY, MOST_READ, Protection
from tests.studies.server.served import admin_token, answer, invited, marks, served


def test_every_answer_has_the_headers(study, visitor):
    client = visitor(invited(study))
    admin = visitor()
    responses = [
        client.get("/rate/1/1"), client.get("/nowhere"), client.put("/"), client.say(answer()), client.say(),
        client.get("/static/style.css"), client.get("/api/pages/1"), visitor().get("/"),
        client.get("/", headers={"host": "evil.example"}), client.post("/begin", content=b"x" * (MOST_BODY + 1)),
        admin.get(f"/admin/{admin_token(study)}"), admin.get("/admin/answers.tsv"),
    ]  # fmt: skip
    for response in responses:
        policy = response.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; ")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["cross-origin-opener-policy"] == "same-origin"
        assert response.headers["cross-origin-resource-policy"] == "same-origin"
        assert "geolocation=()" in response.headers["permissions-policy"]
        assert "server" not in response.headers
        assert response.headers["cache-control"] == ("no-cache" if "/static" in response.url.path else "no-store")
        assert "strict-transport-security" not in response.headers


def test_by_https_only_stays_by_https(study):
    with served(study, public_url="https://study.example.org") as make:
        assert "max-age" in make().get("/").headers["strict-transport-security"]


def test_pages_load_nothing_but_files_of_the_server_and_have_no_script_within(study, visitor):
    client = visitor(invited(study))
    admin = visitor()
    pages = [client.get("/instructions"), client.get("/rate/1/1"), admin.get(f"/admin/{admin_token(study)}")]
    for page in pages:
        for tag, given in marks(page):
            assert not any(name.startswith("on") or name == "style" for name in given), (tag, given)
            for name in ("src", "href", "action"):
                assert given.get(name, "/").startswith(("/", "data:,", "#")), (tag, given)
            assert tag != "style"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "evil.example:8000",
        "10.0.0.1",
        "a b",
        "",
        "[",
        "[::1",
        "]",
        "x@localhost",
    ],
)
def test_a_server_for_this_machine_has_no_other_name(study, visitor, host):
    client = visitor(invited(study))
    assert client.get("/", headers={"host": host}).status_code == 400
    assert client.say(answer(), host=host, origin=f"http://{host}").status_code == 400


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8000", "127.8.8.8", "[::1]:8000"])
def test_a_server_for_this_machine_has_all_names_of_this_machine(visitor, host):
    assert visitor().get("/", headers={"host": host}).status_code == 401


def test_a_server_behind_another_has_the_name_of_that_too(study):
    public = "https://study.example.org"
    with served(study, public_url=public) as make:
        client = make(invited(study), base_url=public)
        assert client.say(answer(), origin=public).json()["saved"]
        assert client.say(answer(position=2), origin=public, host="127.0.0.1:8000").json()["saved"]
        assert client.say(answer(position=3), origin="https://evil.example").status_code == 403
        assert make().get("/", headers={"host": "evil.example"}).status_code == 400


def test_a_server_for_all_machines_has_any_name(study):
    with served(study, loopback=False) as make:
        assert make().get("/", headers={"host": "study.local:8000"}).status_code == 401


@pytest.mark.parametrize("path", [
    "/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static/base.html.jinja", "/static/",
    "/static/style.css/..", "/../study.sqlite", "/%2e%2e/study.sqlite", "/study.sqlite", "/rate/../admin", "/rate/1/x",
    "/rate/1/-1", "/rate/99999999999999999999/1", "/r/", "/r/a/b", "/.env", "/admin/raters/..",
    "/break/1/../../r", "/rate/" + "9" * 5000 + "/1", "/rate/" + "9" * 900 + "/1", "/\\..\\x",
])  # fmt: skip
def test_paths_that_do_not_exist_are_not_found(study, visitor, path):
    client = visitor(invited(study))
    response = client.get(path)
    assert response.status_code in (401, 404, 405, 414)
    assert "Traceback" not in response.text


@pytest.mark.parametrize(("method", "path"), [
    ("PUT", "/"), ("DELETE", "/rate/1/1"), ("PATCH", "/api/answers"), ("POST", "/"), ("POST", "/static/style.css"),
    ("GET", "/api/answers"), ("GET", "/begin"), ("OPTIONS", "/api/answers"), ("TRACE", "/"), ("POST", "/r/x"),
    ("GET", "/admin/raters/r1"), ("FOO", "/"),
])  # fmt: skip
def test_other_methods_are_refused(study, visitor, method, path):
    assert visitor(invited(study)).request(method, path).status_code == 405


def test_a_body_up_to_the_limit_is_read_and_a_larger_one_is_not(study, visitor):
    client = visitor(invited(study))
    headers = {"x-csrf-token": client.csrf}
    at_limit = client.post("/api/answers", content=b" " * MOST_BODY, headers=headers)
    assert at_limit.status_code == 400
    for size in (MOST_BODY + 1, MOST_READ + 1):
        refused = client.post("/api/answers", content=b" " * size, headers=headers)
        assert (refused.status_code, list(refused.json())) == (413, ["error"])
        assert refused.headers["connection"] == "close"


def called(headers, receive, app=None):
    """Answer one request; return its status and how many pieces of the body were read."""
    read, statuses = 0, []

    async def counted():
        nonlocal read
        read += 1
        return await receive()

    async def send(message):
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async def nothing(_scope, _receive, _send):
        pytest.fail("the application was reached")

    protected = Protection(app or nothing, loopback=True, public_url=None)
    scope = {"type": "http", "method": "POST", "path": "/api/answers", "headers": [(b"host", b"localhost"), *headers]}
    asyncio.run(protected(scope, counted, send))
    return statuses, read


@pytest.mark.parametrize("headers", [[], [(b"content-length", b"10")], [(b"transfer-encoding", b"chunked")]])
def test_a_hundred_megabytes_are_not_read_whatever_the_client_says(headers):
    async def endless():
        return {"type": "http.request", "body": b"x" * 65536, "more_body": True}

    statuses, read = called(headers, endless)
    assert statuses == [413]
    assert read <= MOST_READ // 65536 + 1


@pytest.mark.parametrize("length", [b"100000000", b"99999999999999999999", b"-1", b"ten"])
def test_a_length_that_is_too_large_is_refused_unread(length):
    async def never():
        pytest.fail("the body was read")

    assert called([(b"content-length", length)], never) == ([413], 0)


def test_a_body_that_never_comes_is_given_up(monkeypatch):
    monkeypatch.setattr(protection, "BODY_SECONDS", 0.05)

    async def never():
        await asyncio.sleep(60)

    assert called([], never) == ([408], 1)


def test_a_request_that_hangs_is_given_up(monkeypatch):
    monkeypatch.setattr(protection, "REQUEST_SECONDS", 0.05)

    async def body():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def hangs(_scope, _receive, _send):
        await asyncio.sleep(60)

    assert called([], body, hangs) == ([408], 1)


def test_a_defect_is_told_to_whoever_runs_the_server_and_not_to_the_visitor(study, visitor, monkeypatch):
    client = visitor(invited(study))
    site = client.app.state.site
    monkeypatch.setattr(site.store, "answers", lambda *_all: 1 / 0)
    with pytest.warns(TermgaugeWarning, match=r"defect of termgauge \(ZeroDivisionError"):
        response = client.get("/rate/1/1")
    assert response.status_code == 500
    assert "Zero" not in response.text
    monkeypatch.undo()
    assert client.get("/rate/1/1").status_code == 200
