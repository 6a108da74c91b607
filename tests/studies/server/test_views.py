"""Tests of what pages are made from: markup is text, and only few files can be asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.studies.server import site as views
from termgauge.studies.study_file import Texts


@given(st.text(max_size=30), st.text(max_size=30))
def test_whatever_people_wrote_is_text(heading, sentence):
    page = views.rendered(
        "message", title="title", language="en", direction="ltr", texts=Texts(), heading=f"<x>{heading}",
        sentence=f'"><x>{sentence}',
    )  # fmt: skip
    assert "<x>" not in page
    assert page.count("&lt;x&gt;") == 2


@pytest.mark.parametrize("name", ["", ".", "..", "../views.py", "base.html.jinja", "STYLE.CSS", "style.css/", "a\0b"])
def test_other_files_are_not_given(name):
    assert views.static(name) is None


@pytest.mark.parametrize("name", views.STATIC)
def test_a_file_has_a_mark_that_is_its_own(name):
    content, kind, mark = views.static(name)
    assert content
    assert kind.endswith("charset=utf-8")
    assert mark.startswith('"')


def test_colours_are_those_of_reports():
    import re

    from termgauge.reporting.writers.html import DARK, LIGHT

    text = views.static("style.css")[0].decode("utf-8")
    light, dark = text.split("@media (prefers-color-scheme: dark)")[:2]
    for colours, rules in ((LIGHT, light), (DARK, dark.split("}")[0])):
        own = dict(re.findall(r"--([\w-]+): (#\w+);", rules))
        assert {name: own[name] for name in ("ink", "muted", "line", "paper", "quiet", "accent", "tint")} == {
            name: colours[name] for name in ("ink", "muted", "line", "paper", "quiet", "accent", "tint")
        }
