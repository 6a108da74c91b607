"""How broadly words are used, held against counting by hand."""

from __future__ import annotations

import pytest

import termgauge as tg
from termgauge.corpus.tally import read_branches, read_subjects
from termgauge.exceptions import SkippedWarning, TermgaugeError

CORPUS = """# newdoc id = 1
# journal = 111
# mesh = D1, D2
cells\tNNS
cell\tNN

# newdoc id = 2
# journal = 222
# mesh = D2
cell\tNN
# newdoc id = 3
# journal = 111
gene\tNN
# journal = 222
# newdoc id = 4
# journal = 333
cells\tNNS
gene\tNN
# newdoc id = 5
cell\tNN
gene\tNN
"""
SUBJECTS = "nlm_id\tterm\n111\tBiology\n111\tAnatomy\n222\tBiology\n999\tNursing\n"
SERIALS = """<?xml version="1.0"?><!DOCTYPE SerialsSet SYSTEM "nlmserials.dtd"><SerialsSet>
<Serial><NlmUniqueID>111</NlmUniqueID><BroadJournalHeadingList><BroadJournalHeading>Biology</BroadJournalHeading>
<BroadJournalHeading>Anatomy</BroadJournalHeading></BroadJournalHeadingList></Serial>
<Serial><Title>No subject</Title><NlmUniqueID>333</NlmUniqueID></Serial>
<Serial><NlmUniqueID>222</NlmUniqueID><BroadJournalHeadingList><BroadJournalHeading>Biology</BroadJournalHeading>
</BroadJournalHeadingList></Serial>
<Serial><NlmUniqueID>999</NlmUniqueID><BroadJournalHeadingList><BroadJournalHeading>Nursing</BroadJournalHeading>
</BroadJournalHeadingList></Serial></SerialsSet>"""
TREES = "D1\tNeoplasms\tC04\nD2\tBrain Diseases\tC10.228.140|C04.588\nD3\tNothing\t\n"


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "corpus.tsv").write_text(CORPUS)
    return tmp_path / "corpus.tsv"


def rows(found, *columns):
    return {row[0]: row[1:] for row in found.table.select("word", *columns).iter_rows()}


def test_documents_and_journals(corpus):
    found = tg.words(corpus, min_count=1, general="none")
    assert rows(found, "count", "documents", "journals") == {"cell": (5, 4, 3), "gene": (3, 3, 2)}
    assert (found.documents, found.journals, found.breadth) == (5, 3, "journals")


@pytest.mark.parametrize(("name", "text"), [("subjects.tsv", SUBJECTS), ("serials.xml", SERIALS)])
def test_subjects_of_journals(corpus, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    found = tg.words(corpus, min_count=1, general="none", subjects=tmp_path / name)
    # Of cell, two articles are of Biology and one of Anatomy; of gene one each, and Anatomy comes first.
    expected = {"cell": (2, "Biology"), "gene": (2, "Anatomy")}
    assert rows(found, "subjects", "main_subject") == expected
    assert found.breadth == "subjects"
    assert set().union(*read_subjects(tmp_path / name).values()) == {"Anatomy", "Biology", "Nursing"}


def test_branches_of_mesh(corpus, tmp_path):
    (tmp_path / "trees.tsv").write_text(TREES)
    found = tg.words(corpus, min_count=1, general="none", mesh_trees=tmp_path / "trees.tsv")
    assert rows(found, "mesh_branches", "main_mesh_branch") == {"cell": (2, "C04"), "gene": (0, None)}
    assert found.breadth == "mesh"
    assert set().union(*read_branches(tmp_path / "trees.tsv").values()) == {"C04", "C10"}


def test_what_cannot_be_known_is_said(tmp_path):
    (tmp_path / "corpus.tsv").write_text("cell\tNN\n")
    (tmp_path / "subjects.tsv").write_text(SUBJECTS)
    (tmp_path / "trees.tsv").write_text(TREES)
    with pytest.warns(SkippedWarning, match="No journal of the corpus has a subject"):
        found = tg.words(tmp_path / "corpus.tsv", min_count=1, general="none", subjects=tmp_path / "subjects.tsv")
    assert rows(found, "subjects", "main_subject", "journals") == {"cell": (0, None, None)}
    with pytest.warns(SkippedWarning, match="No document has a MeSH descriptor"):
        tg.words(tmp_path / "corpus.tsv", min_count=1, general="none", mesh_trees=tmp_path / "trees.tsv")
    (tmp_path / "empty.tsv").write_text("nlm_id\tterm\n")
    with pytest.raises(TermgaugeError, match="gives no journal a subject"):
        read_subjects(tmp_path / "empty.tsv")
    with pytest.raises(TermgaugeError, match="no tree numbers"):
        read_branches(tmp_path / "subjects.tsv")


def test_serials_that_are_dangerous(tmp_path):
    bomb = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "y">]><SerialsSet>&x;</SerialsSet>'
    (tmp_path / "serials.xml").write_text(bomb)
    with pytest.raises(TermgaugeError, match="entities"):
        read_subjects(tmp_path / "serials.xml")


def test_many_portions_add_up(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr("termgauge.corpus.tally._SPOOL_ITEMS", 1)
    monkeypatch.setattr("termgauge.corpus.tally._MOST_BYTES", 1)  # one word at a time
    test_documents_and_journals(corpus)
    test_branches_of_mesh(corpus, tmp_path)
