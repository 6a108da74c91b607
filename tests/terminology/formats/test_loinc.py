"""LOINC, beside what the csv module finds in the same files."""

from __future__ import annotations

import csv
import io

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.terminology import read_terminology
from tests.made_formats import LOINC, csv_lines, write_loinc, write_one, write_texts

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
TABLE = list(csv.DictReader(io.StringIO(LOINC["LoincTable/Loinc.csv"], newline="")))


def test_counts_are_those_of_the_rows(tmp_path):
    found = read_terminology(write_loinc(tmp_path))
    codes = [row["LOINC_NUM"] for row in TABLE]
    assert found.concepts["concept"].to_list() == [*codes, "LP432695-7"]
    own = found.concepts.filter(found.concepts["tag"] != "Part")
    assert own["name"].to_list() == [row["LONG_COMMON_NAME"] for row in TABLE]
    assert own["active"].to_list() == [row["STATUS"] != "DEPRECATED" for row in TABLE]
    related = [{part.strip() for part in row["RELATEDNAMES2"].split(";")} - {""} for row in TABLE]
    english = read_terminology(tmp_path, language="en").summary()["kinds"]
    assert english["related"] == sum(map(len, related))
    assert (found.identity.edition, found.identity.version) == ("loinc", "2.73")


def test_names_of_a_code(tmp_path):
    found = read_terminology(write_loinc(tmp_path))
    assert found.terms.filter(found.terms["concept"] == "8867-4").select("text", "kind", "language").rows() == [
        ("Heart rate", "fsn", "en"),
        ('Heart rate --resting, "calm"', "synonym", "en"),
        ("Heart beats", "layperson", "en"),
        ("Pulse", "related", "en"),
        ("HR", "related", "en"),
        ("Herzfrequenz", "fsn", "de"),
        ("Puls", "related", "de"),
    ]
    assert "Odd beats" in found.terms.filter(found.terms["kind"] == "layperson")["text"]
    assert {each.what: each.count for each in found.skipped} == {
        "translations without a name": 1,
        "terms of concepts that are not there": 1,
    }


def test_a_whole_release(tmp_path):
    write_loinc(tmp_path)
    write_texts(
        tmp_path,
        {
            "AccessoryFiles/PanelsAndForms/Loinc.csv": LOINC["LoincTable/Loinc.csv"].replace("8867-4", "1-1"),
            "loinc.xml": '<CodeSystem xmlns="http://hl7.org/fhir"><id value="loinc"/></CodeSystem>',
        },
    )
    found = read_terminology(tmp_path)
    assert found.identity.format == "loinc"
    assert found.concepts["concept"].to_list()[0] == "8867-4"


def test_related_names_in_chinese_are_groups_with_spaces_between(tmp_path):
    columns = ("LOINC_NUM", "LONG_COMMON_NAME", "LinguisticVariantDisplayName", "SHORTNAME", "RELATEDNAMES2")
    variant = csv_lines(columns, ("8867-4", "心率", "", "", "心跳;脉搏 速率;HR 率 定量型;Heart rate;脉搏（静息） 计数"))
    write_texts(write_loinc(tmp_path), {"AccessoryFiles/LinguisticVariants/zhCN5LinguisticVariant.csv": variant})
    found = read_terminology(tmp_path, language="zh")
    assert found.terms.filter(kind="related")["text"].to_list() == [
        *("心跳", "脉搏", "速率", "HR", "率", "定量型", "Heart rate", "脉搏（静息）", "计数"),
    ]


def test_columns_in_any_case(tmp_path):
    text = LOINC["LoincTable/Loinc.csv"].replace("VersionLastChanged", "versionLastChanged")
    write_texts(tmp_path, LOINC | {"LoincTable/Loinc.csv": text})
    assert read_terminology(tmp_path).identity.version == "2.73"


def test_hierarchy_and_replacements(tmp_path):
    found = read_terminology(write_loinc(tmp_path))
    assert found.relations.rows() == [("8867-4", "is_a", "LP432695-7")]
    assert found.replacements.rows() == [
        ("9999-1", "8867-4", "replaced-by"),
        ("9999-3", "8867-4", "possibly-equivalent-to"),
        ("9999-3", "9999-2", "possibly-equivalent-to"),
    ]


def test_a_language(tmp_path):
    found = read_terminology(write_loinc(tmp_path), language="de")
    assert set(found.terms["language"]) == {"de"}
    with pytest.raises(TermgaugeError, match="no terms in the language 'fr'"):
        read_terminology(tmp_path, language="fr")


def test_the_table_alone_under_any_name(tmp_path):
    with pytest.warns(match="No MapTo.csv"):
        found = read_terminology(write_one(tmp_path, "codes.csv", LOINC["LoincTable/Loinc.csv"]))
    assert found.concepts.height == len(TABLE)


def test_a_release_whose_newest_code_decides(tmp_path):
    table = csv_lines(
        ("LOINC_NUM", "LONG_COMMON_NAME", "STATUS", "VersionLastChanged"),
        ("1-1", "a", "ACTIVE", "2.80"),
        ("1-2", "b", "ODD", "2.9"),
        ("1-3", "c", "TRIAL", "x"),
    )
    found = read_terminology(write_one(tmp_path, "Loinc.csv", table))
    assert found.identity.version == "2.80"
    assert [(each.what, each.count) for each in found.skipped] == [("statuses that LOINC does not document", 1)]


def test_other_tables_get_a_sentence(tmp_path):
    path = write_one(tmp_path, "Loinc.csv", "a,b\n1,2\n")
    with pytest.raises(TermgaugeError, match=r"Loinc\.csv: has no column LOINC_NUM"):
        read_terminology(path, format="loinc")
    write_one(tmp_path, "Loinc.csv", LOINC["LoincTable/Loinc.csv"] + '"8867-5","x"\n')
    with pytest.raises(TermgaugeError, match="line 5: has 2 columns instead of 10"):
        read_terminology(path)
