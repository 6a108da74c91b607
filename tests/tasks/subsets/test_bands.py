"""Bands: each value is in one at most, tertiles are those of the protocol, and empty bands are dropped."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from termgauge.tasks.subsets.result import Band, banded, given_bands, tertiles

values = st.lists(st.integers(0, 20).map(float) | st.just(np.nan), min_size=1, max_size=40).map(np.array)


@given(values)
def test_tertiles_of_words_are_values_that_occur(numbers):
    known = sorted(numbers[~np.isnan(numbers)])
    bands = tertiles(numbers, "words")
    if not known:
        assert bands == []
        return
    n = len(known)
    limits = sorted({known[n // 3], known[2 * n // 3]})
    assert [band.high for band in bands] == [*limits, None]
    inside = np.array([band.holds(numbers) for band in bands])
    assert (inside.sum(axis=0) == ~np.isnan(numbers)).all(), "each value is in one band"


@given(values)
def test_tertiles_of_pairs_are_interpolated_and_belong_to_the_band_below(numbers):
    known = numbers[~np.isnan(numbers)]
    bands = tertiles(numbers, "pairs")
    if not len(known):
        assert bands == []
        return
    first, second = np.quantile(known, [1 / 3, 2 / 3])
    inside = [band.holds(numbers) for band in bands]
    assert (inside[0] == (numbers <= first)).all()
    assert (inside[-1] == (numbers > second)).all()
    assert len(inside) == (3 if first < second else 2)
    assert np.array_equal(sum(inside), ~np.isnan(numbers))


@given(values, values, st.sets(st.integers(0, 20), min_size=1, max_size=4).map(sorted))
def test_a_pair_is_in_a_band_if_both_of_its_words_are(one, two, limits):
    size = min(len(one), len(two))
    one, two = one[:size], two[:size]
    found = banded(given_bands(limits), one, two)
    for first, second, band in zip(one, two, found.of_pair, strict=True):
        places = [
            next(
                (
                    at
                    for at, each in enumerate(limits)
                    if value >= each and (at + 1 == len(limits) or value < limits[at + 1])
                ),
                None,
            )
            for value in (first, second)
        ]
        if places[0] is None or places[0] != places[1]:
            assert band == -1
        else:
            assert found.bands[band].low == limits[places[0]]
    assert found.outside == np.count_nonzero(found.of_pair == -1)
    assert found.unknown == np.count_nonzero(np.isnan(one) | np.isnan(two))
    assert len(found.bands) + len(found.empty) == len(limits)


def test_bands_without_words_are_dropped_and_those_without_pairs_are_not():
    found = banded(given_bands([0, 10, 20]), np.array([1.0, 2.0]), np.array([25.0, 3.0]))
    assert [band.title for band in found.bands] == ["0 to under 10", "20 or more"]
    assert [band.title for band in found.empty] == ["10 to under 20"]
    assert found.of_pair.tolist() == [-1, 0]


def test_kinds_are_bands_by_their_places():
    found = banded([Band(label="synonym"), Band(label="sibling")], np.array([1.0, 0.0, np.nan, 1.0]))
    assert found.of_pair.tolist() == [1, 0, -1, 1]
    assert (found.outside, found.unknown) == (1, 1)


def test_titles_say_which_end_is_in():
    assert Band(low=2, high=2.00001, closed="right").title == "over 2 to 2.00001"
    assert Band(low=0.5, high=1.25).title == "0.5 to under 1.25"
    assert Band(low=0.5, high=1.25, closed="right").title == "over 0.5 to 1.25"
    assert Band(low=70).title == "70 or more"
    assert Band(low=1, high=2, closed="right").short == "1–2"
    assert Band(high=2, closed="right").title == "up to 2"
    assert Band(high=2, closed="right").short == "≤ 2"
    assert Band().title == Band().short == "all"
