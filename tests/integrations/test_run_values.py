"""The values of a run, by the measure that stands for each model."""

from __future__ import annotations

import polars as pl
import pytest

import termgauge as tg
from termgauge.integrations.run_exports import RunValues
from tests.integrations.small_sets import ID, run


def test_values_are_those_of_the_results(tmp_path):
    made = run(tmp_path)
    results = made.results().filter(pl.col("subset") == "own")
    values = RunValues.of(made)
    assert [model.name for model in values.models] == ["all", "some", "levenshtein"]
    for model in values.models:
        assert [each.id for each in model.sets] == [ID, "human/mayosrs"]
        for each in model.sets:
            assert each.measure == ("similarity" if model.name == "levenshtein" else "avg_cos")
            assert each.cosine == (model.name != "levenshtein")
            own = results.filter(model=model.name, set=each.id, measure=each.measure)
            expected = dict(own.select("statistic", "value").iter_rows())
            assert each.coverage == expected.pop("coverage")
            assert {name: value.value for name, value in each.values.items()} == expected
    assert values.models[1].sets[0].coverage < 1


def test_one_model_alone(tmp_path):
    made = run(tmp_path)
    assert [model.name for model in RunValues.of(made, "some").models] == ["some"]
    with pytest.raises(tg.TermgaugeError, match=r"has no model 'som'. Did you mean 'some'"):
        RunValues.of(made.path, "som")
