from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from termgauge.tasks.pairs.sections.distributions import MOST_FOLDED, score_section
from tests.tasks.pairs.sections.made import EASY, HARD, HUMAN, MODELS, RANDOM, found_of, scores_of

VALUES = {"good": 0.9, "fair": 0.8, "edit": 0.6}


@pytest.fixture
def found():
    return found_of({EASY: (VALUES, []), HARD: (VALUES, []), RANDOM: (VALUES, []), HUMAN: (VALUES, [])})


def test_sections_read_one_group_at_a_time_and_no_rated_sets(found):
    asked = []

    def read(each, models):
        asked.append(each.id)
        assert set(models) == set(VALUES)
        return scores_of(found, each.id)

    assert score_section(found, read).id == "scores"
    assert asked == [RANDOM, EASY, HARD]
    assert score_section(found, lambda *_: None) is None


def test_sets_of_one_label_are_not_pictured(found):
    def read(each, _models):
        scores = scores_of(found, each.id)
        return replace(scores, labels=np.ones_like(scores.labels)) if each.id == HARD else scores

    assert set(score_section(found, read).blocks[1].data["set"]) == {EASY, RANDOM}


def test_folded_pictures_show_fewer_models():
    values = {f"m{place}": 0.9 - place / 100 for place in range(9)}
    known = dict.fromkeys(values, MODELS["good"])
    sets = {f"hp/{kind}/easy/random": (values, []) for kind in ("fsn-syn", "syn-syn")}
    found = found_of(sets, known)
    asked = []
    score_section(found, lambda each, models: asked.append(len(models)) or scores_of(found, each.id))
    assert asked == [8, MOST_FOLDED]
