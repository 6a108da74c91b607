from __future__ import annotations

import json
import stat

import numpy as np
import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.experiment import comparison_store
from termgauge.experiment.compare import compare
from termgauge.experiment.comparison_store import FOLDER, stored_comparison
from termgauge.experiment.evaluate import evaluate
from tests.experiment.toy_models import ToyPairs, ToyTerms, ToyWords, binary_set, graded_set

FIELDS = ("statistic", "test", "names", "n", "alpha", "correction", "comparisons", "level", "resamples")
MATRICES = ("differences", "lows", "highs", "p_values", "adjusted_p", "significant")


@pytest.fixture
def run(tmp_path):
    models = [ToyWords(), ToyTerms(), ToyPairs(), ToyPairs("flat", tuple([1.0] * 60))]
    return evaluate(
        [graded_set(size=60), binary_set(size=60)], models, tmp_path / "run", measures=["avg_cos", "max_jaccard"]
    )


def same(one, other):
    assert [each.set for each in one.models] == [each.set for each in other.models]
    assert [(each.set, each.model) for each in one.measures] == [(each.set, each.model) for each in other.measures]
    for left, right in zip(one.models, other.models, strict=True):
        assert left.measures == right.measures
        assert left.detectable == right.detectable
    for left, right in zip((*one.models, *one.measures), (*other.models, *other.measures), strict=True):
        for name in FIELDS:
            assert getattr(left.comparison, name) == getattr(right.comparison, name)
        assert np.array_equal(left.comparison.values, right.comparison.values, equal_nan=True)
        for name in MATRICES:
            here, there = getattr(left.comparison, name), getattr(right.comparison, name)
            assert here.dtype == there.dtype
            assert np.array_equal(here, there, equal_nan=here.dtype != bool)


@pytest.mark.parametrize("options", [{}, {"alpha": 0.2, "correction": "holm", "statistic": "auc", "measure": "best"}])
def test_what_is_read_is_what_was_computed(run, options, monkeypatch):
    first, problems = stored_comparison(run, **options)
    assert problems == {}
    same(first, compare(run, **options))
    monkeypatch.setattr(comparison_store, "compare_set", None)  # from here on it can only be read
    again, _ = stored_comparison(run, **options)
    same(again, first)


def test_other_options_and_other_values_are_computed(run, monkeypatch):
    stored_comparison(run)
    calls = []
    real = comparison_store.compare_set
    monkeypatch.setattr(comparison_store, "compare_set", lambda *a, **k: calls.append(a[2]) or real(*a, **k))
    stored_comparison(run, alpha=0.1)
    assert len(calls) == 2
    evaluate([binary_set(size=60)], [ToyPairs("new", tuple(np.arange(60.0)))], run.path)
    calls.clear()
    found, _ = stored_comparison(run, alpha=0.1)
    assert calls == ["toy/binary"]  # the other set has no new scores
    assert "new" in found.models[1].comparison.names


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"key": 1}', b"\xff\xfe"])
def test_damaged_files_are_computed_again(run, content):
    first, _ = stored_comparison(run)
    for path in (run.path / FOLDER).iterdir():
        path.write_bytes(content)
    again, problems = stored_comparison(run)
    assert problems == {}
    same(again, first)


def test_a_truncated_record_is_computed_again(run):
    first, _ = stored_comparison(run)
    for path in (run.path / FOLDER).iterdir():
        record = json.loads(path.read_bytes())
        record["models"]["comparison"]["values"] = record["models"]["comparison"]["values"][:1]
        path.write_text(json.dumps(record))
    again, _ = stored_comparison(run)
    same(again, first)


def test_a_folder_that_cannot_be_written(run):
    run.path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        found, problems = stored_comparison(run)
    finally:
        run.path.chmod(stat.S_IRWXU)
    assert len(found.models) == 2
    assert problems == {}


def test_sets_that_cannot_be_compared_have_a_reason(run):
    for path in (run.path / "scores" / "words").glob("*graded*"):
        path.write_bytes(b"not parquet")
    found, problems = stored_comparison(run)
    assert [each.set for each in found.models] == ["toy/binary"]
    assert "damaged" in problems["toy/graded"]


def test_bad_options_are_refused(run):
    with pytest.raises(TermgaugeError, match="significance level"):
        stored_comparison(run, alpha=2)
