"""What models are compared by: analogies, of which two that share a pair depend on each other."""

from __future__ import annotations

import math

import numpy as np
import pytest

from termgauge.statistics.compare import SetOutcomes, compare_set
from termgauge.statistics.covariance import Covariance, Units
from termgauge.tasks.analogies import result
from termgauge.tasks.analogies.result import outcomes_of

NONE = np.empty((0, 2), np.int32)


def all_of(pairs):
    return np.argwhere(~np.eye(pairs, dtype=bool)).astype(np.int32)


def compared(pairs, **holding):
    return compare_set(outcomes_of("r", np.arange(pairs), holding))


def drawn(pairs, seed):
    generator = np.random.default_rng(seed)
    good = generator.random(pairs) < 0.5
    holds = (generator.random((pairs, pairs)) < 0.6) & (good[:, None] | good)
    np.fill_diagonal(holds, val=False)
    return np.argwhere(holds).astype(np.int32)


def covariance_of(outcomes):
    every, names = np.ones(len(next(iter(outcomes.values.values()))), bool), list(outcomes.values)
    found = outcomes.estimate(names, every)
    return found.values, Covariance([(found, outcomes.units_of(names, every))])


def test_they_are_a_mean_over_all_analogies(monkeypatch):
    pairs, holding = 14, {"one": drawn(14, 1), "other": drawn(14, 2)[:20]}
    first, second = all_of(pairs).T.astype(np.int64)
    dense = {}
    for name, lines in holding.items():
        matrix = np.zeros((pairs, pairs))
        matrix[tuple(lines.T)] = 1
        dense[name] = matrix[first, second]
    values, exact = covariance_of(SetOutcomes("", "mean", Units(first, second), np.zeros(0), dense))
    found, listed = covariance_of(outcomes_of("", np.arange(pairs), holding))
    assert found == pytest.approx(values)
    assert listed.matrix == pytest.approx(exact.matrix)
    assert (listed.units, exact.units) == (pairs, pairs)
    # Of many pairs only those are listed between which an analogy holds: the others make the variance no smaller.
    monkeypatch.setattr(result, "_ALL_LISTED", 0)
    outcomes = outcomes_of("", np.arange(pairs), holding)
    assert len(outcomes.values["one"]) < len(listed._gammas[0][0])
    found, few = covariance_of(outcomes)
    assert found == pytest.approx(values)
    n = len(first)
    for at, value in enumerate(values):
        assert 0 < few.error(at).error ** 2 - listed.error(at).error ** 2 < 2.1 * value**2 / n
    gammas = [each._gammas[0] for each in (few, listed)]
    assert gammas[0] @ gammas[0].T == pytest.approx(gammas[1] @ gammas[1].T)


def test_intervals_agree_with_drawing_pairs_anew():
    rows = [compared(60, one=drawn(60, seed)).by_model["one"] for seed in range(300)]
    shares, low, high = np.array([(row.value, row.low, row.high) for row in rows]).T
    true = 0.6 * 0.75
    assert shares.mean() == pytest.approx(true, abs=0.01)
    assert np.mean((low <= true) & (true <= high)) == pytest.approx(0.95, abs=0.04)
    assert np.median(high - low) == pytest.approx(2 * 1.96 * shares.std(), rel=0.2)


def test_a_few_analogies_between_few_pairs_prove_nothing():
    few = np.array([[0, 1], [1, 0]], np.int32)
    found = compared(21, some=few, none=NONE, same=few)
    rows = found.by_model
    assert 0 <= rows["some"].low < 2 / 420 == pytest.approx(rows["some"].value)
    assert rows["some"].value < rows["some"].high
    assert rows["none"].low == 0 < rows["none"].high
    assert not any(each.significant for each in found.differences)
    assert found.between("some", "same").p_value == 1


@pytest.mark.parametrize(("pairs", "marked"), [(2, False), (3, False), (4, False), (5, False), (12, True)])
def test_perfect_separation_is_marked_from_a_few_pairs_on(pairs, marked):
    (difference,) = compared(pairs, all=all_of(pairs), none=NONE).differences
    assert difference.value == 1
    assert difference.significant == marked
    assert math.isnan(difference.p_value) if pairs == 2 else difference.p_value == 2 / 2**pairs
