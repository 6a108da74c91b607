"""Tagged text as it is written can be read again."""

from __future__ import annotations

from termgauge.corpus.tagged_text import read_tagged_sentences, tagged_lines
from termgauge.corpus.tagger import Tagger
from termgauge.io.documents import Document, DocumentMetadata

ABOUT = DocumentMetadata("1\n2", "J 1", ("D1", "D2"), {"language": "eng"})
DOCUMENTS = [
    Document(ABOUT, "One title.", ("# of cells: 3. They grew.",)),
    Document(DocumentMetadata("empty")),
    Document(DocumentMetadata("3"), body=("The end.",)),
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
