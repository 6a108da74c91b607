"""Files of tagged text: what layout they have, and their portions."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.corpus.tagged_kernel import CONLLU, PLAIN
from termgauge.corpus.tagged_text import layout_of
from termgauge.io import lines as line_module
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
        patched.setattr(line_module, "BLOCK", size)
        read = []
        found = list(line_module.line_blocks(files_of(tmp_path / "a.txt.gz")[0], read.append))
    assert all(part.endswith(b"\n") for part in found)
    assert b"".join(found) == data + b"\n" * (bool(data) and not data.endswith(b"\n"))
    assert sum(read) <= (tmp_path / "a.txt.gz").stat().st_size
