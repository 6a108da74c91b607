"""The values of a run, by the measure that stands for each model."""

from __future__ import annotations

import polars as pl
import pytest

import termgauge as tg
from termgauge.integrations.run_exports import run_values
from tests.integrations.small_sets import ID, run


def test_values_are_those_of_the_results(tmp_path):
    made = run(tmp_path)
    results = made.results().filter(pl.col("subset") == "own")
    _record, models = run_values(made)
    assert list(models) == ["all", "some", "levenshtein"]
    for name, sets in models.items():
        assert [each.id for each in sets] == [ID, "human/mayosrs"]
        for each in sets:
            assert each.measure == ("similarity" if name == "levenshtein" else "avg_cos")
            assert each.cosine == (name != "levenshtein")
            own = results.filter(model=name, set=each.id, measure=each.measure)
            expected = dict(own.select("statistic", "value").iter_rows())
            assert each.coverage == expected.pop("coverage")
            assert {statistic: estimate.value for statistic, estimate in each.statistics.items()} == expected
    assert models["some"][0].coverage < 1


def test_one_model_alone(tmp_path):
    made = run(tmp_path)
    assert list(run_values(made, "some")[1]) == ["some"]
    with pytest.raises(tg.TermgaugeError, match=r"has no model 'som'. Did you mean 'some'"):
        run_values(made.path, "som")
