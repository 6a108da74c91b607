from __future__ import annotations

from termgauge.tasks.pairs.sections.summary import facts
from tests.tasks.pairs.sections.made import EASY, HUMAN, found_of

VALUES = {"good": 0.9, "fair": 0.8, "edit": 0.6}


def named(standings, pairs):
    return {fact.name: fact.value for fact in facts(standings, pairs)}


def test_models_sets_and_where_they_come_from():
    told = named(found_of({EASY: (VALUES, []), HUMAN: (VALUES, [])}), {EASY: 1000, HUMAN: 566})
    assert told == {
        "Terminology": "hp",
        "Models": "3, one of them a baseline",
        "Sets": "2, 1,566 pairs",
        "Significance": "alpha 0.05, corrected by Holm",
    }


def test_several_terminologies_and_one_model():
    sets = {EASY: ({"good": 0.9}, []), "other/fsn-syn/easy/random": ({"good": 0.9}, [])}
    assert named(found_of(sets), {}) == {"Terminologies": "hp, other", "Models": "1", "Sets": "2"}


def test_rated_sets_have_no_terminology():
    assert "Terminology" not in named(found_of({HUMAN: (VALUES, [])}, uncompared=[HUMAN]), {})
