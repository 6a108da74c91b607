"""Tests of what pages are made from: markup is text, and only few files can be asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.studies.server import views
from termgauge.studies.study_file import Texts


@given(st.text(max_size=30), st.text(max_size=30))
def test_whatever_people_wrote_is_text(heading, sentence):
    page = views.rendered("message", views.Message("title", "en", "ltr", Texts(), f"<x>{heading}", f'"><x>{sentence}'))
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
