"""Similarities as percentiles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.tasks.audit.measure import FEWEST, UNDECIDED, Judges, ModelReading, consensus, percentiles
from tests.tasks.audit.made_up import Letters, Terms

SCORES = st.lists(st.floats(-1, 1), min_size=1, max_size=30)


@given(SCORES, SCORES)
def test_percentiles_are_shares_of_the_population(population, scores):
    expected = [
        sum((each < score) + 0.5 * (each == score) for each in population) / len(population) for score in scores
    ]
    assert percentiles(population, scores) == pytest.approx(expected)


@given(SCORES)
def test_what_scale_a_model_has_does_not_matter(population):
    scores = np.array(population)
    assert np.array_equal(percentiles(scores, scores), percentiles(2 * scores, 2 * scores))


def test_what_is_unknown_stays_so():
    assert np.isnan(percentiles([0.1, np.nan], [np.nan])).all()
    assert percentiles([np.nan], [0.3]).tolist() == [0]
    judges = Judges({"terms": reading([None, 0.5])}, {"terms": Terms}, [], [])
    assert np.isnan(judges.synonyms).tolist() == [[True, False]]


def test_a_model_that_knows_nothing_of_a_pair_is_undecided():
    assert consensus(np.array([[0.9, np.nan], [0.7, np.nan]])).tolist() == pytest.approx([0.8, UNDECIDED])
    assert consensus(np.empty((0, 2))).tolist() == [UNDECIDED] * 2


def reading(own):
    return ModelReading(unknown=0, own=own, random=[0.0, 0.1, 0.2], nearest=[])


def test_few_synonyms_are_no_population():
    texts = ["kidney disease", "disease of kidney", "fever"]
    opened = {"terms": Terms, "letters": Letters}
    pairs = {(0, 2), (0, 1)}
    few = Judges({name: reading([0.15] * (FEWEST - 1)) for name in opened}, opened, texts, pairs)
    many = Judges({name: reading([0.5] * FEWEST) for name in opened}, opened, texts, pairs)
    assert (few.population, many.population) == ("random pairs", "synonyms")
    assert few.synonyms[0] == pytest.approx(2 / 3)
    assert many.pairs == [(0, 1), (0, 2)]
    assert many.percentiles.shape == (2, 2)
    assert many.percentiles[0].tolist() == [1, 0]
    assert many.at(2, 0) == many.at(0, 2) == 1
    assert many.synonyms.shape == (2, FEWEST)
    nothing = {name: reading([0.5] * FEWEST) for name in opened}
    assert Judges(nothing, opened, texts, ()).percentiles.shape == (2, 0)
