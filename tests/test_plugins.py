"""What other packages add: the good ones come, the bad ones cost themselves alone."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from termgauge.exceptions import TermgaugeWarning
from termgauge.plugins import with_plugins
from tests.other_package import install

Thing = SimpleNamespace
GROUP = "termgauge.things"


CODE = """
from types import SimpleNamespace as Thing
first, second, taken, other = Thing(name="first"), Thing(name="second"), Thing(name="own"), "a text"
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    def with_entries(**entries):
        install(tmp_path / "site", monkeypatch, {"acme_things": CODE, "acme_broken": "1 / 0"}, GROUP, entries)

    return with_entries


def test_no_packages():
    assert with_plugins(GROUP, Thing, {"own": Thing(name="own")}) == {"own": Thing(name="own")}


def test_good_ones_come_after_our_own(installed):
    installed(one="acme_things:first", two="acme_things:second")
    assert list(with_plugins(GROUP, Thing, {"own": Thing(name="own")})) == ["own", "first", "second"]


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("acme_broken:first", r"'acme_broken:first', which the package acme adds to .* left out \(ZeroDivisionError: "),
        ("acme_missing:first", "No module named 'acme_missing'"),
        ("acme_things:nothing", "has no attribute 'nothing'"),
        ("acme_things:other", "'bad' of termgauge.things is no SimpleNamespace"),
        ("acme_things:taken", "the name 'own' is taken"),
    ],
)
def test_bad_ones_cost_themselves_alone(installed, entry, why):
    installed(bad=entry, good="acme_things:second")
    with pytest.warns(TermgaugeWarning, match=why) as caught:
        found = with_plugins(GROUP, Thing, {"own": Thing(name="own")})
    assert len(caught) == 1
    assert found == {"own": Thing(name="own"), "second": Thing(name="second")}
