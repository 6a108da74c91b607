from __future__ import annotations

from termgauge.tasks.pairs.sections.summary import summary
from termgauge.tasks.records import ModelRecord
from tests.tasks.pairs.sections.made import EASY, found_of, run_comparison_of


def said(found, **options):
    main = run_comparison_of([*found.comparisons.values()]).main
    return " ".join(summary(found, main, **options))


def test_failures_and_hostile_names():
    known = {"a**b`c": ModelRecord(kind="terms", scheme="x"), "<script>": ModelRecord(kind="terms", scheme="x")}
    found = found_of({EASY: ({"a**b`c": 0.9, "<script>": 0.8}, [("a**b`c", "<script>")])}, known)
    text = said(found, failures={"lost": "no file", "<script>": "out of memory"})
    assert "**lost** was left out and **<script>** did not finish every step; the reasons are given below." in text
    assert text.count("**") % 2 == 0
    assert "`" not in text
    assert text.startswith("a∗∗b′c is best")


def test_nothing_was_measured():
    assert "Nothing was measured" in said(found_of({}))
