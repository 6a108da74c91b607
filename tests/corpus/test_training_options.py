"""The settings of training: those of Table 3, and those that make no sense."""

from __future__ import annotations

import csv

import pytest

from termgauge.corpus.options import TrainingOptions
from termgauge.exceptions import TermgaugeError

TABLE_3 = {"window": 5, "dimension": 200, "learning_rate": 0.05, "negative": 5, "min_count": 5, "sample": 1e-5}


def test_defaults_are_those_of_table_3(shared):
    options = TrainingOptions.of()
    assert options.recipe(5).items() >= TABLE_3.items()
    assert options.window == [5]
    if shared is not None:
        with (shared / "data" / "tables" / "table03_embeddings.csv").open() as file:
            assert {row["parameter"]: float(row["value"]) for row in csv.DictReader(file)} == TABLE_3


def test_one_window_may_stand_alone():
    assert TrainingOptions.of(window=2).window == [2]
    assert TrainingOptions.of(window=(1, 30)).window == [1, 30]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"window": []}, "from 1 to 1000"),
        ({"window": [0]}, "from 1 to 1000"),
        ({"window": ["two"]}, "a whole number"),
        ({"algorithm": "glove"}, "'sg' or 'cbow'"),
        ({"dimension": 0}, "at least 1"),
        ({"learning_rate": 0}, "greater than 0"),
        ({"windows": 3}, "Did you mean 'window'"),
    ],
)
def test_settings_that_make_no_sense(given, why):
    with pytest.raises(TermgaugeError, match=why):
        TrainingOptions.of(**given)


def test_threads_contradict_the_same_vectors_each_time():
    assert TrainingOptions.of(deterministic=True, threads=2).problems()
    assert not TrainingOptions.of(deterministic=True, threads=1).problems()
    assert not TrainingOptions.of(threads=2).problems()
