"""The forms of mappings."""

# ruff: noqa: PT017 - for arbitrary bytes both outcomes are right, and the sentence is looked at
from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of
from termgauge.terminology.mappings import MAPPING_FORMS, RELATIONS, REVERSED

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


def test_each_form_says_what_it_is():
    assert all(form.title for form in MAPPING_FORMS.values())
    assert set(MAPPING_FORMS) == set(SAMPLES)


def test_turned_round_twice_a_relation_is_itself():
    assert all(REVERSED.get(REVERSED.get(each, each), REVERSED.get(each, each)) == each for each in RELATIONS)


@pytest.mark.parametrize("kind", MAPPING_FORMS)
@given(st.binary(max_size=300), st.integers(0, 400))
def test_whatever_a_file_holds_is_read_or_refused_in_a_sentence(kind, tmp_path_factory, junk, at):
    folder = tmp_path_factory.mktemp("junk")
    form, (name, good) = MAPPING_FORMS[kind], SAMPLES[kind]
    for number, data in enumerate((junk, good[:at] + junk + good[at:], good[:at])):
        path = folder / str(number) / name
        path.parent.mkdir()
        path.write_bytes(data)
        (file,) = files_of(path)
        form.sniff(file)
        try:
            rows = form.read(file, pl.Series(["1", "A"]), pl.Series(["B", "C1"]))[0]
        except TermgaugeError as error:
            assert "\n" not in str(error)
            assert str(error).endswith((".", "?"))
        else:
            assert rows.columns == ["source", "target", "relation"]
            assert set(rows["relation"]) <= set(RELATIONS)
