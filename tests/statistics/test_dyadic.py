from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.statistics.dependence import Links, mean_of_pairs


@st.composite
def neighbours(draw):
    items, places = draw(st.integers(3, 7)), draw(st.integers(1, 4))
    systems = []
    for _ in range(2):
        lists = []
        for item in range(items):
            others = [each for each in [*range(items), -20, -30, -40, 50] if each != item]
            own = draw(st.lists(st.sampled_from(others), max_size=places, unique=True))
            lists.append(own + [-1] * (places - len(own)))
        systems.append(np.array(lists))
    weights = draw(st.lists(st.sampled_from([1.0, 0.5, 0.25]), min_size=1, max_size=places))
    return (*systems, np.array(weights))


def by_definition(one, other, weights):
    """Return mean and variance, each link one by one: every two that share a word are counted."""
    items = len(one)
    weights = weights / weights.sum()

    def weight(lists, item, word):
        place = list(lists[item]).index(word) if word in lists[item] else len(weights)
        return weights[place] if place < len(weights) else 0.0

    words = sorted({*one.ravel().tolist(), *other.ravel().tolist()} - {-1})
    share, gains = {}, []
    for item in range(items):
        hits = [(weight(one, item, word), weight(other, item, word)) for word in words if 0 <= word < items]
        whole = sum(weight(one, item, word) + weight(other, item, word) for word in words)
        share[item] = sum(map(sum, hits)) / whole if whole else 0.0
        gains.append(sum(a - b for a, b in hits))
    adds = {
        (item, word): ((0 <= word < items) - share[item]) * (weight(one, item, word) - weight(other, item, word))
        for item in range(items)
        for word in words
    }
    value = sum(gains) / items
    rows = [gain - value for gain in gains]
    total = sum(row * row for row in rows)  # each item with itself
    total += sum(2 * rows[word] * add for (_item, word), add in adds.items() if 0 <= word < items)
    for (_i, v), first in adds.items():
        for (_j, w), second in adds.items():
            # Links share a word as neighbours; those that share it as asked and as neighbour are among the rows.
            total += first * second * (v == w)
    pairs = {}
    for (i, v), add in adds.items():
        key = frozenset((i, v))
        pairs[key] = pairs.get(key, 0.0) + add
    total -= sum(pair * pair for pair in pairs.values())
    return value, max(total, sum(row * row for row in rows)) / ((items - 1) * (items - 2))


@given(neighbours())
def test_the_variance_counts_every_two_links_that_share_a_word(made):
    value, variance = by_definition(*made)
    found = Links.from_lists(*made[:2]).mean(made[2])
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.error**2 == pytest.approx(variance, abs=1e-12)
    turned = Links.from_lists(made[1], made[0]).mean(made[2])
    assert (turned.value, turned.error) == pytest.approx((-found.value, found.error), abs=1e-12)


@given(neighbours())
def test_a_system_does_not_differ_from_itself(made):
    found = Links.from_lists(made[0], made[0]).mean(made[2])
    assert (found.value, found.p_value()) == (0, 1)
    assert math.isnan(found.interval(0.05).low)


def test_items_that_are_nobodys_neighbours_are_independent():
    # Each list has words of its own, so that nothing is shared; what is left is the variance of a plain mean.
    lists = np.arange(1000, 1040).reshape(20, 2)
    assert Links.from_lists(lists).mean(np.ones(2))[:2] == (0, 0)
    assert Links.from_lists(lists).mean(np.ones(2)).share_interval(0.05) != (0, 0)


def test_items_that_are_one_word_count_once():
    rng = np.random.default_rng(0)
    lists = np.array([rng.choice([each for each in range(60) if each != row], 5, replace=False) for row in range(30)])
    doubled = np.repeat(lists, 2, axis=0)  # every item twice
    doubled = np.where(doubled < 30, 2 * doubled, doubled + 1000)
    unit = np.repeat(2 * np.arange(30), 2)
    apart, together = Links.from_lists(doubled).mean(np.ones(5)), Links.from_lists(doubled, unit=unit).mean(np.ones(5))
    single = Links.from_lists(lists).mean(np.ones(5))
    assert apart.value == together.value == pytest.approx(single.value)
    assert apart.error < together.error == pytest.approx(single.error * 2 * math.sqrt(29 * 28 / (59 * 58)))


@given(st.integers(4, 7), st.data())
def test_pairs_that_share_an_item_are_counted_together(items, data):
    matrix = np.array([[data.draw(st.sampled_from([-1.0, 0.0, 0.0, 1.0])) for _ in range(items)] for _ in range(items)])
    np.fill_diagonal(matrix, 0)
    first, second = np.nonzero(matrix)
    found = mean_of_pairs(items, first, second, matrix[first, second])
    both = matrix + matrix.T
    mean = matrix.sum() / (items * (items - 1))
    links = [(i, j, both[i, j] - 2 * mean) for i in range(items) for j in range(i)]
    every_two = sum(a * b for i, j, a in links for k, m, b in links if {i, j} & {k, m})
    variance = max(every_two, sum(a * a for _i, _j, a in links))
    scale = items * (items - 1) * (items - 2) * (items - 3)
    assert found.value == pytest.approx(mean, abs=1e-12)
    assert found.error == pytest.approx(math.sqrt(variance / scale), abs=1e-9)
    assert found.differing == np.count_nonzero(np.abs(both).sum(0) + np.abs(matrix).sum(0) + np.abs(matrix).sum(1))
