"""What decides words, pairs and trained vectors."""

from __future__ import annotations

import csv

import pytest

from termgauge.corpus.options import PairOptions, TrainingOptions, WordOptions
from termgauge.exceptions import TermgaugeError


def test_the_defaults_are_those_of_the_protocol():
    usual = WordOptions()
    assert (usual.min_count, usual.min_length, usual.hyphens, usual.digits) == (5, 3, False, False)
    assert (usual.spelling, usual.general) == ("checked", "wordfreq")


@pytest.mark.parametrize("wrong", [{"min_count": 0}, {"tagset": "pen"}, {"spelling": "british"}, {"breadth": "mash"}])
def test_wrong_values_are_refused(wrong):
    with pytest.raises(TermgaugeError, match=next(iter(wrong))):
        WordOptions.of(**wrong)


def test_defaults_are_those_of_the_protocol():
    options = PairOptions.of()
    assert (options.per_quarter, options.seed, options.experts, options.domain_source) == (250, 42, None, "decisions")
    assert (options.scope, options.min_producers, options.word_class) == ([], None, None)
    assert PairOptions.of(scope="related").scope == ["related"]
    assert all(field.description for field in PairOptions.model_fields.values())


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
