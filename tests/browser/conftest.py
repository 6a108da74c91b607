"""One browser for all tests, which may not leave the machine; where there is none, the tests say how to get one."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from termgauge.reporting.writers.html import write_html
from termgauge.studies.folder import new_study
from tests.browser import walking
from tests.browser.served import serving, window
from tests.reporting.sample_document import document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

    from tests.browser.served import Served

REPOSITORY = Path(__file__).resolve().parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Try a test once more that failed: on a busy machine a browser may take longer than any patience."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Start a browser once."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("No browser to look at pages with; `apt-get install chromium` brings one.")
    api = pytest.importorskip(
        "playwright.sync_api", reason="Playwright drives the browser; `pip install playwright` brings it."
    )
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        yield started
        started.close()


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the sample document as a page, once."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_html(document(), path, made="Made by a test.")
    return path


@pytest.fixture
def opened(browser, report):
    """Open the page at some width; fail at its end if it asked for anything outside or complained."""

    @contextmanager
    def opening(width: int = 1280, height: int = 900, *, path: Path = report, **options: object) -> Iterator[Page]:
        context = browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True, **options)
        complaints: list[str] = []

        def route(request) -> None:
            if request.request.url.startswith(("file:", "data:", "blob:")):
                request.continue_()
            else:
                complaints.append(f"asked for {request.request.url}")
                request.abort()

        context.set_default_timeout(5_000)
        context.route("**/*", route)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.goto(path.as_uri())
        try:
            yield page
            assert complaints == []
        finally:
            context.close()

    return opening


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """Serve a small similarity study: one group, two pages, a pair on each that comes twice."""
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{one}\t{other}\n" for one, other in walking.PAIRS), encoding="utf-8")
    title = f"Terms {walking.HOSTILE}"
    study = new_study(tmp_path / "study", path, groups=1, pages=2, consistency=0, duplicates=2, title=title)
    with serving(study) as running:
        yield running


@pytest.fixture
def rating(browser: Browser, served: Served):
    """Open the first pair of a new rater."""

    @contextmanager
    def opening(name: str = "Ann", **options: object) -> Iterator[Page]:
        with window(browser, served, **options) as context:
            page = context.new_page()
            walking.begin(page, served.invite(name))
            yield page

    return opening


@pytest.fixture(scope="session")
def artifacts() -> Path:
    """Return the folder in which screenshots are kept."""
    folder = Path(os.environ.get("TERMGAUGE_ARTIFACTS") or REPOSITORY / "artifacts") / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
