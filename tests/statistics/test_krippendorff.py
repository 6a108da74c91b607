from __future__ import annotations

import math

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.statistics.krippendorff import (
    LEVELS,
    MOST_RATIO_VALUES,
    NO_UNIT,
    NO_VARIATION,
    alpha_intervals,
    krippendorff_alpha,
)
from tests.studies.raters import drawn

FOUR_OBSERVERS = """\
1 1 . 1
2 2 3 2
3 3 3 3
3 3 3 3
2 2 2 2
1 2 3 4
4 4 4 4
1 1 2 1
2 2 2 2
. 5 5 5
. . 1 1
. 3 . ."""


def judged(table):
    """Return units and values of a table (units x raters), without what is missing."""
    units, _raters = np.nonzero(~np.isnan(table))
    return units, table[~np.isnan(table)]


def four_observers():
    return np.array(
        [[math.nan if cell == "." else float(cell) for cell in row.split()] for row in FOUR_OBSERVERS.split("\n")]
    )


@pytest.mark.parametrize(
    ("level", "value"), [("nominal", 0.743421), ("ordinal", 0.815388), ("interval", 0.849107), ("ratio", 0.797403)]
)
def test_krippendorffs_four_observers(level, value):
    found = krippendorff_alpha(*judged(four_observers()), level)
    assert found.value == pytest.approx(value, abs=1e-6)
    assert (found.values, found.units, found.why) == (40, 11, "")


def test_two_observers():
    units = list(range(10)) * 2
    assert krippendorff_alpha(units, [*map(int, "0100000010"), *map(int, "1110010000")]).value == pytest.approx(2 / 21)
    letters = krippendorff_alpha(list(range(12)) * 2, list("aabbdcccedda") + list("babbbccceddd"))
    assert letters.value == pytest.approx(0.691964, abs=1e-6)


def plain(units, values, level):
    """Return alpha from the table of all coincidences, as the definition has it."""
    scale = sorted(set(values))
    found = np.zeros((len(scale), len(scale)))
    for unit in set(units):
        own = [value for each, value in zip(units, values, strict=True) if each == unit]
        for at, one in enumerate(own):
            for place, other in enumerate(own):
                if at != place:
                    found[scale.index(one), scale.index(other)] += 1 / (len(own) - 1)
    counts, n = found.sum(axis=1), found.sum()

    def distance(c, k):
        one, other = scale[c], scale[k]
        if level == "nominal":
            return float(c != k)
        if level == "interval":
            return (one - other) ** 2
        if level == "ratio":
            return ((one - other) / (one + other)) ** 2 if one + other else 0.0
        low, high = min(c, k), max(c, k)
        return (counts[low : high + 1].sum() - (counts[c] + counts[k]) / 2) ** 2

    d = np.array([[distance(c, k) for k in range(len(scale))] for c in range(len(scale))])
    return 1 - (found * d).sum() / n / ((np.outer(counts, counts) * d).sum() / (n * (n - 1)))


@given(
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0, 1, 2, 3, 7.5])), min_size=2, max_size=25),
    st.sampled_from(LEVELS),
)
def test_as_the_definition_has_it(said, level):
    units, values = zip(*said, strict=True)
    pairable = [value for unit, value in said if units.count(unit) > 1]
    found = krippendorff_alpha(units, values, level)
    if not pairable:
        assert found.why == NO_UNIT
    elif len(set(pairable)) == 1:
        assert found.why == NO_VARIATION
    else:
        kept = [each for each in said if units.count(each[0]) > 1]
        assert found.value == pytest.approx(plain(*zip(*kept, strict=True), level), abs=1e-10)
    assert math.isnan(found.value) == bool(found.why)


@given(st.integers(0, 1000), st.sampled_from(LEVELS))
def test_as_another_program_has_it(seed, level):
    table = drawn(8, 4, seed, missing=0.3)
    counts = (~np.isnan(table)).sum(axis=1)
    assume(len(set(table[counts > 1][~np.isnan(table[counts > 1])].tolist())) > 1)
    theirs = krippendorff.alpha(table.T, level_of_measurement=level)
    assert krippendorff_alpha(*judged(table), level).value == pytest.approx(theirs, abs=1e-9)


@given(st.sampled_from(LEVELS), st.randoms(use_true_random=False))
def test_order_and_names_do_not_matter(level, random):
    units, values = judged(drawn(10, 4, missing=0.2))
    places = list(range(len(units)))
    random.shuffle(places)
    renamed = [f"unit {units[place]}" for place in places]
    assert krippendorff_alpha(renamed, values[places], level).value == pytest.approx(
        krippendorff_alpha(units, values, level).value, abs=1e-12
    )


def test_intervals_are_about_the_value():
    units, values = judged(drawn(60, 4, missing=0.2))
    ends = alpha_intervals(units, values, LEVELS, resamples=300)
    for level in LEVELS:
        assert ends[level].low < krippendorff_alpha(units, values, level).value < ends[level].high
    assert ends == alpha_intervals(units, values, LEVELS, resamples=300)
    in_groups = alpha_intervals(units, values, LEVELS, groups=units % 2, resamples=300)
    assert in_groups["interval"] != ends["interval"]
    assert math.isnan(alpha_intervals([1, 1], [2, 2], ("nominal",), resamples=10)["nominal"].low)


def test_one_unit_with_very_many_values():
    values = np.tile([1.0, 2.0], 50_000)
    assert krippendorff_alpha(np.zeros(100_000, int), values, "ratio").value == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize(
    ("units", "values", "level", "said"),
    [
        ([1, 1], [1, 2], "nominall", "Did you mean 'nominal'"),
        ([1, 1, 2], [1, 2], "nominal", "one unit per value"),
        ([1, 1], [1, math.nan], "nominal", "NaN"),
        ([1, 1], [-1, 1], "ratio", "negative"),
        (np.repeat(np.arange(MOST_RATIO_VALUES), 2), np.arange(2 * MOST_RATIO_VALUES), "ratio", "too many"),
    ],
)
def test_what_cannot_be_done(units, values, level, said):
    with pytest.raises(TermgaugeError, match=said):
        krippendorff_alpha(units, values, level)
