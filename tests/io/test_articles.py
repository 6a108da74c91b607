"""MEDLINE and JATS XML, beside plain readers of the whole tree."""

from __future__ import annotations

import gzip
import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.io import documents as articles
from termgauge.io.documents import documents
from tests.corpus.medline_files import ARTICLE, citation, medline, real_files

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
        tuple(filter(None, (words_of(known.find("Article/ArticleTitle")), *abstract))),
        known.findtext("Article/Language"),
    )


def flat(document):
    about = document.about
    return about.id, about.journal, about.mesh, document.paragraphs, about.more.get("language")


@pytest.mark.parametrize(
    ("place", "size", "articles"),
    [
        (0, PART >> 3, 300),
        pytest.param(0, PART, 2500, marks=pytest.mark.long),
        pytest.param(1, PART, 2500, marks=pytest.mark.long),
    ],
)
def test_real_medline_files_read_as_a_tree(tmp_path, place, size, articles):
    with gzip.open(real_files(".xml.gz")[place]) as file:
        data = file.read(size)
    data = data[: data.rindex(b"</PubmedArticle>") + len("</PubmedArticle>")] + b"</PubmedArticleSet>"
    (tmp_path / "part.xml").write_bytes(data)
    expected = {}
    for article in ET.fromstring(data).iter("PubmedArticle"):
        row = of_tree(article)
        expected.setdefault(row[0], row)
    assert len(expected) > articles
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
    assert flat(found) == ("7", "0255562", ("D1", "D2"), ("A bold title.", "One & two α.", "H2O."), "eng")
    assert not found.continues


def test_later_files_replace_and_delete_citations(tmp_path):
    (tmp_path / "n0001.xml").write_text(medline(citation("1", "Old"), citation("2"), citation("3"), citation("x")))
    (tmp_path / "n0002.xml").write_text(medline(citation("1", "New"), citation("x"), deleted="3 4"))
    found = [
        (each.about.id, each.paragraphs[0]) for each in documents([tmp_path / "n0001.xml", tmp_path / "n0002.xml"])
    ]
    assert found == [("1", "New"), ("x", "A title."), ("2", "A title."), ("x", "A title.")]


def test_of_several_versions_in_one_file_the_first_counts(tmp_path):
    (tmp_path / "m.xml").write_text(medline(citation("1", "First"), citation("1", "Second", version=2)))
    assert [each.paragraphs[0] for each in documents([tmp_path / "m.xml"])] == ["First"]


def test_book_articles_and_older_files(tmp_path):
    book = "<BookDocument><PMID>5</PMID><Book><BookTitle>B</BookTitle></Book><ArticleTitle>A chapter</ArticleTitle>"
    book += "<Language>eng</Language><Abstract><AbstractText>Text.</AbstractText></Abstract></BookDocument>"
    (tmp_path / "m.xml").write_text(
        f"<PubmedArticleSet><PubmedBookArticle>{book}</PubmedBookArticle></PubmedArticleSet>"
    )
    (found,) = documents([tmp_path / "m.xml"])
    assert flat(found) == ("5", None, (), ("A chapter", "Text."), "eng")
    old = citation("6").replace("<PubmedArticle>", "").partition("<PubmedData>")[0]
    (tmp_path / "m.xml").write_text(f"<MedlineCitationSet>{old}</MedlineCitationSet>")
    assert [each.about.id for each in documents([tmp_path / "m.xml"])] == ["6"]


def test_a_citation_without_end_is_refused(tmp_path):
    (tmp_path / "m.xml").write_text(medline(citation("7", "word " * (4 << 20))))
    with pytest.raises(TermgaugeError, match="holds an element of more than 16 million letters"):
        list(documents([tmp_path / "m.xml"]))


CITATION_NAMES = st.sampled_from(
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
CITATION_TREES = st.recursive(
    st.text("ab 1", max_size=4),
    lambda inside: st.tuples(CITATION_NAMES, st.lists(inside, max_size=4)).map(
        lambda made: f'<{made[0]} UI="D">{"".join(made[1])}</{made[0]}>'
    ),
    max_leaves=25,
)


@given(st.lists(CITATION_TREES, max_size=4))
def test_elements_of_citations_in_any_order_never_break_the_reader(tmp_path, trees):
    (tmp_path / "m.xml").write_text(f"<PubmedArticleSet>{''.join(trees)}</PubmedArticleSet>")
    for document in documents([tmp_path / "m.xml"]):
        assert all(isinstance(each, str) for each in document.paragraphs)


LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def left_out(element):
    name = element.tag.rpartition("}")[2]
    return name in articles._LEFT_OUT or (name == "xref" and element.get("ref-type") in articles._MARKS)


def paragraphs(element):
    """Return the paragraphs of the abstract or body by walking its tree."""
    lines, open_ = [[]], 0

    def walk(within):
        nonlocal open_
        name = within.tag.rpartition("}")[2]
        if left_out(within):
            lines[-1].append(" " if name.endswith("formula") else "")
            return
        block = name in ("p", "title")
        if block:
            lines.append([])
            open_ += 1
        lines[-1].append((within.text or "") if open_ else "")
        for child in within:
            walk(child)
            lines[-1].append((child.tail or "") if open_ else "")
        if block:
            lines.append([])
            open_ -= 1

    if element is not None:
        walk(element)
    plain = (" ".join("".join(line).split()) for line in lines)
    without = (re.sub(r"\s*(?:\[[\s,;–-]*\]|\([\s,;–-]*\))", "", line) for line in plain)
    return tuple(filter(None, without))


def test_real_jats_files_read_as_a_tree():
    places = real_files(".nxml")
    found = list(documents(places))
    assert len(found) == len(places) == 8
    for place, document in zip(places, found, strict=True):
        tree = ET.parse(place).getroot()
        meta = tree.find("front/article-meta")
        assert document.about.id == f"PMC{meta.findtext('article-id[@pub-id-type=' + repr('pmc') + ']')}"
        assert document.about.journal == tree.findtext("front/journal-meta/journal-id[@journal-id-type='nlm-ta']")
        title = meta.find("title-group/article-title")
        kept = "".join(title.itertext()) if not title.findall(".//xref") else document.paragraphs[0]
        expected = tuple(line for abstract in meta.findall("abstract") for line in paragraphs(abstract))
        body = paragraphs(tree.find("body"))
        assert document.paragraphs == (" ".join(kept.split()), *expected, *body)
        assert len(body) > 10
        assert document.about.more.get("language") == tree.get(LANGUAGE)


def test_an_article(tmp_path):
    (tmp_path / "a.nxml").write_text(ARTICLE)
    (found,) = documents([tmp_path / "a.nxml"])
    assert (found.about.id, found.about.journal) == ("PMC42", "J Test")
    assert found.about.more == {"language": "en", "pmid": "17"}
    body = ("Methods", "We grew cells (Fig. 1).", "A list:", "first", "and after it all.")
    assert found.paragraphs == ("Cells in vitro", "Aims", "To see CO2 rise.", *body)


@pytest.mark.parametrize(
    ("gone", "number", "journal"),
    [
        ('<article-id pub-id-type="pmc">42</article-id>', "17", "J Test"),
        ('<journal-id journal-id-type="nlm-ta">J Test</journal-id>', "PMC42", "1234-5678"),
    ],
)
def test_what_stands_for_number_and_journal(tmp_path, gone, number, journal):
    (tmp_path / "a.nxml").write_text(ARTICLE.replace(gone, ""))
    (found,) = documents([tmp_path / "a.nxml"])
    assert (found.about.id, found.about.journal) == (number, journal)


def test_an_article_without_numbers_is_called_after_its_file(tmp_path):
    (tmp_path / "a.nxml").write_text("<article><body><p>Text.</p></body></article>")
    (found,) = documents([tmp_path / "a.nxml"])
    assert (found.about.id, found.about.journal, found.paragraphs) == ("a.nxml", None, ("Text.",))


NAMES = st.sampled_from(
    [
        "article",
        "front",
        "body",
        "abstract",
        "p",
        "title",
        "title-group",
        "article-title",
        "xref",
        "fig",
        "issn",
        "sec",
        "article-id",
    ]
)
TREES = st.recursive(
    st.text("ab 1[]", max_size=4),
    lambda inside: st.tuples(NAMES, st.lists(inside, max_size=4)).map(
        lambda made: f'<{made[0]} ref-type="bibr">{"".join(made[1])}</{made[0]}>'
    ),
    max_leaves=25,
)


@given(st.lists(TREES, max_size=4))
def test_elements_of_articles_in_any_order_never_break_the_reader(tmp_path, trees):
    (tmp_path / "a.nxml").write_text(f"<article>{''.join(trees)}</article>")
    for document in documents([tmp_path / "a.nxml"]):
        assert all(isinstance(each, str) for each in document.paragraphs)
