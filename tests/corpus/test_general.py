"""Counts of general language."""

from __future__ import annotations

import math

import pytest

from termgauge.corpus.words import General, from_table, from_wordfreq
from termgauge.exceptions import TermgaugeError


def test_tables_with_and_without_a_header(tmp_path):
    (tmp_path / "a.tsv").write_text("Word\tCount\tClass\nCell\t3\tx\ncell\t4\ty\nodd\tN/A\tz\n")
    (tmp_path / "b.tsv").write_text("Cell\t3\r\ncell\t4\r\n")
    for name in ("a.tsv", "b.tsv"):
        found = from_table(["cell", "odd", "absent"], tmp_path / name)
        assert (found.counts, found.tokens) == ([7, 0, 0], 7)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\t1\nb\tx\n", "line 2: the count 'x'"),
        ("word\tcount\n", "has no counts"),
        ("a\n", "line 1: has 1 of 2 columns"),
    ],
)
def test_bad_tables(tmp_path, text, said):
    (tmp_path / "a.tsv").write_text(text)
    with pytest.raises(TermgaugeError, match=said):
        from_table(["a"], tmp_path / "a.tsv")


def test_the_ratio_is_that_of_the_protocol():
    c, tokens, g, general = 12, 5000, 3, 10_000
    expected = math.log2(((c + 0.5) / tokens) / ((g + 0.5) / general))
    assert General([], general, "").log_ratio(c, tokens, g) == pytest.approx(expected)
    assert General([], general, "").log_ratio(0, tokens, 0) == pytest.approx(1)


def test_wordfreq_gives_its_shares():
    wordfreq = pytest.importorskip("wordfreq")
    found = from_wordfreq(["cell", "qzxqzx"])
    assert found.counts[0] / found.tokens == pytest.approx(wordfreq.word_frequency("cell", "en", wordlist="best"))
    assert found.counts[1] == 0
