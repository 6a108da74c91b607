"""One comparison: against leaving units out by hand with other people's statistics, and what its verdict says."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

import termgauge as tg
from termgauge.exceptions import TermgaugeError
from termgauge.statistics.compare import SetOutcomes, compare
from termgauge.statistics.covariance import NO_UNIT, Covariance, Units
from termgauge.statistics.estimators import CORRELATIONS, ESTIMATORS

ORACLES = {
    "mean": lambda scores, _truth: scores.mean(),
    "auc": lambda scores, truth: roc_auc_score(truth, scores),
    "ap": lambda scores, truth: average_precision_score(truth, scores),
    "pearson": lambda scores, truth: stats.pearsonr(scores, truth)[0],
    "spearman": lambda scores, truth: stats.spearmanr(scores, truth)[0],
}


def outcomes(statistic, seed, *, concepts=12, n=80, models=2, quality=1.0, name="set"):
    """Draw a set of pairs of concepts, whose errors belong in part to the concepts; scores have ties."""
    drawn = np.random.default_rng(seed)
    first = drawn.integers(0, concepts, n)
    second = (first + drawn.integers(0, concepts, n)) % concepts
    truth = np.round(drawn.normal(size=n), 1) if statistic in CORRELATIONS else (np.arange(n) % 2) * 1.0
    errors = drawn.normal(size=(models, n)) + drawn.normal(size=(models, concepts))[:, first]
    scores = np.round(np.linspace(quality, 1, models)[:, None] * truth + errors, 1)
    values = {f"m{at}": row for at, row in enumerate(scores)}
    return SetOutcomes(name, statistic, Units(first, second), truth, values)


@pytest.mark.parametrize("statistic", sorted(ORACLES))
@given(seed=st.integers(0, 1000))
def test_values_and_their_covariance_are_those_of_leaving_units_out(statistic, seed):
    drawn = outcomes(statistic, seed)
    oracle, scores, truth = ORACLES[statistic], list(drawn.values.values()), drawn.truth
    everything = np.ones(len(truth), bool)
    covariance = Covariance([(drawn.estimate(list(drawn.values), everything), drawn.units)])
    values = np.array([oracle(row, truth) for row in scores])
    np.testing.assert_allclose(drawn.estimate(list(drawn.values), everything).values, values, atol=1e-12)

    def moves(group):
        if statistic == "spearman":  # ranks stay
            ranks, of_truth = [stats.rankdata(row) for row in scores], stats.rankdata(truth)
            return values - [stats.pearsonr(row[~group], of_truth[~group])[0] for row in ranks]
        return values - [oracle(row[~group], truth[~group]) for row in scores]

    first, second = drawn.units.first, drawn.units.second
    units = [moves((first == unit) | (second == unit)) for unit in np.unique([first, second])]
    couples = {(min(pair), max(pair)) for pair in zip(first, second, strict=True) if pair[0] != pair[1]}
    pairs = [moves(((first == a) & (second == b)) | ((first == b) & (second == a))) for a, b in sorted(couples)]
    expected = (len(units) - 1) / len(units) * (np.transpose(units) @ units - np.transpose(pairs) @ pairs)
    # Small groups of items are left out of an average precision one by one.
    np.testing.assert_allclose(covariance.matrix, expected, atol=3e-3 if statistic == "ap" else 1e-12)


def test_a_mean_of_clusters_is_that_of_the_textbook():
    drawn = np.random.default_rng(1)
    values = drawn.normal(size=60)
    units = Units(np.arange(60), np.full(60, NO_UNIT))
    found = Covariance([(ESTIMATORS["mean"](values[None], np.zeros(0)), units)])
    assert found.error(0).error == pytest.approx(stats.sem(values))
    part = compare([SetOutcomes("s", "mean", units, np.zeros(0), {"m": values})])
    low, high = stats.t.interval(0.95, 59, values.mean(), stats.sem(values))
    estimate = part.sets[0].estimates[0]
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=0.01)


def test_a_ratio_is_that_of_sums():
    above, below = np.array([[2.0, 0, 4, 2], [0, 2, 2, 2]]), np.array([[3.0, 2, 4, 4], [2, 2, 4, 3]])
    found = ESTIMATORS["ratio"](above, below)
    assert found.values.tolist() == pytest.approx([8 / 13, 6 / 11])


def test_an_item_counts_in_all_sets_that_share_its_units():
    one, again = outcomes("auc", 1), outcomes("auc", 1, name="again")
    alone, twice = compare([one]), compare([one, again])
    assert twice.main.differences[0].value == pytest.approx(alone.main.differences[0].value)
    # The same pairs once more say nothing new.
    assert twice.main.differences[0].high == pytest.approx(alone.main.differences[0].high, rel=0.25)


def test_perfect_separation_is_marked_with_twelve_concepts():
    drawn = outcomes("auc", 3)
    perfect = {"knows": drawn.truth, "guesses": np.random.default_rng(5).normal(size=80)}
    found = compare([SetOutcomes("s", "auc", drawn.units, drawn.truth, perfect)])
    assert found.by_set["s"].differences[0].significant
    assert found.verdict.startswith("knows is best: AUC 1.00 [")


def test_a_difference_without_variance_is_that_of_fair_coins():
    units = Units(np.arange(8), np.full(8, NO_UNIT))
    values = {"right": np.ones(8), "wrong": np.zeros(8)}
    difference = compare([SetOutcomes("s", "mean", units, np.zeros(0), values)]).by_set["s"].differences[0]
    assert difference.p_value == 2.0**-7
    assert math.isnan(difference.low)


def test_one_unit_alone_has_no_interval():
    units = Units(np.zeros(8, int), np.full(8, NO_UNIT))
    values = {"one": np.arange(8.0), "other": np.ones(8)}
    found = compare([SetOutcomes("s", "mean", units, np.zeros(0), values)])
    assert math.isnan(found.sets[0].estimates[0].low)
    assert not found.by_set["s"].differences[0].significant


@given(seed=st.integers(0, 300))
def test_marks_ranks_and_tiers_agree(seed):
    sets = [outcomes("auc", seed + at, models=4, quality=4.0, concepts=40, n=200, name=f"s{at}") for at in range(3)]
    found = compare(sets)
    ranking = {row.model: row for row in found.main.ranking}
    for row in found.main.differences:
        assert row.significant == (not row.low <= 0 <= row.high)
        if row.significant:
            above, below = (row.one, row.other) if row.value > 0 else (row.other, row.one)
            assert ranking[above].tier < ranking[below].tier
            assert ranking[above].rank_high < len(ranking)
            assert ranking[below].rank_low > 1
            assert not ranking[below].best
    assert found.main.ranking[0].best
    assert [row.value for row in found.main.ranking] == sorted((row.value for row in found.main.ranking), reverse=True)


def frames(sets, models):
    items, values = [], []
    for at in range(sets):
        drawn = outcomes("auc", 10 + at, concepts=40, n=200, models=models, quality=6.0)
        row = {"set": [f"s{at}"] * 200, "item": range(200)}
        of_items = {"unit_1": drawn.units.first, "unit_2": drawn.units.second, "truth": drawn.truth}
        items.append(pl.DataFrame(row | of_items))
        values.append(pl.DataFrame(row | drawn.values))
    return pl.concat(items), pl.concat(values)


def test_frames_of_anybody_are_compared():
    items, values = frames(3, 3)
    found = tg.compare_outcomes(items, values.sample(fraction=1, shuffle=True, seed=1), statistic="auc")
    assert found.differences.columns[:9] == [
        "set", "one", "other", "value", "low", "high", "p_value", "adjusted_p", "significant",
    ]  # fmt: skip
    assert found.differences.height == 9
    assert found.joint.height == 3
    assert set(found.joint["verdict"]) <= {"different", "different within margin", "same", "undecided"}
    assert found.ranking["model"][0] == "m0"
    assert found.verdict.startswith("m0 is best: mean AUC ")
    columns = [frame.to_dict(as_series=False) for frame in (items, values)]
    assert tg.compare_outcomes(*columns, statistic="auc").verdict == found.verdict
    run = tg.compare_outcomes(items, values, statistic="auc", family="run")
    assert all(run.differences["adjusted_p"] >= found.differences["adjusted_p"])


def test_a_model_that_scores_little_is_named_and_shrinks_nothing():
    items, values = frames(2, 2)
    some = values.with_columns(little=pl.when(pl.col("item") < 60).then(pl.col("m0")))
    found = tg.compare_outcomes(items, some, statistic="auc")
    plain = tg.compare_outcomes(items, values, statistic="auc")
    assert found.joint["value"].to_list() == plain.joint["value"].to_list()
    assert "little scores 30% of the items; on those it is .00" in found.verdict
    rows = found.estimates.filter(pl.col("model") == "little")
    assert rows["n"].to_list() == [60, 60]
    assert not rows["compared"].any()


def test_small_sets_do_not_count_in_the_verdict():
    items, values = frames(2, 2)
    keep = (pl.col("set") == "s0") | (pl.col("item") < 50)
    found = tg.compare_outcomes(items.filter(keep), values.filter(keep), statistic="auc")
    assert found.verdict.endswith("Not counted: s1.")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"statistic": "aux"}, "no statistic 'aux'"),
        ({"alpha": 2.0}, "level must lie between"),
        ({"correction": "holmes"}, "no correction 'holmes'"),
        ({"items": {"set": [1], "item": [1]}}, "no column 'unit_1'"),
        ({"items": {"set": ["s"], "item": [1], "unit_1": ["a"]}}, "have no truth"),
    ],
)
def test_what_cannot_be_compared_is_said(change, sentence):
    items, values = frames(1, 2)
    with pytest.raises(TermgaugeError, match=sentence):
        tg.compare_outcomes(**{"items": items, "values": values, "statistic": "auc"} | change)


@pytest.mark.parametrize("statistic", sorted(ESTIMATORS))
def test_hardly_anything_to_compare_breaks_nothing(statistic):
    drawn = np.random.default_rng(1)
    for n, models in product((1, 2, 3, 4, 8), (1, 2, 4)):
        for units in ([f"u{at}" for at in range(n)], ["u"] * n, [f"u{at % 2}" for at in range(n)]):
            items = {"set": ["s"] * n, "item": [*range(n)], "unit_1": units, "truth": [at % 2 for at in range(n)]}
            values = {"set": ["s"] * n, "item": [*range(n)]}
            for model in range(models):
                scores = drawn.normal(size=n).tolist()
                values[f"m{model}"] = [{"above": 1.0, "below": 2 + score**2} for score in scores] if (
                    statistic == "ratio"
                ) else scores  # fmt: skip
            found = tg.compare_outcomes(items, values, statistic=statistic)
            assert found.verdict
            assert found.estimates.height == models
            assert len(set(units)) > 1 or not found.joint["significant"].any()
