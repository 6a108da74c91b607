"""Tag sets, and which one a corpus has."""

from __future__ import annotations

import polars as pl
import pytest

from termgauge.corpus.options import WordOptions
from termgauge.corpus.tagsets import C5, PENN, TAG_SETS, UPOS, TagSetDetector, cut, fitting, read_tag_table, refuse
from termgauge.exceptions import TermgaugeError


def test_classes_of_the_protocol():
    for tags, each, kind in (
        ("NN NNS NNP NNPS nn NN|JJ", PENN, "noun"),
        ("VB VBD VBG VBN VBP VBZ Vbz", PENN, "verb"),
        ("NOUN PROPN", UPOS, "noun"),
        ("NN0 NN1 NN2 NP0 NN1-AJ0", C5, "noun"),
        ("VVB VVD VVG VVI VVN VVZ VVD-VVN", C5, "verb"),
        ("VBB VBD VDI VHZ VM0", C5, "auxiliary"),
    ):
        assert {each.class_of(tag) for tag in tags.split()} == {kind}
    assert [PENN.class_of("MD"), UPOS.class_of("AUX"), UPOS.class_of("noun")] == ["auxiliary", "auxiliary", None]
    assert [PENN.class_of(tag) for tag in ("-LRB-", ".", "``", "#", "PRP$")] == ["other"] * 5


def test_tags_of_genia_are_known(shared):
    if shared is None:
        pytest.skip("The folder with real data is not there.")
    lines = (shared / "data" / "genia-pos" / "train.tsv").read_text("utf-8").split("\n")
    assert fitting({line.split("\t")[1] for line in lines if "\t" in line}, TAG_SETS.values()) == [PENN]


def test_only_what_follows_a_tag_is_cut():
    assert [cut(tag) for tag in ("NN|JJ", "VVD-VVN", "-LRB-", "-", "|", "NN", "")] == [
        "NN",
        "VVD",
        "-LRB",
        "-",
        "|",
        "NN",
        "",
    ]


def test_the_first_set_that_knows_all_tags():
    assert fitting(["VBD"], TAG_SETS.values()) == [PENN, C5]
    assert fitting(["VBD", "NN1"], TAG_SETS.values()) == [C5]
    assert fitting(["NN", "NN1"], TAG_SETS.values()) == []


def test_a_table_of_ones_own(tmp_path):
    (tmp_path / "tags.tsv").write_text("tag\tclass\nNX\tnoun\nVX\tVerb\nADJA\tother\nVA\tauxiliary\n")
    table = read_tag_table(tmp_path / "tags.tsv")
    assert [table.class_of(tag) for tag in ("NX", "VX-1", "ADJA", "VA", "nx")] == [
        "noun",
        "verb",
        "other",
        "auxiliary",
        None,
    ]
    (tmp_path / "bad.tsv").write_text("NX\tnoun\nVX\tverbs\n")
    with pytest.raises(TermgaugeError, match=r"bad\.tsv, line 2: the class 'verbs'"):
        read_tag_table(tmp_path / "bad.tsv")


def test_what_is_unknown_is_named():
    tags = {"NN": "a, line 1", "QQ": "a, line 2", "RR": "b, line 9"}
    assert str(refuse(tags, [PENN])) == (
        "a, line 2: the tag 'QQ' is not in the tag set penn; penn also lacks 'RR' (b, line 9); correct the file, or "
        "name a table tag TAB noun|verb|other with --tag-table."
    )
    assert "the tag 'QQ' is not in the tag set penn or upos or c5; " in str(refuse(tags, list(TAG_SETS.values())))


def tokens(*rows, first=0):
    frame = pl.DataFrame(rows, schema={"form": pl.String, "tag": pl.String, "from_upos": pl.Boolean}, orient="row")
    return frame.with_row_index("entry", first)


def wanted(detector, rows, first=0):
    def places(entries):
        return [f"c.tsv, line {entry + 1}" for entry in entries]

    return detector.wanted(tokens(*rows, first=first), places)


def test_sets_are_excluded_by_what_they_do_not_know():
    sniffing = TagSetDetector(WordOptions())
    kept = wanted(sniffing, (("cell", "VBD", False), ("was", "VBD", False), ("it", "VBZ", False)))
    assert kept.to_list() == [True, True, False]
    assert (sniffing.name, sniffing.class_of("VBD", from_upos=False)) == ("penn", "verb")
    wanted(sniffing, [("cells", "NN2", False)], first=3)
    assert (sniffing.name, sniffing.class_of("VBD", from_upos=False)) == ("c5", "auxiliary")


def test_tags_of_both_columns_are_told_apart():
    sniffing = TagSetDetector(WordOptions())
    wanted(sniffing, (("cell", "NN", False), ("cells", "NOUN", True), ("red", "X", True)))
    assert sniffing.name == "penn and upos"
    assert [sniffing.class_of("NN", from_upos=False), sniffing.class_of("NOUN", from_upos=True)] == ["noun", "noun"]


def test_unknown_tags_are_named_with_their_places():
    sniffing = TagSetDetector(WordOptions())
    with pytest.raises(
        TermgaugeError, match=r"^c\.tsv, line 2: the tag 'QQ' is not .*; penn also lacks 'RR' \(c\.tsv, l"
    ):
        wanted(sniffing, (("a", "NN", False), ("b", "QQ", False), ("c", "RR", False), ("d", "MD", False)))
