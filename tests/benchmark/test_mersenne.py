"""Numbers drawn in compiled code against those of Python's own generator."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from termgauge.benchmark.negatives import below, give_back, shuffled, taken_over

limits = st.integers(1, 20) | st.integers(1, 2**32 - 1) | st.integers(0, 31).map(lambda bits: 1 << bits)


@given(st.integers(0, 2**70), st.lists(limits, max_size=50), st.integers(0, 2000))
def test_the_same_numbers_are_drawn_and_the_generator_goes_on_where_they_end(seed, wanted, before):
    one, two = random.Random(seed), random.Random(seed)
    for draw in (one, two):
        draw.getrandbits(32 * before or 1)
        draw.gauss(0, 1)
    state = taken_over(one)
    assert [below(state, limit) for limit in wanted] == [two.randint(0, limit - 1) for limit in wanted]
    give_back(one, state)
    assert one.getstate() == two.getstate()


def test_many_are_drawn():
    draw = random.Random(42)
    state = taken_over(draw)
    assert [below(state, 1 + at % 900) for at in range(5000)] == [draw.randint(0, at % 900) for at in range(5000)]


@given(st.integers(0, 2**32), st.integers(0, 700))
def test_numbers_are_shuffled_as_a_list_is(seed, size):
    draw, numbers = random.Random(seed), list(range(size))
    state = taken_over(draw)
    draw.shuffle(numbers)
    assert shuffled(state, size).tolist() == numbers
    assert taken_over(draw).tolist() == state.tolist()
