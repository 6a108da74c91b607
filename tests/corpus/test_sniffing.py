"""The tag set of a corpus, found while it is read."""

from __future__ import annotations

import polars as pl
import pytest

from termgauge.corpus.counting import Noise
from termgauge.corpus.tagsets import TagSetDetector
from termgauge.exceptions import TermgaugeError


def tokens(*rows, first=0):
    frame = pl.DataFrame(rows, schema={"form": pl.String, "tag": pl.String, "from_upos": pl.Boolean}, orient="row")
    return frame.with_row_index("entry", first)


def test_sets_are_excluded_by_what_they_do_not_know():
    sniffing = TagSetDetector(Noise())
    wanted = sniffing.wanted(tokens(("cell", "VBD", False), ("was", "VBD", False), ("it", "VBZ", False)))
    assert wanted.to_list() == [True, True, False]
    assert (sniffing.name, sniffing.class_of("VBD", from_upos=False)) == ("penn", "verb")
    sniffing.wanted(tokens(("cells", "NN2", False), first=3))
    assert (sniffing.name, sniffing.class_of("VBD", from_upos=False)) == ("c5", "auxiliary")


def test_tags_of_both_columns_are_told_apart():
    sniffing = TagSetDetector(Noise())
    sniffing.wanted(tokens(("cell", "NN", False), ("cells", "NOUN", True), ("red", "X", True)))
    assert sniffing.name == "penn and upos"
    assert [sniffing.class_of("NN", from_upos=False), sniffing.class_of("NOUN", from_upos=True)] == ["noun", "noun"]


def test_unknown_tags_are_named_with_their_places():
    sniffing = TagSetDetector(Noise())
    sniffing.places = lambda entries: [f"c.tsv, line {entry + 1}" for entry in entries]
    with pytest.raises(
        TermgaugeError, match=r"^c\.tsv, line 2: no tag set .*'QQ'; the closest, penn, .*'RR' \(c\.tsv, l"
    ):
        sniffing.wanted(tokens(("a", "NN", False), ("b", "QQ", False), ("c", "RR", False), ("d", "MD", False)))
