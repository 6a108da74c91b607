"""A study that is served to real browsers: started in a thread, reached by links, watched for what must not happen."""

from __future__ import annotations

import re
import socket
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import uvicorn

from termgauge.studies.server.serving import application

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, Page

    from termgauge.studies.folder import Study

OFFLINE = re.compile(r"Failed to load resource: net::ERR_(INTERNET_DISCONNECTED|CONNECTION_REFUSED)")
"""What browsers say by themselves when there is no connection."""
REFUSED = re.compile(r"Failed to load resource: the server responded with a status of (4\d\d|50[37])")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class Served:
    """A study and its server, which can be stopped and started again."""

    study: Study
    port: int = field(default_factory=free_port)
    _server: uvicorn.Server | None = None
    _thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        config = uvicorn.Config(application(self.study), host="127.0.0.1", port=self.port, log_config=None, ws="none")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive()
            time.sleep(0.01)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()

    def invite(self, name: str | None = None, group: int = 1) -> str:
        with self.study.store() as store:
            return f"{self.url}/r/{store.invite(group, name)[1]}"

    def admin(self) -> str:
        with self.study.store() as store:
            return f"{self.url}/admin/{store.new_admin_token()}"

    def answer_all(self, rater: str, value: float) -> None:
        """Let a rater have answered everything, so that every pair can be looked at."""
        with self.study.store() as store:
            for page, position in self.study.layout.select("page", "position").iter_rows():
                name = f"{page}-{position}"
                store.answer(rater, page, position, value, seconds=2.0, client_id=name, revision=0)

    def place_of(self, term: str) -> str:
        """Return the address of the first pair with some term."""
        pairs = self.study.pairs
        number = pairs.filter((pairs["word1"] == term) | (pairs["word2"] == term))["pair"][0]
        page, position = self.study.layout.filter(pair=number).select("page", "position").row(0)
        return f"{self.url}/rate/{page}/{position}"

    def answers(self, rater: str | None = None) -> dict[tuple[str, int, int], float | None]:
        """Return the answers that count."""
        with self.study.store() as store:
            return {(each.rater, each.page, each.position): each.rating for each in store.answers(rater)}

    def ever(self) -> list[tuple[str, int, int, float | None]]:
        """Return all answers ever stored, in order."""
        with self.study.store() as store:
            return [(each.rater, each.page, each.position, each.rating) for each in store.all_answers()]


@contextmanager
def serving(study: Study) -> Iterator[Served]:
    served = Served(study)
    served.start()
    try:
        yield served
    finally:
        served.stop()


@contextmanager
def window(
    browser: Browser, served: Served, *, allowed: re.Pattern[str] | None = None, **options: object
) -> Iterator[BrowserContext]:
    """Open a browser window of its own; fail at its end if a page asked another host, complained, or broke a policy."""
    options.setdefault("viewport", {"width": 1280, "height": 860})
    context = browser.new_context(accept_downloads=True, **options)
    complaints: list[str] = []

    def said(message) -> None:
        if allowed is None or not allowed.search(message.text):
            complaints.append(f"console {message.type}: {message.text}")

    def asked(request) -> None:
        if not request.url.startswith((f"{served.url}/", "data:")):
            complaints.append(f"asked for {request.url}")

    def watch(page: Page) -> None:
        page.on("console", said)
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))

    context.set_default_timeout(6_000)
    context.on("request", asked)
    context.on("page", watch)
    try:
        yield context
        assert complaints == []
    finally:
        context.close()
