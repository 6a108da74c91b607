"""Distinct tokens and the documents that have them."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np
import polars as pl
import pytest

from termgauge.corpus.sentences import tagged_lines
from termgauge.corpus.tagged_kernel import CONLLU, PLAIN
from termgauge.corpus.tagger import TaggedPortion
from termgauge.corpus.tally import Tally
from termgauge.exceptions import TermgaugeError
from termgauge.io.documents import DocumentMetadata

TEXT = "# newdoc id = a\n# journal = J\ncells\tNNS\ncells\tNNS\n\n# newdoc\n#\tNN\ncells\tNNS\tcell\n"


@pytest.fixture
def tally_of():
    """Return a function that tallies files."""
    with ExitStack() as opened:

        def made(*files, layout=PLAIN):
            tally = opened.enter_context(
                Tally(lambda tokens, _places: pl.repeat(value=True, n=tokens.height, eager=True))
            )
            for at, text in enumerate(files):
                tally.begin_file(f"file {at}")
                tally.add(text.encode(), layout)
            return tally

        yield made


def everything(tally):
    """Return which distinct tokens each document has."""
    tokens = tally.distinct().height
    found = [
        (int(word), int(document))
        for words, documents in tally.occurrences(np.arange(tokens, dtype=np.int32), tokens)
        for word, document in zip(words, documents, strict=True)
    ]
    return sorted(found)


def test_tokens_documents_and_journals(tally_of):
    tally = tally_of(TEXT, "gene\tNN\n")
    assert (tally.tokens, tally.documents, list(tally.journals), list(tally.journal_of)) == (5, 3, ["J"], [0])
    assert tally.distinct().rows() == [
        ("cells", "NNS", None, False, 2), ("#", "NN", None, False, 1), ("cells", "NNS", "cell", False, 1),
        ("gene", "NN", None, False, 1),
    ]  # fmt: skip
    assert everything(tally) == [(0, 0), (1, 1), (2, 1), (3, 2)]
    assert tally.places([0, 2, 3]) == ["file 0, line 3", "file 0, line 8", "file 1, line 1"]


def test_xpos_is_preferred_and_upos_told_apart(tally_of):
    row = "1\tcells\t_\tNOUN\t{}\t_\t_\t_\t_\t_\n"
    tally = tally_of(row.format("NNS") + row.format("_"), layout=CONLLU)
    assert tally.distinct().rows() == [("cells", "NNS", None, False, 1), ("cells", "NOUN", None, True, 1)]


def test_a_block_of_a_tagger_is_counted_like_text(tally_of):
    tally = tally_of("gene\tNN\n")
    tally.begin_file("text")
    about = [(at, DocumentMetadata(str(at), journal="J", mesh=("D1",))) for at in (0, 2, 2, 3, 3)]
    block = TaggedPortion(["cells", "cells", "went"], np.array([0, 0, 1]), [2, 3], about)
    more = TaggedPortion(["went"], np.array([1]), [1], [])
    for portion in (block, more):
        lines = "".join(f"{line}\n" for line in tagged_lines(portion, ["NNS", "VBD"]))
        tally.add(lines.encode(), PLAIN)
    assert (tally.tokens, tally.documents, list(tally.journal_of)) == (5, 6, [-1, 0, 0, 0, 0, 0])
    assert everything(tally) == [(0, 0), (1, 1), (2, 3), (2, 5)]
    assert tally.mesh_of[5] == ("D1",)


def test_a_journal_is_that_of_the_comments_before_the_first_sentence(tally_of):
    first = "# journal = A\n\n# newdoc id = 1\na\tNN\n# journal = B\nb\tNN\n"
    tally = tally_of(f"{first}# newdoc id = 2\n# journal = C\n# journal = D\na\tNN\n")
    assert [list(tally.journals)[number] for number in tally.journal_of] == ["A", "D"]


def test_bad_lines_are_named_in_their_file(tally_of):
    tally = tally_of("a\tNN\n")
    tally.begin_file("second")
    with pytest.raises(TermgaugeError, match=r"^second, line 2: has no tag"):
        tally.add(b"a\tNN\nb\n", PLAIN)
    with pytest.raises(TermgaugeError, match=r"^file 0, line 1: holds a zero byte"):
        tally_of("a\0\tNN\n")
