"""ICD-10-CM: the real tabular list where a package that carries it is installed, and files made to its columns."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.terminology import read_terminology
from termgauge.terminology.formats.icd10cm import dotted
from tests.made_formats import CODES, ORDER, TABULAR, order_line, write_icd10cm, write_one, write_texts

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")


def real_tabular():
    """Return the tabular list that simple_icd_10_cm carries, if that is installed."""
    spec = find_spec("simple_icd_10_cm")
    folder = Path(spec.origin).parent / "data" if spec and spec.origin else Path()
    return next(iter(sorted(folder.glob("icd10c*tabular*.xml"))), None) if spec else None


@pytest.fixture(params=["made", "real"])
def tabular(request, tmp_path):
    if request.param == "made":
        return write_icd10cm(tmp_path)
    return real_tabular() or pytest.skip("simple_icd_10_cm is not installed")


def test_counts_are_those_of_the_tree(tabular):
    root = ET.parse(tabular).getroot()
    classes = [each for name in ("chapter", "section", "diag") for each in root.iter(name)]
    found = read_terminology(tabular)
    assert found.concepts.height == len(classes)
    assert found.relations.height == len(classes) - len(list(root.iter("chapter")))
    kinds = found.summary()["kinds"]
    included = len(root.findall(".//inclusionTerm/note")) + len(root.findall(".//includes/note"))
    assert kinds["fsn"] == len(classes)
    assert sum(kinds.values()) == len(classes) + included
    seventh = sum(each.count for each in found.skipped if "seventh" in each.what)
    assert seventh == len(root.findall(".//sevenChrDef/extension"))
    parents = {child: parent for child, _, parent in found.relations.rows()}
    for diag in root.iter("diag"):
        for below in diag.findall("diag"):
            assert parents[below.findtext("name")] == diag.findtext("name")
    assert found.identity.slug == f"icd10cm-{root.findtext('version')}"


def test_titles_and_inclusions(tmp_path):
    found = read_terminology(write_icd10cm(tmp_path))
    assert found.concepts.select("concept", "name", "tag").rows()[0] == (
        "9",
        "Diseases of the circulatory system",
        "Diseases of the circulatory system",
    )
    assert found.terms.filter(found.terms["kind"] != "fsn").select("concept", "text", "kind").rows() == [
        ("I21", "cardiac infarction", "narrow"),
        ("I21", "coronary embolism", "narrow"),
        ("I21.9", "Heart attack NOS", "synonym"),
        ("I21.A9", "Myocardial infarction type 4a", "narrow"),
    ]
    assert ("I99", "is_a", "I99-I99") in found.relations.rows()
    assert set(found.concepts["tag"]) == {"Diseases of the circulatory system"}


def test_the_order_file_alone(tmp_path):
    found = read_terminology(write_one(tmp_path, "icd10cm_order_2026.txt", ORDER))
    assert found.concepts["concept"].to_list() == ["I21", "I21.9", "I51.9"]
    assert found.terms.select("concept", "text", "kind").rows() == [
        ("I21", "Acute myocardial infarction", "fsn"),
        ("I21.9", "Acute myocardial infarction, unspecified", "fsn"),
        ("I21.9", "Acute myocardial infarct, unsp", "synonym"),
        ("I51.9", "Heart disease, unspecified", "fsn"),
    ]
    assert found.relations.rows() == [("I21.9", "is_a", "I21")]
    assert found.identity.version == "2026"


def test_the_order_file_adds_to_the_tabular_list(tmp_path):
    order = ORDER + order_line(4, "I99XXXA", 1, "Oth disord, init", "Other disorders of circulation, initial encounter")
    alone = read_terminology(write_icd10cm(tmp_path / "alone"))
    found = read_terminology(write_texts(tmp_path / "both", {"t.xml": TABULAR, "order.txt": order, "codes.txt": CODES}))
    assert set(found.concepts["concept"]) - set(alone.concepts["concept"]) == {"I51.9", "I99.XXXA"}
    assert ("I99.XXXA", "is_a", "I99") in found.relations.rows()
    assert "Acute myocardial infarct, unsp" in found.terms["text"]


def test_the_list_of_codes(tmp_path):
    path = write_one(tmp_path, "codes.txt", CODES)
    with pytest.warns(match="No tabular list"):
        found = read_terminology(path)
    assert found.concepts.select("concept", "name").rows() == [
        ("I21.9", "Acute myocardial infarction, unspecified"),
        ("I51.9", "Heart disease, unspecified"),
    ]
    write_one(tmp_path, "codes.txt", CODES + "nonsense\n\n")
    with pytest.warns(match=r"1 line is no code and was passed over \(line 3\)"):
        assert read_terminology(path, format="icd10cm").skipped[0].examples == ("line 3: nonsense",)


def test_several_releases(tmp_path):
    write_texts(tmp_path, {"2025.txt": ORDER, "2026.txt": ORDER})
    with pytest.raises(TermgaugeError, match=r"several releases of ICD-10-CM \(2025.txt, 2026.txt\)"):
        read_terminology(tmp_path)


def test_codes_are_written_as_in_the_tabular_list():
    assert [dotted(code) for code in ("I21", "I219", "S72001A")] == ["I21", "I21.9", "S72.001A"]
