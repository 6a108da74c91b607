from __future__ import annotations

import pytest
from benchmarks.levels.analogies import CASES, Case, rates


def test_few_pairs_prove_nothing():
    assert rates(Case(5, 1.0, 3.0), 60).marked == 0
    found = rates(Case(30, 1.0, 3.0), 60)
    assert found.marked <= 0.15
    assert 0.2 < found.holding < 0.4


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_level_is_kept(case):
    assert rates(case, 600).marked <= 0.075  # 0.065, and what so many repeats may be off
