from __future__ import annotations

from email.message import Message
from importlib import metadata

import pytest
from release.licences import UNKNOWN, Licence, core, licence_of, needed


class Package(metadata.Distribution):
    """A package that says something of its licence."""

    def __init__(self, **fields):
        self._about = Message()
        for name, value in {"Name": "x", "Version": "1", **fields}.items():
            for each in [value] if isinstance(value, str) else value:
                self._about[name.replace("_", "-")] = each

    metadata = property(lambda self: self._about)

    def read_text(self, filename): ...

    def locate_file(self, path): ...


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"License_Expression": "MIT", "License": "other"}, "MIT"),
        ({"Classifier": ["Topic :: X", "License :: OSI Approved :: MIT License"], "License": "MIT"}, "MIT License"),
        ({"Classifier": ["License :: OSI Approved"], "License": "BSD-3-Clause\n\nAll of it"}, "BSD-3-Clause"),
        ({}, UNKNOWN),
    ],
)
def test_what_a_package_says(fields, said):
    assert licence_of(Package(**fields)).licence == said


@pytest.mark.parametrize(
    ("licence", "gpl"),
    [
        ("GPL-3.0-or-later", True),
        ("GNU General Public License v2 (GPLv2)", True),
        ("AGPL-3.0-only", True),
        ("LGPL-2.1", False),
        ("GNU Lesser General Public License v3 (LGPLv3)", False),
        ("MIT", False),
        ("Mozilla Public License 2.0 (MPL 2.0)", False),
    ],
)
def test_the_gpl_is_recognised(licence, gpl):
    assert Licence("x", "1", licence).is_gpl is gpl


def test_real_packages_under_the_gpl_are_recognised():
    pytest.importorskip("krippendorff")
    assert licence_of(metadata.distribution("krippendorff")).is_gpl


def test_no_package_that_termgauge_needs_is_under_the_gpl():
    licences = core()
    assert {"polars", "numpy", "pydantic_core", "urllib3"} <= {each.name for each in licences}
    assert [each for each in licences if each.is_gpl or each.licence == UNKNOWN] == []
    assert [each.name for each in licences if "LGPL" in each.licence] == []


def test_what_requirements_bring_with_them():
    assert {"pytest", "pluggy"} <= set(needed("pytest"))
    assert "krippendorff" not in needed("polars", "typer")
    with pytest.raises(metadata.PackageNotFoundError):
        needed("no-such-package")
