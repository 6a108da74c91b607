"""RF2 file names say everything."""

from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of
from termgauge.terminology.formats.rf2 import CONTENTS, find_release, is_rf2


def sources(tmp_path, *names):
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    return [files_of(tmp_path)]


@pytest.mark.parametrize(
    ("name", "content", "edition", "full"),
    [
        ("sct2_Concept_Full_INT_20190131.txt", "concept", "INT", True),
        ("xsct2_Concept_Snapshot_INT_20190131.txt", "concept", "INT", False),
        ("sct2_Description_Full-en_INT_20190131.txt", "description", "INT", True),
        ("sct2_Description_SpanishExtensionSnapshot-es_INT_20190430.txt", "description", "INT SpanishExtension", False),
        ("sct2_Description_MONOSnapshot-en-GB_GB_20200101.txt", "description", "GB MONO", False),
        ("sct2_Relationship_Full_US1000124_20190301.txt", "relationship", "US1000124", True),
        ("der2_cRefset_LanguageFull-en_INT_20190131.txt", "language", "INT", True),
        ("xder2_cRefset_LanguageSnapshot-da_DK1000005_20190131.txt", "language", "DK1000005", False),
        ("der2_cRefset_AssociationFull_INT_20190131.txt", "association", "INT", True),
        ("der2_cRefset_AssociationReferenceSnapshot_INT_20140131.txt", "association", "INT", False),
        ("SCT2_CONCEPT_FULL_INT_20190131.TXT", "concept", "INT", True),
    ],
)
def test_names(tmp_path, name, content, edition, full):
    (found,) = find_release(sources(tmp_path, name), None)
    assert (found.content, found.edition, found.full) == (content, edition, full)


@pytest.mark.parametrize(
    "name",
    [
        "sct2_Concept_Delta_INT_20190131.txt",
        "sct2_StatedRelationship_Full_INT_20190131.txt",
        "sct2_RelationshipConcreteValues_Full_INT_20210131.txt",
        "sct2_TextDefinition_Full-en_INT_20190131.txt",
        "sct2_Identifier_Full_INT_20190131.txt",
        "der2_cRefset_AttributeValueFull_INT_20190131.txt",
        "der2_ssRefset_ModuleDependencyFull_INT_20190131.txt",
    ],
)
def test_files_of_a_release_that_are_not_read(tmp_path, name):
    place = sources(tmp_path, name)
    assert find_release(place, None) == []
    assert is_rf2(place[0][0])


@pytest.mark.parametrize(
    "name", ["sct2_Concept_Full_INT_2019.txt", "sct2_Concept.txt", "notes.txt", "concept_Full.txt"]
)
def test_files_of_no_release(tmp_path, name):
    assert not is_rf2(sources(tmp_path, name)[0][0])


def test_every_content_has_a_pattern():
    assert all(content.pattern.endswith("YYYYMMDD.txt") for content in CONTENTS.values())


def test_order_international_first_whatever_the_folders_are_called(tmp_path):
    names = ("a/sct2_Concept_Full_AU1000036_20190131.txt", "z/sct2_Concept_Full_INT_20190131.txt")
    assert [each.edition for each in find_release(sources(tmp_path, *names), None)] == ["INT", "AU1000036"]


def test_full_wins_per_content(tmp_path):
    names = (
        "sct2_Concept_Full_INT_20190131.txt",
        "sct2_Concept_Snapshot_INT_20190131.txt",
        "sct2_Description_Snapshot-en_INT_20190131.txt",
    )
    found = find_release(sources(tmp_path, *names), None)
    assert [(each.content, each.full) for each in found] == [("concept", True), ("description", False)]


def test_the_same_file_twice_is_read_once(tmp_path):
    name = "sct2_Concept_Full_INT_20190131.txt"
    assert len(find_release(sources(tmp_path, f"a/{name}", f"b/{name}"), None)) == 1


def test_three_dates(tmp_path):
    names = [f"{date}/sct2_Concept_Full_INT_{date}.txt" for date in ("20180131", "20190131", "20200131")]
    with pytest.raises(TermgaugeError, match="20180131, 20190131 and 20200131"):
        find_release(sources(tmp_path, *names), None)
    (found,) = find_release(sources(tmp_path, *names), "20190131")
    assert found.date == "20190131"


def test_editions_may_differ_in_date(tmp_path):
    names = ("sct2_Concept_Full_INT_20190131.txt", "sct2_Concept_Full_US1000124_20190301.txt")
    assert len(find_release(sources(tmp_path, *names), None)) == 2
