"""ClaML, beside what ElementTree finds in the same file."""

from __future__ import annotations

import re
import time
from xml.etree import ElementTree as ET

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.terminology import read_terminology
from tests.made_formats import CLAML, write_claml, write_one

LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def test_counts_are_those_of_the_tree(tmp_path):
    root = ET.fromstring(re.sub(r"<!DOCTYPE[^>]*>", "", CLAML.partition("?>")[2]))
    found = read_terminology(write_claml(tmp_path))
    classes = root.findall("Class")
    assert found.concepts["concept"].to_list() == [each.get("code") for each in classes]
    preferred = root.findall("Class/Rubric[@kind='preferred']/Label")
    assert found.summary()["kinds"]["fsn"] == len(preferred)
    assert found.terms.height == len(preferred) + len(root.findall("Class/Rubric[@kind='inclusion']/Label"))
    above = {(each.get("code"), "is_a", up.get("code")) for each in classes for up in each.findall("SuperClass")}
    assert set(found.relations.rows()) == above
    assert set(found.terms["language"]) == {each.get(LANGUAGE) for each in preferred}
    assert (found.identity.edition, found.identity.version) == ("ICD-10-XX", "2019")


def test_rubrics(tmp_path):
    found = read_terminology(write_claml(tmp_path), language="en")
    assert found.terms.select("concept", "text", "kind").rows() == [
        ("IX", "Diseases of the heart", "fsn"),
        ("IX", "heart conditions", "narrow"),
        ("I20-I25", "Ischaemic heart diseases", "fsn"),
        ("I21", "Acute myocardial infarction", "fsn"),
        ("I21", "Heart attack", "synonym"),
        ("I24", "Other acute heart disease", "fsn"),
        ("I24", "Coronary thrombosis", "narrow"),
    ]
    assert set(found.concepts["tag"]) == {"Diseases of the heart"}
    assert [(each.what, each.examples) for each in found.skipped] == [("rubrics of the kind odd", ("I24: odd",))]
    german = read_terminology(tmp_path, language="de")
    assert german.concepts["name"].to_list() == ["Herzkrankheiten", None, "Akuter Myokardinfarkt", None]


def test_cycles_end(tmp_path):
    classes = "".join(
        f'<Class code="{own}" kind="category"><SuperClass code="{above}"/><Rubric kind="preferred"><Label>{own}</Label>'
        "</Rubric></Class>"
        for own, above in (("a", "b"), ("b", "c"), ("c", "a"), ("d", "d"), ("e", "nowhere"))
    )
    found = read_terminology(write_one(tmp_path, "c.xml", f"<ClaML>{classes}</ClaML>"))
    assert found.concepts.height == found.relations.height == 5
    assert found.concepts["tag"].null_count() == 0


def test_a_deep_classification_costs_what_a_flat_one_does(tmp_path):
    def seconds(above):
        classes = "".join(
            f'<Class code="{at}" kind="category"><SuperClass code="{above(at)}"/></Class>' for at in range(40_000)
        )
        path = write_one(tmp_path, "c.xml", f"<ClaML>{classes}</ClaML>")
        begun = time.process_time()
        assert read_terminology(path, cache=False).relations.height == 40_000
        return time.process_time() - begun

    assert seconds(lambda at: at + 1) < 6 * seconds(lambda _at: 0), "of the processor, which no other program changes"


@pytest.mark.parametrize(
    ("text", "said"),
    {
        "<Claml/>": "its first element is 'Claml'",
        "no xml": "it does not begin as XML",
        "<ClaML/>": "holds no concepts",
        '<!DOCTYPE ClaML [<!ENTITY x SYSTEM "file:///etc/passwd">]><ClaML>&x;</ClaML>': "declares entities",
        f"<ClaML>{'<Para>' * 300}": "more than 200 levels",
    }.items(),
)
def test_what_is_no_claml_gets_a_sentence(tmp_path, text, said):
    with pytest.raises(TermgaugeError, match=rf"c\.xml.*{said}"):
        read_terminology(write_one(tmp_path, "c.xml", text), format="claml")
