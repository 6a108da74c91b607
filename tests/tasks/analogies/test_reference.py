"""The definition of an analogy, on examples that can be worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tasks.analogies.hand_worked import HAND_WORKED, PAIRS, WORDS
from tests.tasks.analogies.reference import rank_of_answer

MATRIX = np.array(list(WORDS.values()), float)
ROWS = {word: row for row, word in enumerate(WORDS)}


@pytest.mark.parametrize(("pairs", "rank"), HAND_WORKED.items())
def test_hand_worked_ranks(pairs, rank):
    first, second = ([ROWS[end] for end in PAIRS[number]] for number in pairs)
    assert rank_of_answer(MATRIX, first, second) == rank


def test_3cosmul_and_pair_direction_by_hand():
    # a is (1, 0), b is (0, 1), c is (-1, 0), d is (0, -1): x_h = a, y_h = b, y_j = d, and the answer is c or e.
    words = np.array([[1, 0], [0, 1], [-1, 0], [0, -1], [0.6, 0.8]])
    # Of c it is nothing, for c is opposite to a; of e it is 0.8 times 0.1 over 0.901, or 0.0888.
    assert rank_of_answer(words, (0, 1), (4, 3), "mul") == 1
    assert rank_of_answer(words, (0, 1), (2, 3), "mul") == 2
    # cos(v - d, a - b): c - d = (-1, 1), against (1, -1): -1; e - d = (0.6, 1.8): -0.447
    assert rank_of_answer(words, (0, 1), (4, 3), "direction") == 1
    assert rank_of_answer(words, (0, 1), (2, 3), "direction") == 2


@pytest.mark.parametrize("method", ["add", "mul", "direction"])
@given(st.integers(0, 999), st.floats(0.01, 100))
def test_lengths_do_not_matter(method, seed, scale):
    generator = np.random.default_rng(seed)
    words = generator.normal(size=(8, 3))
    scaled = words * generator.uniform(0.5, scale + 1, (8, 1))
    assert rank_of_answer(words, (0, 1), (2, 3), method) == rank_of_answer(scaled, (0, 1), (2, 3), method)


def test_what_does_not_rank():
    words = np.array([[1.0, 0], [0, 1], [0, 0], [1, 1], [2, 2]])
    assert rank_of_answer(words, (0, 1), (0, 3)) is None  # the answer is left out
    assert rank_of_answer(words, (0, 1), (2, 3)) is None  # it has no direction
    assert rank_of_answer(words, (0, 0), (3, 1), "direction") is None  # nor has the way
    assert rank_of_answer(words, (0, 1), (3, 1)) == 1  # of two alike the earlier
    assert rank_of_answer(words, (0, 1), (4, 1)) == 2
