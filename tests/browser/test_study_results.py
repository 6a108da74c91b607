"""The pages of results of two small studies in a browser: every section holds, on every screen, in both themes."""

from __future__ import annotations

import pytest

from tests.browser import page_checks
from tests.studies.rated_study import rated_study

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
CHECKS = ("WIDER_THAN_SCREEN", "OVERLAPPING_LABELS", "OVERLAPPING_BLOCKS", "SHRUNK", "LOW_CONTRAST")
PICTURES = {"similarity": 1, "quality": 1}


@pytest.fixture(scope="module", params=sorted(PICTURES))
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def page_of_results(kind, tmp_path_factory):
    study = rated_study(tmp_path_factory.mktemp("results") / "study", kind, raters=9)
    with study.store() as store:
        store.set_state("r4", "left_out", "asked to be <b>left out</b>, and said so in a rather long sentence")
    study.results()
    return study.folder / "results" / "results.html"


@pytest.mark.parametrize(("width", "theme"), [(360, "dark"), (768, "dark"), (1280, "light")])
def test_every_section_holds(opened, kind, page_of_results, width, theme, artifacts):
    with opened(width, path=page_of_results, color_scheme=theme) as page:
        page.evaluate("document.querySelectorAll('details').forEach((it) => { it.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for check in CHECKS:
            assert page.evaluate(getattr(page_checks, check)) == [], check
        assert page.locator(".plot svg:visible").count() >= PICTURES[kind]
        assert page.locator("main b", has_text="left out").count() == 0, "what comes from outside is text"
        page.screenshot(path=artifacts / f"study-{kind}-{width}-{theme}.png", full_page=True)
