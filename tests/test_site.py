"""The site of the documentation: built strictly, which checks links and anchors, and of use without a network."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from docs.site_hooks import as_markdown
from markdown_it import MarkdownIt

from tests.built_site import build_site
from tests.conftest import REPOSITORY
from tests.documentation import PAGES, text_of

pytestmark = pytest.mark.integration
COUNTED = ("h1", "h2", "h3", "table", "tr", "ul", "ol", "li", "pre", "img")
LOADING = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src"}
"""Elements that make a browser ask for something, and where they say for what."""


class Page(HTMLParser):
    """Counts elements inside of what a page says, and keeps what all of it would ask for."""

    def __init__(self, text, *, whole=False):
        super().__init__()
        self.counts, self.asked = dict.fromkeys(COUNTED, 0), []
        self._inside = int(whole)
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        told = dict(attrs)
        if tag in LOADING and told.get("rel") not in ("canonical", "prev", "next"):
            self.asked.append(told.get(LOADING[tag]) or "")
        if tag == "article":
            self._inside += 1
        if self._inside and tag in COUNTED:
            self.counts[tag] += 1

    def handle_endtag(self, tag):
        if tag == "article":
            self._inside -= 1


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return build_site(tmp_path_factory.mktemp("site"))


def test_every_page_is_there_and_in_the_navigation(site):
    contents = (site / "index.html").read_text(encoding="utf-8")
    names = [f"{path.stem}.html" for page, path in PAGES.items() if page.startswith("docs/")]
    names += ["readme.html", "contributing.html", "changelog.html"]
    names += [f"notebooks/{path.stem}.html" for path in (REPOSITORY / "docs" / "notebooks").glob("*.ipynb")]
    assert len(names) > 30
    for name in names:
        assert (site / name).is_file(), name
        assert f'href="{name}"' in contents, name


def test_no_page_asks_another_host_for_anything(site):
    for path in site.rglob("*.html"):
        asked = Page(path.read_text(encoding="utf-8")).asked
        assert not [place for place in asked if re.match(r"(?:https?:)?//", place)], path
    for path in [*site.glob("site/*"), *site.rglob("*.css")]:
        assert not re.search(r"@import|url\(['\"]?(?:https?:)?//", path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/")])
def test_a_page_has_what_it_has_elsewhere(site, page):
    """Markdown is read by another library there, which wants more of lists than others do."""
    wanted = Page(MarkdownIt("commonmark").enable("table").render(text_of(page)), whole=True).counts
    found = Page((site / f"{PAGES[page].stem}.html").read_text(encoding="utf-8")).counts
    assert {name: found[name] for name in COUNTED} == wanted


def test_a_notebook_becomes_a_page_with_all_that_its_cells_showed(site):
    text = (site / "notebooks" / "choose-an-embedding.html").read_text(encoding="utf-8")
    assert text.count('<template shadowrootmode="open">') >= 7
    assert "<output data-number" not in text
    assert "bge-small" in text
    assert 'href="choose-an-embedding.ipynb"' in text
    assert (site / "notebooks" / "choose-an-embedding.ipynb").is_file()


def test_outputs_of_cells_are_shut_off_or_escaped():
    cell = {
        "cell_type": "code",
        "source": ["1 < 2"],
        "outputs": [
            {"data": {"text/html": ["<b>x</b>"], "text/plain": ["x"]}},
            {"data": {"text/plain": ["a < b"]}},
            {"text": ["said & done"]},
        ],
    }
    text, shown = as_markdown(
        {"cells": [{"cell_type": "markdown", "source": ["# Title\n", "\n", "Words."]}, cell]}, "n.ipynb"
    )
    assert text.startswith("# Title\n\nThis page is a notebook; [download it](n.ipynb)")
    assert "```python\n1 < 2\n```" in text
    assert text.count("<output data-number") == 3
    assert "<b>x</b></template>" in shown[0]
    assert ["a &lt; b" in shown[1], "said &amp; done" in shown[2]] == [True, True]
