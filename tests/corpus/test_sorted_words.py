"""Tables of words with domains: pools, and tables that are not what they should be."""

from __future__ import annotations

import gzip

import pytest

from termgauge.corpus.options import PairOptions
from termgauge.corpus.pools import pool_of, sorted_words
from termgauge.exceptions import TermgaugeError


def table(folder, text):
    (folder / "words.tsv").write_text(text)
    return folder / "words.tsv"


@pytest.mark.parametrize("column", ["domain", "decision"])
def test_pools_are_sorted_and_in_lower_case(tmp_path, column):
    rows = (
        "zinc\tnoun\t9\tbiomedical\nUSA\tnoun\t5\tGeneral\nash\tnoun\t1\tgeneral\nplay\tverb\t3\tboth\nash\tverb\t3\t\n"
    )
    words = sorted_words(
        table(tmp_path, f"word\tclass\tcount\t{column}\n{rows}".replace("\n", "\r\n")), PairOptions.of()
    )
    assert pool_of(words, "noun", "general").words == ("ash", "usa")
    assert pool_of(words, "noun", "general").written == {"usa": "USA"}
    assert pool_of(words, "verb", "general").words == ()
    assert set(words["word"]) == {"zinc", "usa", "ash", "play"}
    (tmp_path / "words.tsv.gz").write_bytes(gzip.compress((tmp_path / "words.tsv").read_bytes()))
    assert sorted_words(tmp_path / "words.tsv.gz", PairOptions.of()).equals(words)


@pytest.mark.parametrize(
    ("text", "options", "why"),
    [
        ("", {}, "is empty"),
        ("word\tclass\tcount\na\tnoun\t3\n", {}, "--domain-source log-ratio"),
        ("word\tclass\tdomain\n", {}, "has no words"),
        ("word\tdomain\na\tgeneral\n", {}, "has no column 'class'"),
        ("word\tclass\tdomain\na\tadverb\tgeneral\n", {}, "line 2: 'adverb' in the column 'class' is neither"),
        ("word\tclass\tdomain\na\tnoun\tchemical\n", {}, "line 2: 'chemical' .* is no domain"),
        ("word\tclass\tdomain\na\tnoun\tgeneral\nA\tnoun\tgeneral\n", {}, "line 3: 'A' .* is there twice in one class"),
        ("word\tclass\tdomain\n\tnoun\tgeneral\n", {}, "line 2: .*no word"),
        ("word\tclass\tdomain\na\tnoun\n", {}, "line 2: has 2 columns"),
        ("word\tclass\tlog_ratio\na\tnoun\thigh\n", {"domain_source": "log-ratio"}, "'high' .* is no number"),
        ("word\tclass\tlog_ratio\na\tnoun\tnan\n", {"domain_source": "log-ratio"}, "'nan' .* is no number"),
        ("word\tclass\tdomain\na\tnoun\tgeneral\n", {"domain_source": "log-ratio"}, "has no column 'log_ratio'"),
    ],
)
def test_tables_that_are_refused(tmp_path, text, options, why):
    with pytest.raises(TermgaugeError, match=why):
        sorted_words(table(tmp_path, text), PairOptions.of(**options))


def test_what_is_no_utf8(tmp_path):
    (tmp_path / "words.tsv").write_bytes(b"word\tclass\tdomain\nfi\xe8vre\tnoun\tgeneral\n")
    with pytest.raises(TermgaugeError, match="line 2: is not UTF-8"):
        sorted_words(tmp_path / "words.tsv", PairOptions.of())
