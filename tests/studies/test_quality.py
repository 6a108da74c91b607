"""The quality of a benchmark: the worked example, the paper's Table 3 as whole numbers, and plain re-computation."""

from __future__ import annotations

import csv
import math
from itertools import product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.studies.quality.compute import label_quality, quality_of, truth_frame
from tests.studies.made_ratings import quality_ratings

EXAMPLE = "1SSS 1SSN 1SNN 1SND 1DDS 0NNN 0NNN 0NSN 0SSD 0NND 1SS- 0--N"
"""The label of each pair, then what three raters said."""


def judged(text=EXAMPLE, set_of=lambda _at: "one", **options):
    words = text.split()
    key = pl.DataFrame(
        {
            "pair": [str(at) for at in range(1, len(words) + 1)],
            "set": [set_of(at) for at in range(len(words))],
            "label": [int(word[0]) for word in words],
        }
    )
    return quality_of(quality_ratings([word[1:] for word in words]), key, **{"resamples": 500, **options})


def test_the_worked_example():
    result = judged()
    found = result.overall
    assert (found.tp, found.fp, found.fn, found.tn, found.without_truth) == (3, 1, 1, 4, 3)
    assert found.accuracy == pytest.approx(0.778, abs=5e-4)
    assert (found.recall, found.precision) == (0.75, 0.75)
    assert found.alpha == pytest.approx(0.405, abs=5e-4)
    assert (found.alpha_answers, found.alpha_pairs) == (26, 10)
    third = judged(dont_know="category").overall
    assert third.alpha == pytest.approx(0.267, abs=5e-4)
    assert (third.alpha_answers, third.alpha_pairs) == (32, 11)


def test_what_raters_said_is_counted():
    first, second, third = judged().per_rater
    counts = ("same", "not_same", "dont_know", "unanswered")
    assert [first[name] for name in counts] == [6, 4, 1, 1]
    assert [third[name] for name in counts] == [2, 6, 3, 1]
    assert second["rater"] == "r2"
    assert second["median_seconds"] == 2.0


def test_contradicted_and_undecided_pairs_are_named():
    result = judged()
    assert [(each["pair"], each["label"], each["truth"]) for each in result.contradicted] == [("3", 1, 0), ("9", 0, 1)]
    assert [each["pair"] for each in result.undecided] == ["4", "5", "12"]
    assert (result.undecided[1]["same"], result.undecided[1]["dont_know"]) == (1, 2)


def test_sets_stand_apart_and_add_up():
    result = judged(set_of=lambda at: "easy" if at % 2 else "hard")
    assert [each.set for each in result.sets] == ["hard", "easy"]
    for name in ("tp", "fp", "fn", "tn", "without_truth", "asked", "alpha_answers"):
        assert getattr(result.overall, name) == sum(getattr(each, name) for each in result.sets)
    assert result.overall.alpha == judged().overall.alpha


def test_a_rater_who_dropped_out_counts_among_all():
    """Two of five raters agree, and the others are silent: that is no majority."""
    found = judged("1SS--D 0NNN-- 1SSS-D 0N-NN-").overall
    assert (found.tp, found.tn, found.without_truth) == (1, 2, 1)


def test_truths_are_a_labelled_set():
    words = EXAMPLE.split()
    ratings = quality_ratings([word[1:] for word in words])
    key = pl.DataFrame({"pair": [str(at) for at in range(1, 13)], "set": ["one"] * 12, "label": [0] * 12})
    truth = truth_frame(ratings, key)
    assert truth["label"].to_list() == [1, 1, 0, 0, 0, 0, 1, 0, 1]
    assert truth.columns == ["term_1", "term_2", "label"]


def test_a_pair_that_two_sets_have_stands_once_unless_its_truths_differ():
    ratings = quality_ratings(["SSS", "SSS", "NNN", "SSS"], words=[("a", "b"), ("a", "b"), ("c", "d"), ("c", "d")])
    key = pl.DataFrame({"pair": ["1", "2", "3", "4"], "set": ["x", "y", "x", "y"], "label": [1, 1, 1, 1]})
    assert truth_frame(ratings, key).rows() == [("a", "b", 1)]


@pytest.mark.parametrize("text", ["1SSS 1SSN", "0NNN 0NND", "1D-- 0--D"])
def test_what_has_no_denominator_is_missing(text):
    found = judged(text).overall
    plain = {
        "recall": found.tp + found.fn, "precision": found.tp + found.fp,
        "accuracy": found.tp + found.fp + found.fn + found.tn,
    }  # fmt: skip
    for name, below in plain.items():
        value, (low, _high) = found.measured(name)
        assert (value is None) == (below == 0)
        assert (low is None) == (below == 0)


def test_without_any_answer_there_is_nothing_to_report():
    with pytest.raises(TermgaugeError, match="Nobody has answered yet"):
        judged("1--- 0---")


counts = st.integers(0, 30)


@given(
    st.tuples(counts, counts).filter(lambda c: sum(c) <= 30), st.tuples(counts, counts).filter(lambda c: sum(c) <= 30)
)
def test_shares_are_what_the_counts_say(ones, zeros):
    (tp, fp), (fn, tn) = ones, zeros
    found = label_quality(tp, fp, fn, tn, 30, 30, size=(500, 500))
    assert found["without_truth"] == 60 - tp - fp - fn - tn
    wanted = {"accuracy": (tp + tn, tp + fp + fn + tn), "recall": (tp, tp + fn), "precision": (tp, tp + fp)}
    for name, (hits, of) in wanted.items():
        assert found[name] == pytest.approx(hits / of if of else math.nan, nan_ok=True)
        low, high = found[f"{name}_interval"]
        assert math.isnan(low) if not of else low - 1e-9 <= found[name] <= high + 1e-9
    # A set with as many positives as negatives is like the pairs that were drawn from it.
    assert found["whole_accuracy"] == pytest.approx(found["accuracy"], nan_ok=True)
    assert found["whole_recall"] == pytest.approx(found["recall"], nan_ok=True)


def test_a_set_that_is_mostly_negative_is_weighted_by_its_labels():
    found = label_quality(27, 3, 3, 27, 30, 30, size=(100, 9900))
    assert (found["accuracy"], found["recall"]) == pytest.approx((0.9, 0.9))
    assert found["whole_accuracy"] == pytest.approx(0.9)
    assert found["whole_recall"] == pytest.approx(90 / (90 + 990))


def rounds_to(value, printed):
    return value is not None and not math.isnan(value) and round(value + 1e-9, 2) == float(printed)


def whole_tables(row, nan):
    """Yield the counts that round to a column of the paper's table, with so many pairs without truth."""
    for tp, fp, fn in product(range(31), range(31), range(31)):
        tn = 60 - nan - tp - fp - fn
        if tp + fp > 30 or not 0 <= tn <= 30 - fn:
            continue
        found = [(tp + tn) / (60 - nan), tp / (tp + fn) if tp + fn else None, tp / (tp + fp) if tp + fp else None]
        if all(
            rounds_to(value, row[name]) for value, name in zip(found, ("accuracy", "recall", "precision"), strict=True)
        ):
            yield tp, fp, fn, tn


def test_table_3_of_the_paper_holds_whole_numbers(shared):
    """Its percentages without truth are shares of 30: so read, every column has counts, and ours give its values."""
    if shared is None:
        pytest.skip("The table is in the shared folder.")
    with (shared / "data" / "tables" / "schulz_table3.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 20
    none_of_60 = []
    for row in rows:
        printed = int(row["nan_percent"])
        found = list(whole_tables(row, 2 if printed == 6 else round(printed * 30 / 100)))
        assert found, row
        for tp, fp, fn, tn in found:
            ours = label_quality(tp, fp, fn, tn, 30, 30)
            assert all(rounds_to(ours[name], row[name]) for name in ("accuracy", "recall", "precision"))
        if not any(whole_tables(row, 4 if printed == 6 else round(printed * 60 / 100))):
            none_of_60.append((row["set"], row["difficulty"][0], row["negatives"][0]))
    assert none_of_60 == [
        ("syn-syn", "e", "l"), ("poss-equiv", "h", "r"), ("replaced-by", "e", "l"), ("replaced-by", "h", "l"),
    ]  # fmt: skip
