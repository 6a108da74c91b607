from __future__ import annotations

import pytest

from termgauge.benchmark.sets import Origin
from termgauge.tasks.pairs.sections.standings import standings
from termgauge.tasks.records import SetRecord
from tests.tasks.pairs.sections.made import EASY, HARD, HUMAN, MODELS, found_of

VALUES = {"good": 0.9, "fair": 0.8, "edit": 0.6}


@pytest.fixture
def made():
    beats = [("good", "edit"), ("fair", "edit")]
    return found_of({EASY: (VALUES, beats), HARD: (VALUES, []), HUMAN: ({"good": 0.2, "fair": 0.5}, [])})


def test_values_wins_and_who_is_at_the_top(made):
    easy, hard, human = made.sets
    one = made.of(easy, "good")
    assert (one.value, one.low, one.n, one.measure) == (0.9, pytest.approx(0.85), 100, "cos")
    against = [made.of(easy, model).against[:2] for model in VALUES]
    assert against == [(1, 0), (1, 0), (0, 2)]
    assert [one.model for one in made.on(easy) if one.not_told_from_best] == ["good", "fair"]
    assert all(one.not_told_from_best for one in made.on(hard))
    assert made.of(human, "edit") is None
    assert made.shared(easy) == 100
    assert made.baselines == {"edit": "edit distance"}


def test_the_ranking_is_over_sets_that_all_have(made):
    assert made.ranked(made.sets) == ["good", "fair", "edit"]
    assert made.ranked([made.sets[2]]) == ["fair", "good", "edit"]


def test_a_set_that_nobody_compared():
    made = found_of({EASY: (VALUES, [])}, uncompared=[EASY])
    assert not any(one.not_told_from_best for one in made.on(made.sets[0]))
    assert made.frame(made.sets)["wins"].null_count() == 3


def test_all_digits_with_what_was_tested(made):
    frame = made.frame([made.sets[0]])
    assert dict(frame.select("model", "wins").iter_rows()) == {"good": 1, "fair": 1, "edit": 0}
    areas = made.frame([made.sets[0]], ["auc"])
    assert areas["wins"].null_count() == 3, "areas were not what was compared"


def test_what_a_set_is_comes_from_the_run(made):
    origin = Origin("mine", "syn-syn", "easy", "random")
    known = {EASY: SetRecord(sha256="", pairs=1, graded=False, origin=origin)}
    again = standings(made.results, MODELS, known)
    assert [each.origin for each in again.sets] == [origin, Origin.from_id(HARD), Origin(human=True)]
    assert [each.graded for each in again.sets] == [False, False, True]
