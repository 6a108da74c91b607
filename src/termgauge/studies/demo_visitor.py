"""Somebody at the pages of a study, without a browser: follows a link, reads, answers page by page, and finishes.

It goes the way that the script of the page goes, over HTTP, and knows no more than a browser would.
"""

from __future__ import annotations

import http.client
import json
import secrets
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

_SECONDS = 30
_MOST_ANSWERS = 20
"""Answers that are sent at once."""
_TRIES = 3


class Visitor:
    """A visit of one rater."""

    def __init__(self, link: str) -> None:
        parts = urlsplit(link)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=_SECONDS)
        self._path, self._cookie = parts.path, ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._connection.close()

    def rate_all(self, says: Callable[[str, str], tuple[float | None, float]]) -> int:
        """Answer all pairs by what `says` says to two words, a rating and seconds; return how many there were."""
        self._get(self._path)
        csrf = _Csrf.of(self._get("/instructions"))
        self._post("/begin", urlencode({"csrf": csrf}), "application/x-www-form-urlencoded")
        page, pages, answered = 1, 1, 0
        while page <= pages:
            shown = json.loads(self._get(f"/api/pages/{page}"))
            pages = shown["pages"]
            answers = [self._answer(page, each, says) for each in shown["showings"] if each["answer"] is None]
            for start in range(0, len(answers), _MOST_ANSWERS):
                self._send(answers[start : start + _MOST_ANSWERS], csrf)
            answered += len(answers)
            page += 1
        self._post("/finish", urlencode({"csrf": csrf}), "application/x-www-form-urlencoded")
        return answered

    def _answer(
        self, page: int, showing: dict[str, Any], says: Callable[[str, str], tuple[float | None, float]]
    ) -> dict[str, Any]:
        rating, seconds = says(showing["word1"], showing["word2"])
        place = {"page": page, "position": showing["position"], "revision": 0}
        return {**place, "client_id": secrets.token_urlsafe(16), "rating": rating, "seconds": seconds}

    def _send(self, answers: list[dict[str, Any]], csrf: str) -> None:
        sent = self._post("/api/answers", json.dumps({"answers": answers}), "application/json", csrf=csrf)
        said = json.loads(sent)
        if len(said["saved"]) != len(answers):
            why = next((each["why"] for each in said["refused"]), "it gave no reason")
            raise TermgaugeError(f"The server of the demonstration refused an answer: {why}")

    def _get(self, path: str) -> str:
        return self._ask("GET", path)

    def _post(self, path: str, body: str, kind: str, *, csrf: str = "") -> str:
        headers = {"Content-Type": kind, **({"X-CSRF-Token": csrf} if csrf else {})}
        return self._ask("POST", path, body, headers)

    def _ask(self, method: str, path: str, body: str | None = None, headers: dict[str, str] | None = None) -> str:
        cookie = {"Cookie": self._cookie} if self._cookie else {}
        for attempt in range(1, _TRIES + 1):
            try:
                self._connection.request(method, path, body, {**(headers or {}), **cookie})
                answer = self._connection.getresponse()
                text = answer.read().decode("utf-8")
                break
            except (
                OSError,
                http.client.HTTPException,
            ) as error:  # the same answers may be sent again: none counts twice
                self._connection.close()
                if attempt == _TRIES:
                    raise TermgaugeError(f"The server of the demonstration cannot be reached ({error}).") from error
        if given := answer.getheader("Set-Cookie"):
            self._cookie = given.partition(";")[0]
        if answer.status >= 400:
            raise TermgaugeError(f"The server of the demonstration answered {path} with status {answer.status}.")
        return text


class _Csrf(HTMLParser):
    """Finds what a form has to send along."""

    found = ""

    @classmethod
    def of(cls, page: str) -> str:
        parser = cls()
        parser.feed(page)
        if not parser.found:
            raise TermgaugeError("The server of the demonstration gave a page without its form.")
        return parser.found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at a tag."""
        given = dict(attrs)
        if tag == "input" and given.get("name") == "csrf":
            self.found = given.get("value") or ""
