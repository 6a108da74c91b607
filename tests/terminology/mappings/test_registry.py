"""The forms of mappings."""

from __future__ import annotations

from pathlib import Path

from termgauge.terminology import mappings
from termgauge.terminology.mappings.registry import OWN, RELATIONS, REVERSED, mapping_forms


def test_every_module_that_reads_is_known():
    others = {"__init__", "registry", "options", "links"}
    assert {path.stem for path in Path(mappings.__file__).parent.glob("*.py")} - others == set(OWN)
    assert [form.name for form in mapping_forms().values()] == list(OWN)
    assert all(form.title for form in mapping_forms().values())


def test_turned_round_twice_a_relation_is_itself():
    assert all(REVERSED.get(REVERSED.get(each, each), REVERSED.get(each, each)) == each for each in RELATIONS)
