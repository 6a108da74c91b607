"""What all statistics of two kinds of pairs have in common, asked of each."""

from __future__ import annotations

import math

import numpy as np
import pytest

from termgauge.statistics.delong import delong
from termgauge.statistics.dependence import Dependence
from termgauge.statistics.precision import f1_of, precisions


def decided(scores, similar, shared=None):
    return f1_of(scores > 0.5, similar, shared)


@pytest.mark.parametrize("found", [delong, precisions, decided])
def test_differences(found):
    generator = np.random.default_rng(3)
    similar = np.arange(120) % 3 == 0
    scores = similar * np.array([[2.0], [0.3], [2.0]]) + generator.normal(size=(3, 120))
    scores[2] = scores[0]
    kinds = found(scores, similar)
    (low, high), p = kinds.difference(0, 1, 0.05)
    assert 0 < low < kinds.values[0] - kinds.values[1] < high <= 1
    assert p < 0.05
    assert kinds.difference(0, 2, 0.05)[1] == 1
    assert kinds.variance(0, 1) <= 2 * (kinds.variance(0) + kinds.variance(1))
    for kind in (similar, ~similar):
        assert kinds.adds(0)[kind].mean() == pytest.approx(0, abs=1e-12)
    together = found(scores, similar, Dependence.from_concepts(np.arange(120) // 12, [None] * 120))
    assert together.effective == (10.0, 10.0)
    assert together.freedom(0) == 9
    few = found(np.array([[0.9, 0.2, 0.4]]), np.array([True, False, False]))
    assert math.isnan(few.variance(0))
