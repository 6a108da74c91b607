"""Small tables that people write."""

from __future__ import annotations

import pytest

from termgauge.corpus.tables import rows_of
from termgauge.exceptions import TermgaugeError


def test_fields_are_stripped_and_empty_lines_skipped(tmp_path):
    (tmp_path / "a.tsv").write_bytes(b"\xef\xbb\xbfa \tb\tc\r\n\r\nd\te\r\n")
    assert list(rows_of(tmp_path / "a.tsv", 2, "x TAB y")) == [(1, ["a", "b"]), (3, ["d", "e"])]
    assert next(rows_of(tmp_path / "a.tsv", 2, "x TAB y", all_columns=True)) == (1, ["a", "b", "c"])


def test_bad_tables(tmp_path):
    (tmp_path / "a.tsv").write_text("a\tb\nc\n")
    with pytest.raises(TermgaugeError, match=r"a\.tsv, line 2: has 1 of 2 columns; the table is x TAB y\."):
        list(rows_of(tmp_path / "a.tsv", 2, "x TAB y"))
    (tmp_path / "b.tsv").write_text("")
    with pytest.raises(TermgaugeError, match="holds 2 files"):
        list(rows_of(tmp_path, 2, "x TAB y"))
