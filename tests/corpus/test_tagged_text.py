"""Files of tagged text: their layout, blocks, sentences, and how they are written."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.corpus.sentences import MOST_TOKENS, TaggedSentences, layout_of, read_tagged_sentences, tagged_lines
from termgauge.corpus.tagged_kernel import CONLLU, PLAIN
from termgauge.corpus.tagger import Tagger
from termgauge.exceptions import TermgaugeError
from termgauge.io import source as source_module
from termgauge.io.documents import Document, DocumentMetadata
from termgauge.io.source import files_of

TOKEN = "1\tcells\tcell\tNOUN\tNNS\t_\t0\troot\t_\t_\n"
LAYOUTS = {
    "plain": ("a.tsv", b"cells\tNNS\n", PLAIN),
    "plain in a text file": ("a.txt", b"cells\tNNS\n", PLAIN),
    "plain after comments": ("a.tsv", b"# newdoc id = 1\n\n# x = y\ncells\tNNS\n", PLAIN),
    "a sign of numbers": ("a.tsv", b"#\tNN\n", PLAIN),
    "a number as form": ("a.tsv", b"1\tCD\n", PLAIN),
    "CoNLL-U": ("a.txt", TOKEN.encode(), CONLLU),
    "CoNLL-U that begins with a range": ("a.tsv", b"1-2" + TOKEN[1:].encode(), CONLLU),
    "CoNLL-U with five columns": ("a.conllu", b"1\tcells\tcell\tNOUN\tNNS\n", CONLLU),
    "with a byte order mark": ("a.conllu", b"\xef\xbb\xbf" + TOKEN.encode(), CONLLU),
    "text": ("a.txt", b"Cells went away.\nThey came back.\n", None),
    "text with a tabulator": ("a.txt", b"Cells went away.\nThey came back.\nSome\tdid not.\n", None),
    "XML": ("a.xml", b"<?xml version='1.0'?>\n<article/>", None),
    "XML in UTF-16": ("a.xml", "<?xml version='1.0' encoding='UTF-16'?><article/>".encode("utf-16"), None),
}


@pytest.mark.parametrize("case", LAYOUTS)
def test_layouts(tmp_path, case):
    name, data, expected = LAYOUTS[case]
    (tmp_path / name).write_bytes(data)
    assert layout_of(files_of(tmp_path / name)[0]) == expected


@given(st.lists(st.text("ab\r", max_size=5)), st.booleans(), st.integers(1, 9))
def test_portions_are_whole_lines_and_nothing_is_lost(tmp_path, lines, ends, size):
    data = "\n".join(lines).encode() + b"\n" * ends
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(data))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(source_module, "BLOCK", size)
        found = list(source_module.line_blocks(files_of(tmp_path / "a.txt.gz")[0]))
    assert all(part.endswith(b"\n") for part in found)
    assert b"".join(found) == data + b"\n" * (bool(data) and not data.endswith(b"\n"))


CONLLU_TEXT = (
    "# newdoc id = 1\n# text = Vamos al mar\n1\tVamos\tir\tVERB\t_\t_\t0\troot\t_\t_\n2-3\tal\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\ta\ta\tADP\t_\t_\t3\tcase\t_\t_\n2.1\tx\tx\tX\t_\t_\t_\t_\t_\t_\n3\tel\tel\tDET\t_\t_\t1\tdet\t_\t_\n\n"
)


def test_plain_form(tmp_path):
    (tmp_path / "a.tsv").write_bytes(b"# newdoc id = x\r\nThe\tDT\r\ncells\tNNS\tcell\r\n\r\n\r\n#\t#\r\n.\t.")
    with gzip.open(tmp_path / "b.tsv.gz", "wt") as file:
        file.write("Grow\tVB\n")
    found = read_tagged_sentences([tmp_path / "a.tsv", tmp_path / "b.tsv.gz"])
    assert found == TaggedSentences(["The", "cells", "#", ".", "Grow"], ["DT", "NNS", "#", ".", "VB"], [2, 4, 5])
    assert found.sentences() == [["The", "cells"], ["#", "."], ["Grow"]]


def test_conllu(tmp_path):
    (tmp_path / "a.conllu").write_text(CONLLU_TEXT)
    assert read_tagged_sentences([tmp_path / "a.conllu"]) == (["Vamos", "a", "el"], ["VERB", "ADP", "DET"], [3])
    (tmp_path / "a.conllu").write_text(CONLLU_TEXT.replace("VERB\t_", "VERB\tV").replace("ADP\t_", "ADP\tP"))
    with pytest.raises(TermgaugeError, match="line 7: has no tag"):
        read_tagged_sentences([tmp_path / "a.conllu"])


def test_long_sentences_are_cut(tmp_path):
    (tmp_path / "a.tsv").write_text("x\tNN\n" * (2 * MOST_TOKENS + 1))
    assert read_tagged_sentences([tmp_path / "a.tsv"]).ends == [MOST_TOKENS, 2 * MOST_TOKENS, 2 * MOST_TOKENS + 1]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"The\tDT\ncells\n", "line 2: has no tag"),
        (b"Plain text without tags.\n", "line 1: has no tag"),
        (b"The\t\n", "line 1: has no tag"),
        (b"\tDT\n", "line 1: has no tag"),
        (b"", "holds no tagged words"),
        (b"# only a comment\n\n", "holds no tagged words"),
        (b"The\tDT\ncell\xff\tNN\n", "line 2: is not UTF-8"),
        ("The\tDT\n".encode("utf-16"), "is not UTF-8"),
        (b"a\tNN\n\x00\tNN\n", "line 2: holds a zero byte"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, data, said):
    (tmp_path / "bad.tsv").write_bytes(data)
    with pytest.raises(TermgaugeError, match=rf"bad\.tsv.*{said}"):
        read_tagged_sentences([tmp_path / "bad.tsv"])


WORD = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=8)


@given(st.lists(st.lists(st.tuples(WORD, WORD), min_size=1, max_size=5), min_size=1, max_size=5))
def test_what_was_written_is_read(tmp_path, sentences):
    path = tmp_path / "t.tsv"
    path.write_text("\n".join("".join(f"{form}\t{tag}\n" for form, tag in each) for each in sentences), "utf-8")
    found = read_tagged_sentences([path])
    assert found.sentences() == [[form for form, _ in each] for each in sentences]
    assert found.tags == [tag for each in sentences for _, tag in each]


ABOUT = DocumentMetadata("1\n2", "J 1", ("D1", "D2"), {"language": "eng"})
DOCUMENTS = [
    Document(ABOUT, ("One title.", "# of cells: 3. They grew.")),
    Document(DocumentMetadata("empty")),
    Document(DocumentMetadata("3"), ("The end.",)),
    Document(DocumentMetadata("also empty")),
]


def test_lines_are_sentences_with_what_is_known_of_documents(tmp_path):
    tagger = Tagger.load()
    lines = [line for portion in tagger.tagged(DOCUMENTS) for line in tagged_lines(portion, tagger.tags)]
    assert lines[:4] == ["# newdoc id = 1 2", "# journal = J 1", "# mesh = D1 D2", "# language = eng"]
    assert [line for line in lines if line.startswith("# newdoc")][1:] == [
        "# newdoc id = empty", "# newdoc id = 3", "# newdoc id = also empty",
    ]  # fmt: skip
    assert lines.index("# newdoc id = 3") < lines.index("end\tNN")
    (tmp_path / "t.tsv").write_text("\n".join(lines))
    found = read_tagged_sentences([tmp_path / "t.tsv"])
    assert found.sentences() == [["One", "title", "."], ["#", "of", "cells", ":", "3", "."], ["They", "grew", "."],
                                 ["The", "end", "."]]  # fmt: skip
    assert found.tags == [tag for tags in tagger.tag(found.sentences()) for tag in tags]
