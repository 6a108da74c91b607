"""Opinions of experts on proposals: who counts as accepting, and files that are not what they should be."""

from __future__ import annotations

import pytest

from termgauge.corpus.word_pairs import accepted_pairs, read_opinions
from termgauge.exceptions import TermgaugeError

PROPOSED = {("noun", "a", "b"), ("noun", "a", "c"), ("verb", "a", "b")}


def table(folder, name, *rows, header="word1\tword2\tclass\tsource\trelation\taccept"):
    (folder / name).write_text("\n".join([header, *("\t".join(row) for row in rows)]) + "\n")
    return folder / name


def test_opinions_of_several_experts(tmp_path):
    one = table(tmp_path, "one.tsv", ("a", "b", "noun", "x", "y", "yes"), ("c", "A", "noun", "x", "y", " No "))
    two = table(tmp_path, "two.tsv", ("a", "b", "noun", "x", "y", "YES"), ("a", "c", "noun", "x", "y", ""))
    opinions = read_opinions([one, two], PROPOSED)
    assert opinions == {("noun", "a", "b"): [True, True], ("noun", "a", "c"): [False]}
    assert accepted_pairs(opinions, 2) == {("noun", "a", "b")}
    assert accepted_pairs(opinions, 3) == set()
    assert read_opinions([one], PROPOSED, ["noun"]).keys() == opinions.keys()


def test_other_classes_are_passed_by(tmp_path):
    one = table(tmp_path, "one.tsv", ("a", "b", "noun", "", "", "yes"), ("x", "y", "verb", "", "", "no"))
    assert read_opinions([one], PROPOSED, ["noun"]) == {("noun", "a", "b"): [True]}


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([("a", "z", "noun", "", "", "yes")], r"row 2 .*'a' and 'z' \(noun\) are not among the proposals"),
        ([("a", "b", "adverb", "", "", "yes")], "not among the proposals"),
        ([("a", "b", "noun", "", "", "maybe")], "'maybe' is no answer; write yes or no"),
        ([("a", "b", "noun", "", "", "yes"), ("b", "a", "noun", "", "", "no")], "row 3 .*opposite of an earlier row"),
        ([("a", "b", "noun", "", "", "")], "holds no opinion"),
        ([("a", "b", "noun", "yes")], "has 4 columns"),
    ],
)
def test_files_that_are_refused(tmp_path, rows, why):
    with pytest.raises(TermgaugeError, match=why):
        read_opinions([table(tmp_path, "bad.tsv", *rows)], PROPOSED)


def test_a_file_of_another_kind(tmp_path):
    with pytest.raises(TermgaugeError, match="has no column 'accept'"):
        read_opinions([table(tmp_path, "bad.tsv", ("a", "b", "noun"), header="word1\tword2\tclass")], PROPOSED)
    with pytest.raises(TermgaugeError, match="no such file"):
        read_opinions([tmp_path / "gone.tsv"], PROPOSED)
    (tmp_path / "folder").mkdir()
    with pytest.raises(TermgaugeError, match="holds no files"):
        read_opinions([tmp_path / "folder"], PROPOSED)
