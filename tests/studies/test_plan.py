"""Tests of the plan of a study: pairs, minutes, and how well agreement will be known."""

from __future__ import annotations

import pytest

from termgauge.studies.design import in_order, layout, workload


def plan(shown, raters=None, *, rated=True):
    return workload(shown, raters, rated=rated)


def test_what_three_raters_of_two_hundred_pairs_are_asked():
    found = plan(layout(200, 42, groups=1, consistency=0, duplicates=20), 3)
    assert (found.pairs, found.showings, found.minutes, round(found.margin, 2)) == (200, 220, 35, 0.08)
    said, assumed = found.sentences()
    assert "3 raters, 200 pairs each (20 of them twice), about 35 minutes per rater, agreement known to ± .08." in said
    assert "10 seconds for a pair" in assumed
    assert "correlate by 0.7" in assumed


@pytest.mark.parametrize(
    ("shown", "raters", "rated", "said"),
    [
        (layout(200, 42, consistency=20, duplicates=20), None, True, "Plan: 2 groups, 110 pairs each (20 of them"),
        (layout(200, 42, consistency=20, duplicates=20), 3, True, "± .28."),  # only consistency pairs can be compared
        (in_order(1, 1), 1, False, "Plan: 1 rater, 1 pair each, about 1 minute per rater, agreement not known."),
        (in_order(3, 1), 5, True, "Plan: 5 raters, 3 pairs each, about 1 minute per rater, agreement not known."),
        (in_order(240, 4), 4, False, "Plan: 4 raters, 240 pairs each, about 40 minutes per rater, agreement known to"),
    ],
)
def test_plans_in_words(shown, raters, rated, said):
    assert said in plan(shown, raters, rated=rated).sentences()[0]


def test_agreement_is_known_better_with_more_pairs():
    for rated in (True, False):
        margins = [plan(in_order(n, 1), 4, rated=rated).margin for n in (50, 200, 800)]
        assert margins == sorted(margins, reverse=True)
        assert margins[0] == pytest.approx(2 * margins[1], rel=0.2)
