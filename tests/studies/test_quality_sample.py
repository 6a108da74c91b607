"""Blind samples of benchmarks: as a plain re-drawing gives them, and without a trace of the key in the sheet."""

from __future__ import annotations

import random
import warnings

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.benchmark.pairset import PairSet
from termgauge.exceptions import SkippedWarning, TermgaugeError
from termgauge.studies.pairs import quality_sample
from tests.studies.small_study import labelled


def plain_sample(sets, seed, k):
    """Draw as 14.1 says, from row numbers that begin with 0."""
    rng = random.Random(seed)
    rows = []
    for pairs in sets:
        for label in (1, 0):
            numbers = [at for at in range(len(pairs)) if pairs.frame["label"][at] == label]
            drawn = sorted(rng.sample(numbers, min(k, len(numbers))))
            rows += [(pairs.id, at + 1, label, *pairs.frame.select("term_1", "term_2").row(at)) for at in drawn]
    rng.shuffle(rows)
    return rows


@given(st.integers(0, 2**32), st.integers(1, 8), st.permutations(list(range(12))))
def test_the_sample_is_what_a_plain_drawing_gives(seed, k, order):
    base = labelled("mixed", 7, 5)
    sets = [PairSet("mixed", base.frame[order]), labelled("two", 3, 20), labelled("three")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedWarning)
        sheet, key = quality_sample(sets, seed, k)
    both = key.join(sheet, on="row")
    assert both.select("set", "line", "label", "term1", "term2").rows() == plain_sample(sets, seed, k)
    assert sheet["row"].to_list() == key["row"].to_list() == list(range(1, sheet.height + 1))
    assert sheet.columns == ["row", "term1", "term2", "answer"]
    assert key.columns == ["row", "set", "line", "label"]
    assert set(sheet["answer"]) == {""}


def test_sets_with_too_few_pairs_are_told():
    with pytest.warns(SkippedWarning) as told:
        sheet, key = quality_sample([labelled("small", 2, 40)], 1, 30)
    assert [each.message.what for each in told] == ["28 positives of 'small'"]
    assert key["label"].to_list().count(1) == 2
    assert sheet.height == 32


def test_a_pair_of_two_sets_is_asked_twice():
    frame = labelled("one", 1, 1).frame
    sheet, _key = quality_sample([PairSet("one", frame), PairSet("two", frame)], 1, 1)
    assert sheet.height == 4
    assert sheet.select("term1", "term2").n_unique() == 2


def test_rated_sets_have_nothing_to_check():
    rated = PairSet("rated", pl.DataFrame({"term_1": ["a"], "term_2": ["b"], "score": [0.5]}))
    with pytest.raises(TermgaugeError, match="'rated' has ratings and no labels"):
        quality_sample([rated], 1)
