from __future__ import annotations

import numpy as np
import pytest

from termgauge.reporting.set_names import titled
from termgauge.tasks.pairs.results import truth_of
from termgauge.tasks.pairs.sections.errors import (
    telling_sets,
    worst_section,
    wrong_pairs_section,
)
from termgauge.tasks.pairs.worst import worst_pairs
from tests.engine.toy_models import binary_set, graded_set
from tests.tasks.pairs.sections.drawn import cells_of
from tests.tasks.pairs.sections.made import EASY, HARD, HUMAN, found_of

VALUES = {"good": 0.9, "fair": 0.8, "edit": 0.6}


@pytest.mark.parametrize("pairs", [binary_set(size=60), graded_set(size=60)])
def test_errors_are_those_of_the_model(pairs):
    truth = truth_of(pairs)
    generator = np.random.default_rng(0)
    scores = {name: truth + generator.normal(0, 1, len(truth)) for name in VALUES}
    telling = [(titled(pairs.id, graded=pairs.graded), pairs, scores)]
    section = wrong_pairs_section(found_of({EASY: (VALUES, [])}), telling)
    _, common, own = section.blocks
    assert own.folded
    for model in VALUES:
        for kind in ("too high", "too low") if pairs.graded else ("false positive", "false negative"):
            wanted = worst_pairs(pairs, scores[model], model=model, measure="cos", n=3, only=kind).pairs
            rows = [row for row in cells_of(own) if (row["Model"].text, row["Error"].text) == (model, kind)]
            assert [row["Score"].value for row in rows] == [pair.score for pair in wanted]
    for row in common.data.iter_rows(named=True):
        place = row["row"] - 1
        assert (row["term_1"], row["term_2"]) == pairs.frame.row(place)[:2]
        if not pairs.graded:
            assert (row["error"] == "false negative") == (truth[place] == 1)
            wrong = sum(
                (row["error"] == "false negative") == (scores[name][place] < truth_threshold(pairs, scores[name]))
                for name in ("good", "fair")
            )
            assert row["models_wrong"] == wrong
        assert 2 * row["models_wrong"] > row["models"] == 2  # baselines aside


def truth_threshold(pairs, scores):
    return worst_pairs(pairs, scores, model="m", measure="cos").threshold


def test_pairs_that_are_not_scored_are_left_alone():
    pairs = binary_set(size=60)
    scores = truth_of(pairs) + np.random.default_rng(1).normal(0, 1, 60)
    scores[:30] = np.nan
    telling = [(titled(pairs.id, graded=False), pairs, {"good": scores, "fair": scores})]
    _, common, own = wrong_pairs_section(found_of({EASY: (VALUES, [])}), telling).blocks
    assert all(row > 30 for row in common.data["row"])
    unscored = set(pairs.frame["term_1"][:30]) - set(pairs.frame["term_1"][30:])
    assert unscored.isdisjoint(row["Term"].text for row in cells_of(own))


def test_no_errors_no_section():
    assert wrong_pairs_section(found_of({EASY: (VALUES, [])}), []) is None


def test_the_hardest_labelled_set_and_the_largest_rated_one():
    low = {"good": 0.55, "fair": 0.52}
    found = found_of({EASY: (VALUES, []), HARD: (low, []), HUMAN: (VALUES, []), "human/x": ({"good": None}, [])})
    assert [each.id for each in telling_sets(found)] == [HARD, HUMAN]
    assert telling_sets(found_of({})) == []


def test_the_worst_pairs_of_one_model_in_order():
    scores = np.random.default_rng(0).normal(size=40)
    for pairs, heading, words in (
        (graded_set(), "Rating", "another rank"),
        (binary_set(), "Label", "at the threshold"),
    ):
        found = worst_pairs(pairs, scores, model="[i]m", measure="cos", n=5)
        section = worst_section(found)
        (table,) = section.blocks
        assert section.title == f"[i]m on {pairs.id}"
        assert words in table.caption
        assert [column.heading for column in table.columns] == ["Error", "Score", heading, "Off by", "Term", "Term"]
        for row, pair in zip(table.rows, found.pairs, strict=True):
            assert [cell.text for cell in (row[0], *row[4:])] == [pair.error, pair.term_1, pair.term_2]
            assert [cell.value for cell in row[1:4]] == [pair.score, pair.truth, pair.size]
