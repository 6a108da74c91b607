"""The report of a real, small run in a browser: every section is there, on every screen, in both themes."""

from __future__ import annotations

import warnings

import pytest

from termgauge.engine.runner import run
from termgauge.exceptions import TermgaugeWarning
from tests.browser import page_checks
from tests.engine.small_experiment import add_drugs, write_experiment

SECTIONS = (
    "Sets at a glance",
    "Errors",
    "Vocabularies",
    "Categories kept apart: organs",
    "Coverage of a domain: heart",
    "Coverage of a domain: drugs <b>",
    "Relations as analogies: drugs <b>",
    "What is missing",
    "Methods and numbers",
)


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """Run a small experiment with categories, domains, analogies and a model that is not there."""
    path = write_experiment(tmp_path_factory.mktemp("real") / "study")
    add_drugs(path)
    path.write_text(path.read_text() + '\n[[model]]\nname = "gone <i>"\nspec = "word2vec:gone.bin"\n')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TermgaugeWarning)
        return run(path).path / "report.html"


@pytest.mark.parametrize(("width", "theme"), [(360, "light"), (768, "dark"), (1280, "light")])
def test_every_section_holds(opened, real, width, theme, artifacts):
    with opened(width, path=real, color_scheme=theme) as page:
        page.evaluate("document.querySelectorAll('details').forEach((it) => { it.open = true; })")
        titles = [text.removesuffix("#").strip() for text in page.locator("main h2").all_inner_texts()]
        assert titles == list(SECTIONS)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for check in ("WIDER_THAN_SCREEN", "OVERLAPPING_LABELS", "OVERLAPPING_BLOCKS", "SHRUNK", "LOW_CONTRAST"):
            assert page.evaluate(getattr(page_checks, check)) == [], check
        assert page.locator(".plot svg:visible").count() >= 8
        page.screenshot(path=artifacts / f"real-{width}-{theme}.png", full_page=True)


def test_it_opens_on_one_screen(opened, real, artifacts):
    with opened(1280, path=real) as page:
        assert page.locator("h1").inner_text().startswith("words and chance")
        assert page.locator("#table-ranking .wide svg").is_visible()
        assert page.locator("#table-ranking table tbody tr").count() == 3  # for those who cannot see the picture
        assert page.locator("main details[open]").count() == 0
        assert page.evaluate("document.documentElement.scrollHeight") <= 1100
        shown = [
            section.get_attribute("id") for section in page.locator("main > section").all() if section.is_visible()
        ]
        assert shown == ["verdict", "heatmap"]
        page.screenshot(path=artifacts / "real-first-screen.png")
    with opened(390, path=real) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
