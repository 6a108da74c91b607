"""The forms of mappings."""

# ruff: noqa: PT017 - for arbitrary bytes both outcomes are right, and the sentence is looked at
from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of
from termgauge.terminology import mappings
from termgauge.terminology.mappings.registry import OWN, RELATIONS, REVERSED, mapping_forms

SAMPLES = {
    "rf2_map": (
        "der2_sRefset_SimpleMapFull_INT_20190131.txt",
        b"id\teffectiveTime\tactive\trefsetId\treferencedComponentId\tmapTarget\na\t20180131\t1\tr\t1\tB\n",
    ),
    "mrconso": (
        "MRCONSO.RRF",
        b"C1|ENG|P|L|PF|S|Y|A||||X|PT|A|text|0|N||\nC1|ENG|P|L|PF|S|Y|A||||Y|PT|B|text|0|N||\n",
    ),
    "concept_map": (
        "map.json",
        b'{"resourceType": "ConceptMap", "group": [{"element": [{"code": "A", "target": [{"code": "B"}]}]}]}',
    ),
    "sssom": ("map.tsv", b"#set: x\nsubject_id\tpredicate_id\tobject_id\nA\tskos:exactMatch\tB\n"),
}
"""A file of each form."""


def test_every_module_that_reads_is_known():
    others = {"__init__", "registry", "options", "links"}
    assert {path.stem for path in Path(mappings.__file__).parent.glob("*.py")} - others == set(OWN)
    assert [form.name for form in mapping_forms().values()] == list(OWN)
    assert all(form.title for form in mapping_forms().values())


def test_turned_round_twice_a_relation_is_itself():
    assert all(REVERSED.get(REVERSED.get(each, each), REVERSED.get(each, each)) == each for each in RELATIONS)


@pytest.mark.parametrize("form", mapping_forms().values(), ids=OWN)
@given(st.binary(max_size=300), st.integers(0, 400))
def test_whatever_a_file_holds_is_read_or_refused_in_a_sentence(form, tmp_path_factory, junk, at):
    folder = tmp_path_factory.mktemp("junk")
    name, good = SAMPLES[form.name]
    for number, data in enumerate((junk, good[:at] + junk + good[at:], good[:at])):
        path = folder / str(number) / name
        path.parent.mkdir()
        path.write_bytes(data)
        (file,) = files_of(path)
        form.sniff(file)
        try:
            rows = form.read(file, pl.Series(["1", "A"]), pl.Series(["B", "C1"])).rows
        except TermgaugeError as error:
            assert "\n" not in str(error)
            assert str(error).endswith((".", "?"))
        else:
            assert rows.columns == ["source", "target", "relation"]
            assert set(rows["relation"]) <= set(RELATIONS)
