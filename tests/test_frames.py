"""Tables of pandas are made without pyarrow, and are what polars makes with it."""

from __future__ import annotations

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
