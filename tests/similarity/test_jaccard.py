"""The two ratios against their definitions, term by term."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from termgauge.similarity.reference import similarity
from termgauge.similarity.vector_kernels import fuzzy_ratios, maximum_ratios, maximum_rows, own_memberships

NUMBERS = st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0])


@given(st.data())
def test_ratios_are_those_of_the_definition(data):
    width = data.draw(st.integers(1, 4))
    vectors = np.array(data.draw(st.lists(st.lists(NUMBERS, min_size=width, max_size=width), min_size=1, max_size=6)))
    sizes = data.draw(st.lists(st.integers(0, 3), min_size=2, max_size=5))
    offsets = np.cumsum([0, *sizes])
    total = int(offsets[-1])
    some = st.lists(st.integers(0, len(vectors) - 1), min_size=total, max_size=total)
    rows = np.array(data.draw(some), np.int64)
    first, second = (each.ravel() for each in np.mgrid[: len(sizes), : len(sizes)])
    terms = [vectors[rows[low:high]] for low, high in pairwise(offsets)]

    def by_definition(name):
        return [similarity(name, terms[i], terms[j]) for i, j in zip(first, second, strict=True)]

    own, out, maxima = np.empty(total), np.empty(len(first)), np.empty((len(sizes), width))
    own_memberships(vectors, offsets, rows, own)
    fuzzy_ratios(vectors, offsets, rows, own, first, second, out)
    np.testing.assert_allclose(out, by_definition("fuzzy_jaccard"), atol=1e-12)
    maximum_rows(vectors, offsets, rows, maxima)
    maximum_ratios(maxima, first, second, out)
    np.testing.assert_allclose(out, by_definition("max_jaccard"), atol=1e-12)


def test_a_word_that_is_not_all_numbers_makes_the_ratio_missing():
    vectors = np.array([[1.0, 2.0], [np.inf, 0.0], [1.0, 1.0]])
    offsets, rows, own, out = np.array([0, 2, 3]), np.arange(3), np.empty(3), np.empty(1)
    own_memberships(vectors, offsets, rows, own)
    assert np.isnan(own).tolist() == [False, True, False]
    fuzzy_ratios(vectors, offsets, rows, own, np.array([0]), np.array([1]), out)
    assert np.isnan(out[0])
