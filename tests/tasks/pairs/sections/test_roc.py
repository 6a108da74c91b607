from __future__ import annotations

import pytest

from termgauge.tasks.pairs.sections.roc import FALSE_POSITIVES, chosen_models, roc_section
from termgauge.tasks.records import ModelRecord
from tests.tasks.pairs.sections.drawn import check_drawing
from tests.tasks.pairs.sections.made import EASY, HARD, HUMAN, RANDOM, found_of, scores_of

VALUES = {"good": 0.9, "fair": 0.8, "edit": 0.6}


@pytest.fixture
def found():
    return found_of({EASY: (VALUES, []), HARD: (VALUES, []), RANDOM: (VALUES, []), HUMAN: (VALUES, [])})


def test_sections_read_one_set_at_a_time_and_no_rated_sets(found):
    asked = []

    def read(each, models):
        asked.append(each.id)
        assert set(models) == set(VALUES)
        return scores_of(found, each.id)

    section = roc_section(found, read)
    assert asked == [RANDOM, EASY, HARD]
    check_drawing(section.blocks[1])
    assert section.blocks[1].data.height == len(asked) * len(VALUES) * len(FALSE_POSITIVES)
    assert roc_section(found, lambda *_: None) is None


def test_sets_of_one_label_are_not_pictured(found):
    section = roc_section(found, lambda each, _: scores_of(found, each.id, similar=each.id == HARD))
    assert set(section.blocks[1].data["set"]) == {EASY, RANDOM}


def test_only_the_largest_groups_are_pictured():
    sets = {f"hp/{kind}/easy/random": (VALUES, []) for kind in ("fsn-syn", "syn-syn", "same-as")}
    found = found_of(sets)
    section, whole = (roc_section(found, lambda each, _: scores_of(found, each.id), most=most) for most in (2, 3))
    assert [figure.folded for figure in section.blocks[1:]] == [False, True]
    assert [figure.folded for figure in whole.blocks[1:]] == [False, True, True]
    assert "The smallest group of sets is not pictured." in section.blocks[0].paragraphs[0]
    assert "not pictured" not in whole.blocks[0].paragraphs[0]


def test_of_many_models_the_best_and_a_baseline_are_pictured():
    known = {f"m{place}": ModelRecord(kind="terms", scheme="onnx") for place in range(20)}
    known["edit"] = ModelRecord(kind="terms", scheme="baseline:levenshtein")
    found = found_of({EASY: ({name: 0.9 - place / 100 for place, name in enumerate(known)}, [])}, known)
    assert chosen_models(found, found.sets) == [*(f"m{place}" for place in range(7)), "edit"]
