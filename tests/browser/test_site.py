"""The site of the documentation in a real browser, from the file system: it can be searched and fits every screen."""

from __future__ import annotations

import pytest

from tests.built_site import build_site

PAGES = ("index.html", "models.html", "reference.html", "notebooks/choose-an-embedding.html")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return build_site(tmp_path_factory.mktemp("site"))


@pytest.mark.parametrize("width", [380, 1280])
def test_pages_fit_the_screen(opened, site, width, artifacts):
    for name in PAGES:
        with opened(width, path=site / name) as page:
            assert page.locator("h1").count() == 1
            wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert page.evaluate(wider) <= 0, name
            page.screenshot(path=artifacts / f"site-{name.replace('/', '-').removesuffix('.html')}-{width}.png")


def test_the_search_works_without_a_server(opened, site):
    with opened(path=site / "index.html") as page:
        page.keyboard.press("/")
        page.keyboard.type("levenshtein", delay=40)
        page.locator(".md-search-result__link").first.wait_for(timeout=30_000)
        assert page.locator(".md-search-result__item").count() >= 3


def test_what_a_cell_showed_has_the_style_of_the_report(opened, site):
    with opened(path=site / "notebooks" / "choose-an-embedding.html") as page:
        table = page.locator(".shown table").first
        assert (
            table.evaluate("table => getComputedStyle(table.querySelector('caption') ?? table).textAlign") is not None
        )
        assert page.locator(".shown svg:visible").count() >= 1
        assert float(table.evaluate("table => parseFloat(getComputedStyle(table).fontSize)")) < 14
