"""MEDLINE XML, against the same files read as a tree."""

from __future__ import annotations

import gzip
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.io.documents import documents
from tests.corpus.medline_files import citation, medline, real_files

PART = 40 << 20
"""So much of a real file is compared, in bytes of XML."""


def words_of(element):
    """Return the text of an element without formulas, in one line."""
    if element is None:
        return ""

    def pieces(within):
        yield within.text or ""
        for child in within:
            if child.tag.rpartition("}")[2] not in ("math", "DispFormula"):
                yield from pieces(child)
            yield child.tail or ""

    return " ".join("".join(pieces(element)).split())


def of_tree(article):
    known = article.find("MedlineCitation")
    abstract = [words_of(each) for each in known.findall("Article/Abstract/AbstractText")]
    return (
        known.findtext("PMID"),
        known.findtext("MedlineJournalInfo/NlmUniqueID"),
        tuple(each.get("UI") for each in known.findall("MeshHeadingList/MeshHeading/DescriptorName")),
        words_of(known.find("Article/ArticleTitle")),
        tuple(filter(None, abstract)),
        known.findtext("Article/Language"),
    )


def flat(document):
    about = document.about
    return about.id, about.journal, about.mesh, document.title, document.abstract, about.more.get("language")


@pytest.mark.parametrize("place", [0, pytest.param(1, marks=pytest.mark.long)])
def test_real_files_read_as_a_tree(tmp_path, place):
    with gzip.open(real_files(".xml.gz")[place]) as file:
        data = file.read(PART)
    data = data[: data.rindex(b"</PubmedArticle>") + len("</PubmedArticle>")] + b"</PubmedArticleSet>"
    (tmp_path / "part.xml").write_bytes(data)
    expected = {}
    for article in ET.fromstring(data).iter("PubmedArticle"):
        row = of_tree(article)
        expected.setdefault(row[0], row)
    assert len(expected) > 2500
    assert [flat(document) for document in documents([tmp_path / "part.xml"])] == list(expected.values())


def test_a_citation(tmp_path):
    mesh = (
        '<MeshHeadingList><MeshHeading><DescriptorName UI="D1">x</DescriptorName><QualifierName UI="Q1"/></MeshHeading>'
        '<MeshHeading><DescriptorName UI="D2">y</DescriptorName></MeshHeading></MeshHeadingList>'
        '<OtherAbstract Language="fre"><AbstractText>Autre.</AbstractText></OtherAbstract>'
        "<CommentsCorrectionsList><CommentsCorrections><PMID>99</PMID></CommentsCorrections></CommentsCorrectionsList>"
    )
    abstract = '<AbstractText Label="AIM">One &amp;\n <i>two</i> &alpha;.</AbstractText>'
    abstract += "<AbstractText>H<sub>2</sub>O.</AbstractText>"
    (tmp_path / "m.xml").write_text(medline(citation("7", "A <b>bold</b> title.", abstract, mesh)))
    (found,) = documents([tmp_path / "m.xml"])
    assert flat(found) == ("7", "0255562", ("D1", "D2"), "A bold title.", ("One & two α.", "H2O."), "eng")
    assert (found.body, found.continues) == ((), False)


def test_later_files_replace_and_delete_citations(tmp_path):
    (tmp_path / "n0001.xml").write_text(medline(citation("1", "Old"), citation("2"), citation("3"), citation("x")))
    (tmp_path / "n0002.xml").write_text(medline(citation("1", "New"), citation("x"), deleted="3 4"))
    found = [(each.about.id, each.title) for each in documents([tmp_path / "n0001.xml", tmp_path / "n0002.xml"])]
    assert found == [("1", "New"), ("x", "A title."), ("2", "A title."), ("x", "A title.")]


def test_of_several_versions_in_one_file_the_first_counts(tmp_path):
    (tmp_path / "m.xml").write_text(medline(citation("1", "First"), citation("1", "Second", version=2)))
    assert [each.title for each in documents([tmp_path / "m.xml"])] == ["First"]


def test_book_articles_and_older_files(tmp_path):
    book = "<BookDocument><PMID>5</PMID><Book><BookTitle>B</BookTitle></Book><ArticleTitle>A chapter</ArticleTitle>"
    book += "<Language>eng</Language><Abstract><AbstractText>Text.</AbstractText></Abstract></BookDocument>"
    (tmp_path / "m.xml").write_text(
        f"<PubmedArticleSet><PubmedBookArticle>{book}</PubmedBookArticle></PubmedArticleSet>"
    )
    (found,) = documents([tmp_path / "m.xml"])
    assert flat(found) == ("5", None, (), "A chapter", ("Text.",), "eng")
    old = citation("6").replace("<PubmedArticle>", "").partition("<PubmedData>")[0]
    (tmp_path / "m.xml").write_text(f"<MedlineCitationSet>{old}</MedlineCitationSet>")
    assert [each.about.id for each in documents([tmp_path / "m.xml"])] == ["6"]


def test_a_citation_without_end_is_refused(tmp_path):
    (tmp_path / "m.xml").write_text(medline(citation("7", "word " * (4 << 20))))
    with pytest.raises(TermgaugeError, match="the citation 7 has more than 16 million letters"):
        list(documents([tmp_path / "m.xml"]))


NAMES = st.sampled_from(
    [
        "PubmedArticle",
        "MedlineCitation",
        "BookDocument",
        "PMID",
        "Article",
        "ArticleTitle",
        "Abstract",
        "AbstractText",
        "AuthorList",
        "PubmedData",
        "MeshHeading",
        "DescriptorName",
        "DeleteCitation",
        "Language",
        "math",
        "i",
    ]
)
TREES = st.recursive(
    st.text("ab 1", max_size=4),
    lambda inside: st.tuples(NAMES, st.lists(inside, max_size=4)).map(
        lambda made: f'<{made[0]} UI="D">{"".join(made[1])}</{made[0]}>'
    ),
    max_leaves=25,
)


@given(st.lists(TREES, max_size=4))
def test_elements_in_any_order_never_break_the_reader(tmp_path, trees):
    (tmp_path / "m.xml").write_text(f"<PubmedArticleSet>{''.join(trees)}</PubmedArticleSet>")
    for document in documents([tmp_path / "m.xml"]):
        assert all(isinstance(each, str) for each in document.paragraphs)
