from __future__ import annotations

import json
import venv

import pytest
from release.bill_of_materials import as_csv, bill_of, licences_of
from release.environments import Environment
from release.licences import Licence


def test_a_table_of_licences():
    assert as_csv([Licence("a", "1", "MIT"), Licence("b", "2", 'BSD, "new"')]) == (
        'name,version,licence\na,1,MIT\nb,2,"BSD, ""new"""\n'
    )


@pytest.fixture
def environment(tmp_path):
    """An environment in which two packages are installed that hold nothing."""
    venv.create(tmp_path / "environment", with_pip=False)
    (packages,) = (tmp_path / "environment").glob("lib/*/site-packages")
    for name in ("termgauge", "other"):
        about = packages / f"{name}-1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {name}\nVersion: 1.0\nLicense-Expression: MIT\n")
    (packages / "termgauge").mkdir()
    return Environment(tmp_path / "environment", tmp_path)


def test_the_bill_of_an_environment(environment):
    pytest.importorskip("cyclonedx_py")
    bill = json.loads(bill_of(environment))
    assert bill["bomFormat"] == "CycloneDX"
    assert {(each["name"], each["version"]) for each in bill["components"]} == {("other", "1.0"), ("termgauge", "1.0")}


def test_licences_are_those_of_the_environment(environment):
    assert licences_of(environment) == [Licence("other", "1.0", "MIT"), Licence("termgauge", "1.0", "MIT")]
