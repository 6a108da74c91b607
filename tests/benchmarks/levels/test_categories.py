from __future__ import annotations

import pytest
from benchmarks.levels.categories import CASES, Case, rates


def test_categories_are_drawn_anew():
    found = rates(Case((15, 15, 15), 2, 0.3), 60)
    assert found.held > 0.85
    assert found.held_by_a < found.held


@pytest.mark.long
@pytest.mark.parametrize("case", CASES[:-3], ids=str)
def test_the_interval_holds_the_overlap_as_often_as_it_says(case):
    found = rates(case, 600)
    assert 0.93 <= found.held <= 0.99
    assert found.held_by_a < 0.9
