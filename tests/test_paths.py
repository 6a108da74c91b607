"""Places as people write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.paths import as_text, expanded


def test_home_folders(monkeypatch):
    monkeypatch.setenv("HOME", "/home/ada")
    assert expanded("~/x") == Path("/home/ada/x")
    assert expanded("x/~") == Path("x/~")
    with pytest.raises(TermgaugeError, match=r"^~nosuchuser/x: there is no user of this name"):
        expanded("~nosuchuser/x")


@given(st.text())
def test_text_stays_as_it_is(name):
    assert as_text(name) == name


@given(st.text(st.characters(), max_size=9))
def test_any_name_can_be_written(name):
    assert as_text(name).encode("utf-8").decode("utf-8") == as_text(name)
