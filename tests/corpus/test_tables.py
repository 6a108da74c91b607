"""The table of words on disk."""

from __future__ import annotations

import json

import polars as pl
import pytest

from termgauge.corpus.tables import read_words, write_words
from termgauge.exceptions import TermgaugeError


def test_what_is_written_is_read(tmp_path):
    table = pl.DataFrame({
        "word": ["cell", "Germany", "cell"], "class": ["noun", "noun", "verb"], "count": [7, 6, 5],
        "journals": pl.Series([None, None, None], dtype=pl.Int64), "log_ratio": [1.5, -2.0, None],
        "decision": pl.Series([None, "general", None], dtype=pl.String),
    })  # fmt: skip
    write_words(table, tmp_path / "words.tsv", {"termgauge": "x"})
    assert read_words(tmp_path / "words.tsv").equals(table)
    assert set(json.loads((tmp_path / "words.tsv.json").read_text())) == {"termgauge", "sha256"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("word\tcount\ncell\t4\n", "line 1: has no column 'class'"),
        ("word\tclass\ncell\n", "line 2: has 1 columns instead of 2"),
        ("word\tclass\ncell\tnoun\nred\tadjective\n", "line 3: 'adjective' in the column 'class'"),
        ("word\tclass\tcount\ncell\tnoun\tmany\n", "line 2: 'many' in the column 'count'"),
        ("word\tclass\tcount\ncell\tnoun\t١\n", "line 2: '١' in the column 'count'"),
        (f"word\tclass\tcount\ncell\tnoun\t{'9' * 20}\n", "line 2: '9+' in the column 'count' is no whole number"),
        ("word\tclass\tlog_ratio\ncell\tnoun\tx\n", "line 2: 'x' in the column 'log_ratio' is no number"),
        ("word\tclass\tcount\tcount\ncell\tnoun\t1\t2\n", "has two columns named 'count'"),
        ("word\tclass\tdecision\ncell\tnoun\tmedical\n", "line 2: 'medical' in the column 'decision'"),
        ("word\tclass\ncell\tnoun\n\ncell\tnoun\n", "line 4: 'cell' .* is there twice in one class"),
        ("word\tclass\n", "has no words"),
    ],
)
def test_bad_tables(tmp_path, text, said):
    (tmp_path / "words.tsv").write_text(text)
    with pytest.raises(TermgaugeError, match=rf"words\.tsv(, |: ){said}"):
        read_words(tmp_path / "words.tsv")
