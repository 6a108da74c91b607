"""Untagged text, document by document."""

from __future__ import annotations

import gzip
import lzma
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.io import documents as documents_module
from termgauge.io.documents import DocumentMetadata, documents, kind_of
from termgauge.io.source import files_of
from tests.corpus.medline_files import ARTICLE, citation, medline


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Plain text.", "text"),
        ("", "text"),
        ("<5 % of patients", "text"),
        ("<note>some tags, no XML", "text"),
        (medline(), "medline"),
        ("\n<!-- a comment with <article> --> <PubmedArticleSet/>", "medline"),
        ("<MedlineCitationSet>", "medline"),
        (ARTICLE, "jats"),
        ("<?xml version='1.0'?><?xml-model href='x'?><jats:article xmlns:jats='x'>", "jats"),
        ("<pmc-articleset><article>", "jats"),
    ],
)
def test_what_a_file_is(tmp_path, text, kind):
    (tmp_path / "file").write_text(text)
    assert kind_of(files_of(tmp_path / "file")[0]) == kind
    (tmp_path / "file").write_bytes(text.encode("utf-8-sig"))
    assert kind_of(files_of(tmp_path / "file")[0]) == kind


def test_a_plain_text_is_one_document(tmp_path):
    (tmp_path / "note.txt").write_bytes(
        "\ufeffHeading\r\n\r\nThe patient was\r\nseen. She\nhad Été\n\n  went home\n".encode()
    )
    (found,) = documents([tmp_path / "note.txt"])
    assert found.about.id == "note.txt"
    assert [" ".join(each.split()) for each in found.paragraphs] == [
        "Heading",
        "The patient was seen. She had Été",
        "went home",
    ]


def test_or_one_for_each_line(tmp_path):
    (tmp_path / "notes.txt").write_text("One text.\n\n \nAnother\none")
    found = list(documents([tmp_path / "notes.txt"], per_line=True))
    assert [(each.about.id, each.paragraphs) for each in found] == [
        ("notes.txt:1", ("One text.",)), ("notes.txt:4", ("Another",)), ("notes.txt:5", ("one",)),
    ]  # fmt: skip


def test_many_files_and_wrappings(tmp_path):
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"One."))
    (tmp_path / "b.txt.xz").write_bytes(lzma.compress(b"Two."))
    (tmp_path / "c.nxml").write_text(ARTICLE)
    (tmp_path / "d.xml").write_text(medline(citation("7")))
    with zipfile.ZipFile(tmp_path / "e.zip", "w") as archive:
        archive.writestr("in/f.txt", "Three.")
        archive.writestr("in/g.xml", medline(citation("8")))
    files = [tmp_path / name for name in ("a.txt.gz", "b.txt.xz", "c.nxml", "d.xml", "e.zip")]
    assert [each.about.id for each in documents(files)] == ["a.txt", "b.txt", "PMC42", "in/f.txt", "8", "7"]
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "a.txt.gz").rename(folder / "a.txt.gz")
    assert [each.paragraphs for each in documents([folder])] == [("One.",)]


@given(st.text(st.sampled_from("ab \nAé"), max_size=300), st.integers(1, 40), st.booleans())
def test_portions_lose_nothing(tmp_path, text, letters, per_line):
    (tmp_path / "t.txt").write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(documents_module, "PORTION_LETTERS", letters)
        patched.setattr(documents_module, "_CHUNK", 7)
        found = list(documents([tmp_path / "t.txt"], per_line=per_line))
    letters_found = "".join(
        letter for each in found for part in each.paragraphs for letter in part if not letter.isspace()
    )
    assert letters_found == "".join(text.split())
    if per_line:
        begun = [each.about.id for each in found if not each.continues]
        lines = [f"t.txt:{number}" for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        assert begun == lines
    elif text:
        assert [each.continues for each in found] == [False] + [True] * (len(found) - 1)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"good\nbad \xff\n", "line 2: is not UTF-8"),
        ("caf\u00e9\n".encode("latin-1"), "line 1: is not UTF-8"),
        (b"good\n" * 100_000 + "na\u00efve".encode("latin-1"), "line 100,001: is not UTF-8"),
        ("UTF-16 text".encode("utf-16"), "line 1: is not UTF-8"),
        ("UTF-16 text".encode("utf-16-le"), "line 1: holds a zero byte"),
        (b"a\nb\n\x00\x01\x02", "line 3: holds a zero byte"),
        (b"cut off \xc3", "line 1: is not UTF-8"),
    ],
)
def test_what_is_no_text_is_said(tmp_path, data, said):
    (tmp_path / "bad.txt").write_bytes(data)
    with pytest.raises(TermgaugeError, match=rf"bad\.txt, {said}"):
        list(documents([tmp_path / "bad.txt"]))


def test_an_empty_file_has_no_document(tmp_path):
    (tmp_path / "empty.txt").touch()
    assert list(documents([tmp_path / "empty.txt"])) == []
    with pytest.raises(TermgaugeError, match="no such file"):
        list(documents([tmp_path / "none.txt"]))


@given(st.binary(max_size=200))
def test_any_bytes_give_documents_or_a_sentence(tmp_path, data):
    (tmp_path / "any").write_bytes(data)
    try:
        list(documents([tmp_path / "any"]))
    except TermgaugeError as error:
        assert str(error).startswith(str(tmp_path / "any"))  # noqa: PT017


def test_a_document_needs_no_more_than_its_id() -> None:
    about = DocumentMetadata("PMC1")
    assert about.journal is None
    assert about.mesh == ()
    assert about.more == {}
