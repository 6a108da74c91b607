from __future__ import annotations

from termgauge.tasks.pairs.sections.distributions import chosen_models, distribution_figure, score_section
from termgauge.tasks.records import ModelRecord
from tests.tasks.pairs.sections.drawn import check_drawing
from tests.tasks.pairs.sections.made import EASY, found_of, scores_of

VALUES = {"good": 0.9, "fair": 0.8, "edit": 0.6}


def test_only_the_largest_groups_are_pictured():
    sets = {f"hp/{kind}/easy/random": (VALUES, []) for kind in ("fsn-syn", "syn-syn", "same-as")}
    found = found_of(sets)
    section, whole = (score_section(found, lambda each, _: scores_of(found, each.id), most=most) for most in (2, 3))
    assert [figure.folded for figure in section.blocks[1::2]] == [False, True]
    assert [figure.folded for figure in whole.blocks[1::2]] == [False, True, True]
    assert all(figure.folded and figure.id.startswith("roc") for figure in whole.blocks[2::2])
    assert "The smallest group of sets is not pictured." in section.blocks[0].paragraphs[0]
    assert "not pictured" not in whole.blocks[0].paragraphs[0]


def test_of_many_models_the_best_and_a_baseline_are_pictured():
    known = {f"m{place}": ModelRecord(kind="terms", scheme="onnx") for place in range(20)}
    known["edit"] = ModelRecord(kind="terms", scheme="baseline:levenshtein")
    found = found_of({EASY: ({name: 0.9 - place / 100 for place, name in enumerate(known)}, [])}, known)
    chosen = chosen_models(found, found.sets)
    assert chosen == [*(f"m{place}" for place in range(7)), "edit"]
    figure = distribution_figure(found, found.groups[0], [scores_of(found, EASY)], chosen)
    assert "13 more" in figure.caption
    check_drawing(figure)
