"""How models rank over several sets."""

from __future__ import annotations

from tests.engine.boards import board
from tests.tasks.pairs.sections.made import EASY, HARD, HUMAN


def test_ranks_are_shared_by_equal_values():
    ranks = board().ranks
    assert (ranks[EASY, "good"], ranks[EASY, "poor"]) == (1.0, 3.0)
    assert ranks[HARD, "good"] == ranks[HARD, "fair"] == 1.5
    assert (HARD, "poor") not in ranks
    assert ranks[HUMAN, "fair"] == 1.0


def test_the_mean_is_over_the_sets_that_all_models_have():
    whole = board()
    assert whole.common == (EASY,)
    assert [(each.model, each.mean_rank, each.over, each.sets) for each in whole.standing()] == [
        ("good", 1.0, 1, 3),
        ("fair", 2.0, 1, 3),
        ("poor", 3.0, 1, 1),
    ]
    assert {each.model: (each.wins, each.losses) for each in whole.standing()} == {
        "good": (1, 1),
        "fair": (2, 0),
        "poor": (0, 2),
    }


def test_without_such_sets_it_is_over_those_that_each_has():
    some = board((HARD, HUMAN))
    assert some.common == ()
    standing = {each.model: (each.mean_rank, each.over) for each in some.standing()}
    assert standing == {"fair": (1.25, 2), "good": (1.75, 2), "poor": (None, 0)}
    assert [each.model for each in some.standing()][-1] == "poor"
