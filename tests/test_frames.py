"""Tables of pandas are made without pyarrow, and are what polars makes with it."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys

import polars as pl
import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.frames import to_pandas


@pytest.fixture
def frame():
    columns = {"model": ["a", "b", None], "value": [0.5, None, 1.0], "n": [1, 2, 3], "low": [1, None, 3]}
    return pl.DataFrame({**columns, "known": [True, False, True]})


def test_it_is_what_polars_makes(frame):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.testing.assert_frame_equal(to_pandas(frame), frame.to_pandas(), check_dtype=False)
    assert len(to_pandas(frame.clear())) == 0
    assert list(to_pandas(frame.clear()).columns) == frame.columns


def test_pyarrow_is_not_needed(frame, monkeypatch):
    pytest.importorskip("pandas")
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    made = to_pandas(frame)
    assert made["model"].tolist()[:2] == ["a", "b"]
    assert made["value"].isna().tolist() == [False, True, False]


def test_without_pandas_one_sentence_says_what_to_do(frame, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(TermgaugeError, match="pip install pandas"):
        to_pandas(frame)


ROUND_TRIP = """
import sys
sys.modules["pyarrow"] = None
import pandas as pd, termgauge as tg
table = pd.DataFrame({"term1": ["flu", "leg"] * 9, "term2": ["influenza", "toe"] * 9, "label": [True, False] * 9})
pairs = tg.PairSet("mine", table)
assert pairs.to_pandas()["label"].tolist() == [1, 0] * 9
assert len(tg.evaluate(table, "baseline:levenshtein").to_pandas())
assert sys.modules["pyarrow"] is None
"""
UNASKED = """
import sys, polars as pl, termgauge as tg
tg.evaluate(pl.DataFrame({"term1": ["flu", "leg"] * 9, "term2": ["a", "b"] * 9, "score": range(18)}), "baseline:random")
assert not {"pandas", "pyarrow"} & set(sys.modules)
"""


def run(program, folder):
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, check=False, capture_output=True, text=True, timeout=300
    )


@pytest.mark.integration
def test_a_notebook_without_pyarrow(tmp_path):
    pytest.importorskip("pandas")
    done = run(ROUND_TRIP, tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.integration
def test_pandas_is_not_imported_unasked(tmp_path):
    done = run(UNASKED, tmp_path)
    assert done.returncode == 0, done.stderr


def test_records_and_time_zones_stay(monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    when = dt.datetime(2024, 5, 1, tzinfo=dt.UTC)
    made = to_pandas(pl.DataFrame({"of": [{"a": 1}], "when": [when]}))
    assert made["of"].tolist() == [{"a": 1}]
    assert made["when"][0] == when
