"""XML that is broken, or made to do harm: each time one sentence, and nothing is expanded or fetched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.io import xml_stream
from termgauge.io.documents import documents
from termgauge.io.source import files_of
from tests.corpus.medline_files import ARTICLE, citation, medline

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
WHOLE = medline(citation("1", "One", "<AbstractText>Two &#945;&nbsp;three.</AbstractText>"), citation("2"))


def with_subset(subset, text="&x;"):
    return f"<!DOCTYPE PubmedArticleSet [{subset}]><PubmedArticleSet>{citation('1', text)}</PubmedArticleSet>"


@pytest.mark.parametrize(
    ("text", "said"),
    {
        with_subset(f'<!ENTITY l0 "lol">{LAUGHS}', "&l9;"): "line 1: declares entities",
        with_subset('<!ENTITY x SYSTEM "file:///etc/passwd">'): "line 1: declares entities",
        with_subset('<!ENTITY % x SYSTEM "http://127.0.0.1:9/x.dtd"> %x;', ""): "declares entities",
        with_subset(f'<!ENTITY x "{"a" * 1_000}">', "&x;" * 100_000): "declares entities",
        f"<PubmedArticleSet>\n{'<i>' * 300}": "line 2: has elements within elements on more than 200 levels",
        f"<article><body>{'<sec>' * 100_000}": "more than 200 levels",
        f"<PubmedArticleSet><AuthorList>{'<a>' * 100_000}": "more than 200 levels",
        WHOLE[:-40]: r"line 3: is broken XML \(",
        WHOLE.replace("</Abstract>", ""): r"line 3: is broken XML \(mismatched tag\)",
        WHOLE.replace("One", "One & two"): "is broken XML",
        WHOLE.replace("One", "One \x01"): "is broken XML",
        "<PubmedArticleSet/>\n<article/>": "line 2: is broken XML",
        WHOLE.replace('"utf-8"', '"utf-99"'): "encoding",
        "<?xml version='1.0'?><!DOCTYPE html><html/>": r"is XML, but its first element \('html'\)",
        "<?xml version='1.0'?>": "is XML, but its first element is neither",
    }.items(),
)
def test_bad_xml_is_refused_in_one_sentence(tmp_path, text, said):
    (tmp_path / "bad.xml").write_text(text)
    with pytest.raises(TermgaugeError, match=rf"bad\.xml.*{said}") as caught:
        list(documents([tmp_path / "bad.xml"]))
    assert "\n" not in str(caught.value)


def test_bytes_that_are_not_of_the_encoding_are_refused(tmp_path):
    (tmp_path / "bad.xml").write_bytes(WHOLE.encode().replace(b"One", b"\xe9t\xe9"))
    with pytest.raises(TermgaugeError, match="line 3: is broken XML"):
        list(documents([tmp_path / "bad.xml"]))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_encodings_that_are_declared(tmp_path, encoding):
    title = "Œdème" if "1252" in encoding else "Été"
    text = WHOLE.replace('"utf-8"', f'"{encoding.removesuffix("-sig")}"').replace("One", title)
    (tmp_path / "m.xml").write_bytes(text.encode(encoding))
    first = next(documents([tmp_path / "m.xml"]))
    assert first.paragraphs == (title, "Two α three.")


def test_unknown_entities_of_a_dtd_elsewhere_are_left_out(tmp_path):
    (tmp_path / "m.xml").write_text(WHOLE.replace("One", "One &beta;&unheardof; two"))
    assert next(documents([tmp_path / "m.xml"])).paragraphs[0] == "One β two"


@pytest.mark.parametrize("hidden", ["<!--{}-->", "<PubmedArticle x='{}'/>"])
def test_markup_without_end_is_refused(tmp_path, monkeypatch, hidden):
    monkeypatch.setattr(xml_stream, "MOST_LETTERS", 1 << 20)
    (tmp_path / "m.xml").write_text(f"<PubmedArticleSet>{hidden.format('x' * (3 << 20))}</PubmedArticleSet>")
    with pytest.raises(TermgaugeError, match="holds a piece of markup of more than 1 MB"):
        list(documents([tmp_path / "m.xml"]))


def test_what_is_passed_over_may_hold_itself(tmp_path):
    nested = citation("1").replace("<AuthorList>", "<AuthorList><AuthorList></AuthorList><PMID>5</PMID>")
    (tmp_path / "m.xml").write_text(medline(nested, citation("2")))
    assert [each.about.id for each in documents([tmp_path / "m.xml"])] == ["1", "2"]


def test_an_element_has_the_text_that_is_wanted(tmp_path):
    text = (
        "<r a='1'><x:label> one <i>two</i>\n<quiet>no <b>no</b></quiet>three<part>4</part><part>5</part></x:label></r>"
    )
    (tmp_path / "a.xml").write_text(text)
    (file,) = files_of(tmp_path / "a.xml")
    root, label = xml_stream.read_elements(file)
    assert (root.tag, root.attrib, len(root), label.tag) == ("r", {"a": "1"}, 0, "label")
    assert xml_stream.text_of(label, without={"quiet"}, apart={"part"}) == "one two three 4 5"
    assert xml_stream.text_of(None) == ""


@given(st.data())
def test_any_cut_and_any_changed_byte_gives_documents_or_a_sentence(tmp_path, data):
    whole = data.draw(st.sampled_from([WHOLE, ARTICLE])).encode()
    cut = data.draw(st.integers(0, len(whole)))
    changed = bytearray(whole[:cut] if data.draw(st.booleans()) else whole)
    for _ in range(data.draw(st.integers(0, 4)) if changed else 0):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    (tmp_path / "f.xml").write_bytes(bytes(changed))
    try:
        found = list(documents([tmp_path / "f.xml"]))
    except TermgaugeError as error:
        assert "f.xml" in str(error)  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert all(isinstance(each, str) for document in found for each in document.paragraphs)


@pytest.mark.parametrize(
    ("head", "name"),
    {
        b"<a>": "a",
        b"\xef\xbb\xbf<?xml version='1.0'?><!-- <b> --><!DOCTYPE a SYSTEM 'x.dtd'><x:a y='1'><c/>": "a",
        "<?xml version='1.0' encoding='utf-16'?><a/>".encode("utf-16"): "a",
        b"<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;": "a",
        b"<a b='1'": "",
        b"<?xml version='1.0' encoding='utf-99'?><a/>": "",
        b"{}": "",
        b"": "",
        b"x <a/>": "",
    }.items(),
)
def test_the_first_element(head, name):
    assert xml_stream.first_element(head) == name
