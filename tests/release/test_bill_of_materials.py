from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from release.bill_of_materials import as_csv, bill_of, licences_of
from release.environments import Environment
from release.licences import Licence


def test_a_table_of_licences():
    assert as_csv([Licence("a", "1", "MIT"), Licence("b", "2", 'BSD, "new"')]) == (
        'name,version,licence\na,1,MIT\nb,2,"BSD, ""new"""\n'
    )


def test_the_bill_of_an_environment(tmp_path):
    pytest.importorskip("cyclonedx_py")
    bill = json.loads(bill_of(Environment(Path(sys.prefix), tmp_path)))
    assert bill["bomFormat"] == "CycloneDX"
    assert {"termgauge", "polars", "numpy"} <= {each["name"] for each in bill["components"]}


def test_licences_are_those_of_the_environment(tmp_path):
    packages = tmp_path / "lib" / "python3.11" / "site-packages"
    for name in ("termgauge", "other"):
        about = packages / f"{name}-1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {name}\nVersion: 1.0\nLicense-Expression: MIT\n")
    (packages / "termgauge").mkdir()
    assert licences_of(Environment(tmp_path, tmp_path)) == [Licence("other", "1.0", "MIT"), Licence("termgauge", "1.0", "MIT")]
