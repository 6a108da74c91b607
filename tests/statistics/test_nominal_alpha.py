"""Alpha of unordered answers: Krippendorff's own examples, the definition, the public package, and intervals."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.statistics.krippendorff import AlphaResamples, krippendorff_alpha, nominal_alpha

TABLES = st.lists(st.lists(st.sampled_from([0, 1, 2, None]), min_size=3, max_size=3), min_size=1, max_size=12)


def counted(units, kinds):
    return [[unit.count(kind) for kind in kinds] for unit in units]


def by_definition(units):
    """Return alpha from the coincidences of each ordered pair of answers."""
    coincidences = {}
    for unit in units:
        given_answers = [answer for answer in unit if answer is not None]
        for one, other in permutations(given_answers, 2):
            coincidences[one, other] = coincidences.get((one, other), 0) + 1 / (len(given_answers) - 1)
    n = sum(coincidences.values())
    totals = {}
    for (one, _other), value in coincidences.items():
        totals[one] = totals.get(one, 0) + value
    expected = sum(totals[one] * totals[other] for one in totals for other in totals if one != other)
    if n == 0 or expected == 0:
        return math.nan
    observed = sum(value for (one, other), value in coincidences.items() if one != other)
    return 1 - (observed / n) / (expected / (n * (n - 1)))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("0100000010", "1110010000", 0.095238), ("aabbdcccedda", "babbbccceddd", 0.691964)],
)
def test_examples_of_krippendorff(one, other, expected):
    units = list(zip(one, other, strict=True))
    assert nominal_alpha(counted(units, sorted({*one, *other}))) == pytest.approx(expected, abs=1e-6)


def test_four_observers_and_twelve_units(shared):
    if shared is None:
        pytest.skip("The table is in the shared folder.")
    lines = (shared / "data" / "ratings" / "krippendorff_4x12.tsv").read_text().splitlines()[1:]
    answers = [[field for field in line.split("\t")[1:] if field] for line in lines]
    assert nominal_alpha(counted(answers, "12345")) == pytest.approx(0.743421, abs=1e-6)


@given(TABLES)
def test_alpha_is_what_the_definition_says(units):
    found, wanted = nominal_alpha(counted(units, [0, 1, 2])), by_definition(units)
    assert found == pytest.approx(wanted, nan_ok=True)


@given(TABLES)
def test_alpha_is_that_of_all_levels(units):
    table = [(at, answer) for at, unit in enumerate(units) for answer in unit if answer is not None]
    places, answers = zip(*table, strict=True) if table else ((), ())
    wanted = krippendorff_alpha(np.array(places, np.int64), np.array(answers, np.float64), "nominal").value
    assert nominal_alpha(counted(units, [0, 1, 2])) == pytest.approx(wanted, nan_ok=True)


@given(TABLES)
def test_alpha_is_that_of_the_public_package(units):
    krippendorff = pytest.importorskip("krippendorff", reason="A test oracle; `pip install krippendorff` brings it.")
    found = nominal_alpha(counted(units, [0, 1, 2]))
    if math.isnan(found):
        return
    table = np.array([[np.nan if answer is None else answer for answer in unit] for unit in units]).T
    assert found == pytest.approx(krippendorff.alpha(table, level_of_measurement="nominal"))


def made(units, agreement, generator):
    """Return three answers of two kinds to each unit; a rater says what is so with a given chance, else tosses."""
    truth = generator.integers(0, 2, units)
    right = generator.random((units, 3)) < agreement
    answers = np.where(right, truth[:, None], generator.integers(0, 2, (units, 3)))
    return np.column_stack([(answers == 0).sum(axis=1), (answers == 1).sum(axis=1)])


def test_an_interval_holds_alpha_and_parts_add_up():
    generator = np.random.default_rng(3)
    one, other = made(30, 0.9, generator), made(30, 0.7, generator)
    both = AlphaResamples.from_parts([one, other], 2000)
    low, high = both.bca().interval(0.05)
    assert low < nominal_alpha(np.vstack([one, other])) < high
    parts = AlphaResamples.from_parts([one], 2000, 1), AlphaResamples.from_parts([other], 2000, 2)
    again = AlphaResamples(np.vstack([part.units for part in parts]), parts[0].sums + parts[1].sums)
    assert again.bca().estimate == both.bca().estimate
    assert again.bca().interval(0.05) == pytest.approx((low, high), abs=0.03)


@pytest.mark.parametrize("counts", [[], [[1, 0]], [[2, 0], [3, 0]]])
def test_nothing_is_said_where_no_two_answers_could_differ(counts):
    resamples = AlphaResamples.from_parts([counts], 50)
    assert math.isnan(resamples.bca().estimate)
    assert all(map(math.isnan, resamples.bca().interval(0.05)))


@pytest.mark.long
def test_intervals_hold_the_true_alpha_about_as_often_as_they_say():
    generator = np.random.default_rng(7)
    truth = nominal_alpha(made(400_000, 0.9, generator))
    held = 0
    for _ in range(400):
        low, high = AlphaResamples.from_parts([made(60, 0.9, generator)], 1000, generator).bca().interval(0.05)
        held += low <= truth <= high
    assert held / 400 > 0.9
