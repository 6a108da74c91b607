# ruff: noqa: PT017 - for arbitrary bytes both outcomes are right, and the sentence is looked at
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.io import source as source_module
from termgauge.io.source import files_of
from termgauge.tasks.ner.corpus import LONGEST_LINE, read_columns

FIELDS = ("a token", "its tag")


@pytest.fixture
def read(tmp_path):
    """Return a function that writes a file and reads it."""

    def call(data, fields=FIELDS, numbers=None, **options):
        path = tmp_path / "file.tsv"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return read_columns(files_of(path)[0], fields, {} if numbers is None else numbers, **options)

    return call


def plain(text):
    """Return the sentences of a text, read line by line."""
    sentences = [[]]
    for line in text.split("\n"):
        fields = line.encode().split()  # at the white space of ASCII alone
        if not fields or fields[0].startswith((b"-DOCSTART-", b"###MEDLINE:")):
            sentences.append([])
        else:
            sentences[-1].append((fields[0].decode(), fields[1].decode()))
    return [sentence for sentence in sentences if sentence]


def as_sentences(columns, numbers):
    tags = list(numbers)
    rows = [(token, tags[tag]) for token, tag in zip(columns.tokens, columns.tags[0].tolist(), strict=True)]
    return [rows[begin:end] for begin, end in zip(columns.starts, columns.starts[1:], strict=False)]


tokens = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1).filter(
    lambda text: len(text.encode().split()) == 1 and text.encode().split()[0] == text.encode()
)
lines = st.one_of(
    st.builds("{}{}{}".format, tokens, st.sampled_from(["\t", " ", "  \t"]), st.sampled_from(["O", "B-x", "I-x"])),
    st.sampled_from(["", "\r", "  ", "-DOCSTART- -X- O O", "-DOCSTART-\tO", "###MEDLINE:95369245", "-\tO\r"]),
)


@given(st.lists(lines, min_size=1), st.integers(3, 60), st.booleans())
def test_files_are_read_as_line_by_line(tmp_path_factory, written, portion, marked):
    text = "\n".join(written)
    path = tmp_path_factory.mktemp("columns") / "file.tsv"
    path.write_bytes(b"\xef\xbb\xbf" * marked + text.encode())
    numbers = {}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(source_module, "BLOCK", portion)
        columns = read_columns(files_of(path)[0], FIELDS, numbers)
    expected = plain(text.removeprefix("\ufeff") if not marked else text)
    assert as_sentences(columns, numbers) == expected
    assert columns.starts[-1] == len(columns.tokens)


@pytest.mark.parametrize(
    ("marks", "documents"),
    [
        (["-DOCSTART-\tO", "-DOCSTART- -X- O O", "-DOCSTART-\tO"], [0, 0, 1, 2]),
        (["###MEDLINE:95369245", "###MEDLINE:1", "###MEDLINE:95369245"], [0, 0, 1, 0]),
        (["###PMID:7", "", "###PMID:8"], [0, 0, 0, 1]),
        (["# newdoc id = a", "#doc 12", "#begin document (x); part 000"], [0, 0, 1, 2]),
        (["", "-DOCSTART-\tO", "-DOCSTART-\tO"], [-1, -1, 0, 1]),
    ],
)
@pytest.mark.parametrize("portion", [5, 1000])
def test_documents_begin_at_marks(read, monkeypatch, marks, documents, portion):
    monkeypatch.setattr(source_module, "BLOCK", portion)
    first, second, third = marks
    columns = read(f"{first}\n\na O\n\nb O\nc O\n{second}\n\nd O\n\n{third}\n\ne O\n")
    assert columns.tokens == [*"abcde"]
    assert columns.documents.tolist() == documents


@pytest.mark.parametrize("mark", ["", "-DOCSTART-\tO"])
def test_one_document_or_none_is_not_known(read, mark):
    assert read(f"{mark}\n\na O\n\nb O\n").documents is None


def test_a_token_with_a_tag_is_no_mark(read):
    columns = read("#doc O\n#doctors O\n\n# O\n#doc B-x\n")
    assert columns.tokens == ["#doc", "#doctors", "#", "#doc"]
    assert columns.documents is None


def test_numbers_of_tags_go_on(read):
    numbers = {"O": 0}
    columns = read("a B-x O\nb O I-x\n", ("a token", "gold", "predicted"), numbers)
    assert numbers == {"O": 0, "B-x": 1, "I-x": 2}
    assert [column.tolist() for column in columns.tags] == [[1, 0], [0, 2]]


@pytest.mark.parametrize(
    ("data", "line", "what"),
    [
        (b"a\tO\nb\tNN\tO\n", 2, "has 3 fields between white space, but each line holds 2: a token, its tag; keep"),
        (b"a\tO\n\nb c\tO\n", 3, "has 3 fields"),
        (b"a\tO\n\tO\n", 2, "has 1 field between white space, but each line holds 2: a token, its tag; add"),
        (b"a O\n\n-DOCSTART- O\n\nb B\nc B\n", 5, "the tag 'B' has no type"),
        (b"a\tO\n\xff\tO\n", 2, "is not UTF-8"),
        (b"a\tO\nb\xc3\tO\n", 2, "is not UTF-8"),
        ("a\tO\n".encode("utf-16"), 1, "is not UTF-8"),
        ("a\tO\n".encode("utf-16-be"), 1, "holds a zero byte"),
        (b"a\tO\n\nb\0\tO\n", 3, "holds a zero byte"),
        (b"a\tO\n" + b"b" * LONGEST_LINE + b"\tO\n", 2, "is longer than 64 KB"),
    ],
)
def test_what_is_refused(read, data, line, what):
    with pytest.raises(TermgaugeError, match=rf"file\.tsv, line {line}: {what}") as caught:
        read(data)
    assert str(caught.value).endswith(".")


def test_lines_are_counted_over_portions(read, monkeypatch):
    monkeypatch.setattr(source_module, "BLOCK", 20)
    with pytest.raises(TermgaugeError, match="line 101: has 3 fields"):
        read("a\tO\n" * 100 + "a b O\n")


def test_nothing(read):
    for data in (b"", b"\n\n", b"\xef\xbb\xbf", b"-DOCSTART- O\n"):
        columns = read(data)
        assert columns.tokens == []
        assert columns.starts.tolist() == [0]
        assert len(columns.tags[0]) == 0


@given(st.binary(max_size=300))
def test_any_bytes(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("columns") / "file.tsv"
    path.write_bytes(data)
    try:
        columns = read_columns(files_of(path)[0], FIELDS, {})
    except TermgaugeError as error:
        assert "line" in str(error)
        assert "\n" not in str(error)
    else:
        assert len(columns.tokens) == len(columns.tags[0]) == columns.starts[-1]
        assert (np.diff(columns.starts) > 0).all()
