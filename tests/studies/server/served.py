"""A small study that is served in this process, and visitors who use it as a browser does."""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from html.parser import HTMLParser
from types import SimpleNamespace

from starlette.testclient import TestClient

from termgauge.studies.folder import new_study, open_study
from termgauge.studies.server.serving import application
from termgauge.studies.server.site import RATER, Site

BASE = "http://127.0.0.1:8000"
PAIRS = 24
QUALIFICATION = "".join(
    f'\n[[qualification]]\nword1 = "{word}"\nword2 = "{other}"\nlow = {low}\nhigh = {high}\n'
    for word, other, low, high in (("car", "automobile", 5, 6), ("car", "sky", 0, 1))
)
_names = itertools.count()


def small_study(folder, *, qualification=False, words=None, **options):
    """Begin a study of a few pairs in two groups and two pages."""
    rows = words or [(f"left {at}", f"right {at}") for at in range(PAIRS)]
    (folder / "pairs.tsv").write_text("".join(f"{one}\t{other}\n" for one, other in rows), encoding="utf-8")
    study = new_study(folder / "study", folder / "pairs.tsv", **{"pages": 2, "seed": 3, **options})
    if not qualification:
        return study
    file = study.folder / "study.toml"
    file.write_text(file.read_text("utf-8") + QUALIFICATION, encoding="utf-8")
    return open_study(study.folder)


def invited(study, group=1, name=None, *, begun=False):
    """Invite a rater, who may have read the instructions, and return the secret of the link."""
    with study.store() as store:
        rater, token = store.invite(group, name)
        if begun:
            store.begin(rater.id)
    return token


def cookie_name(study):
    """Return the name of the cookie that raters of a study get."""
    return Site.cookie(SimpleNamespace(study=study, secure=False), RATER)


def csrf_of(study, token):
    """Return what the forms of a rater send along."""
    return Site.csrf(SimpleNamespace(study=study), token)


def admin_token(study):
    """Return the secret of the administrator's link."""
    with study.store() as store:
        return store.new_admin_token()


class _Fields(HTMLParser):
    def __init__(self):
        super().__init__()
        self.hidden, self.marks = {}, []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.marks.append((tag, given))
        if tag == "input" and given.get("type") == "hidden":
            self.hidden[given["name"]] = given.get("value") or ""


def fields(response):
    """Return the hidden fields of the forms of a page."""
    parser = _Fields()
    parser.feed(response.text)
    return parser.hidden


def marks(response):
    """Return all tags of a page with their attributes."""
    parser = _Fields()
    parser.feed(response.text)
    return parser.marks


class Visitor(TestClient):
    """Somebody with a browser."""

    csrf = ""

    def arrive(self, token):
        """Open a link, and read the instructions if they are shown."""
        response = self.get(f"/r/{token}")
        if str(response.url).endswith("/instructions") and response.status_code == 200:
            self.csrf = fields(response)["csrf"]
            response = self.post("/begin", data={"csrf": self.csrf})
        self.csrf = fields(response).get("csrf", self.csrf)
        return response

    def say(self, *answers, **headers):
        """Send answers as the script of the page does."""
        return self.post(
            "/api/answers", json={"answers": list(answers)}, headers={"x-csrf-token": self.csrf, **headers}
        )

    def press(self, response, rating, go="next", **more):
        """Fill in the form of a pair and press a button."""
        chosen = {} if rating is None else {"rating": rating}
        return self.post(response.url.path, data={**fields(response), **chosen, "go": go, **more})


def answer(page=1, position=1, rating=3, revision=0, client_id=None, seconds=1.5):
    """Return an answer as the script of the page sends it."""
    name = client_id or f"client-{next(_names)}"
    return {
        "client_id": name, "page": page, "position": position, "rating": rating, "seconds": seconds,
        "revision": revision,
    }  # fmt: skip


@contextmanager
def served(study, **options):
    """Serve a study; what is yielded makes visitors with browsers of their own."""
    app = application(study, **options)
    with Visitor(app, base_url=BASE) as first:
        waiting = [first]

        def visitor(token=None, base_url=BASE):
            made = waiting.pop() if waiting and base_url == BASE else Visitor(app, base_url=base_url)
            if token is not None:
                made.arrive(token)
            return made

        yield visitor
