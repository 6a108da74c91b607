"""Tagged sentences from files: both layouts, and lines that are wrong."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.corpus.sentences import MOST_TOKENS
from termgauge.corpus.tagged_text import TaggedSentences, read_tagged_sentences
from termgauge.exceptions import TermgaugeError

CONLLU = (
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
    (tmp_path / "a.conllu").write_text(CONLLU)
    assert read_tagged_sentences([tmp_path / "a.conllu"]) == (["Vamos", "a", "el"], ["VERB", "ADP", "DET"], [3])
    (tmp_path / "a.conllu").write_text(CONLLU.replace("VERB\t_", "VERB\tV").replace("ADP\t_", "ADP\tP"))
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
