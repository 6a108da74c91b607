"""Map reference sets of SNOMED CT."""

from __future__ import annotations

import polars as pl
import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of
from termgauge.terminology.mappings import MAPPING_FORMS

FORM = MAPPING_FORMS["rf2_map"]

NONE = pl.Series([], dtype=pl.String)
SIMPLE = ["id", "effectiveTime", "active", "moduleId", "refsetId", "referencedComponentId", "mapTarget"]
EXTENDED = [
    *SIMPLE[:-1],
    *["mapGroup", "mapPriority", "mapRule", "mapAdvice", "mapTarget", "correlationId", "mapCategoryId"],
]
UNSAID, EXACT, BROADER, NOT_MAPPABLE = "447561005", "447557004", "447558009", "447556008"


def read(tmp_path, name, header, rows):
    path = tmp_path / name
    path.write_text("".join("\t".join(row) + "\r\n" for row in (header, *rows)), "utf-8")
    (file,) = files_of(path)
    assert FORM.sniff(file)
    return FORM.read(file, NONE, NONE)


def member(
    id_, concept, target, *, group="1", priority="1", rule="TRUE", correlation=UNSAID, active="1", time="20190131"
):
    return [id_, time, active, "m", "447562003", concept, group, priority, rule, "ALWAYS", target, correlation, "c"]


def test_simple_maps_are_exact_as_they_are_now(tmp_path):
    rows = [
        ["a", "20180131", "1", "m", "r", "100", "X1"],
        ["a", "20190131", "1", "m", "r", "100", "X2"],
        ["b", "20180131", "1", "m", "r", "200", "Y"],
        ["b", "20190131", "0", "m", "r", "200", "Y"],
        ["c", "20180131", "1", "m", "r", "300", ""],
    ]
    found, passed = read(tmp_path, "der2_sRefset_SimpleMapFull_INT_20190131.txt", SIMPLE, rows)
    assert found.rows() == [("100", "X2", "exact")]
    assert passed == 1


@pytest.mark.parametrize("name", ["refSetId", "REFSETID"])
def test_names_of_columns_in_any_case(tmp_path, name):
    header = [name if each == "refsetId" else each for each in SIMPLE]
    rows = [["a", "20150131", "1", "m", "r", "100", "X1"]]
    found, _passed = read(tmp_path, "der2_sRefset_SimpleMapFull_INT_20150131.txt", header, rows)
    assert found.rows() == [("100", "X1", "exact")]


def test_extended_maps(tmp_path):
    rows = [
        member("a", "100", "I21.9"),
        member("b", "200", "E10.1", rule="IFA 248153007 | Male |"),
        member("c", "200", "E10.9", priority="2", rule="OTHERWISE TRUE"),
        member("d", "300", "A00", group="1"),
        member("e", "300", "B00", group="2"),
        member("f", "400", "C00", correlation=EXACT),
        member("g", "500", "D00", correlation=BROADER),
        member("h", "600", "", correlation=NOT_MAPPABLE),
        member("i", "700", "F2", priority="2"),
        member("j", "700", "F1", priority="1"),
        member("k", "800", "G00", active="0"),
    ]
    found, passed = read(tmp_path, "xder2_iisssccRefset_ExtendedMapSnapshot_INT_20190131.txt", EXTENDED, rows)
    assert sorted(found.rows()) == [
        ("100", "I21.9", "close"),
        ("300", "A00", "related"),
        ("300", "B00", "related"),
        ("400", "C00", "exact"),
        ("500", "D00", "broad"),
        ("700", "F1", "close"),
    ]
    assert passed == len(rows) - 1 - found.height


def test_other_files_of_that_name(tmp_path):
    with pytest.raises(TermgaugeError, match="lacks the columns referencedComponentId"):
        read(tmp_path, "der2_sRefset_SimpleMapFull_INT_20190131.txt", ["id", "effectiveTime", "active", "refsetId"], [])
