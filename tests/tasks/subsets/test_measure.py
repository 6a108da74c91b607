"""Values in bands: those of the pairs task on the same pairs, with trends, differences, and what is in no band."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score

from termgauge.benchmark.pairset import PairSet
from termgauge.exceptions import TermgaugeError
from termgauge.statistics.compare import SetOutcomes
from termgauge.statistics.covariance import NO_UNIT, Covariance, Units
from termgauge.statistics.inputs import adjusted
from termgauge.tasks import contract
from termgauge.tasks.pairs.results import set_results
from termgauge.tasks.subsets.measure import chosen_models, divide, measured_set, scored_set, trend_of, weighed_bands
from termgauge.tasks.subsets.properties import property_of
from termgauge.tasks.subsets.task import SubsetOptions
from tests.engine.toy_models import ToyPairs
from tests.tasks.subsets.banded_run import PAIRS, RATINGS, counts, labelled_pairs, model_of, rated_pairs, run_of

MEMBERS = [range(50), range(50, 100), range(100, 150)]


def measured(folder, pairs, *models, statistic="auc", limits=(1, 10, 100), testing=None, **options):
    testing = testing or contract.Testing()
    run = run_of(folder, pairs, *models).scored(testing)
    scored = scored_set(run, pairs.id, pairs, list(run.models), statistic)
    asked = SubsetOptions.of(**options) if options else SubsetOptions.of(property=counts(folder))
    return measured_set(property_of(asked), scored, limits, testing)


@pytest.mark.parametrize(
    ("pairs", "statistic"),
    [(rated_pairs(), "spearman"), (labelled_pairs(), "auc"), (labelled_pairs(concepts=True), "auc")],
)
def test_values_are_those_of_the_pairs_task_on_the_same_pairs(tmp_path, pairs, statistic):
    models = [model_of(pairs, missing=range(40, 60)), model_of(pairs, "other", seed=1)]
    found = measured(tmp_path, pairs, *models)
    assert found.statistic == statistic
    for band, members in zip(found.bands, MEMBERS, strict=True):
        rows = list(members)
        some = PairSet("some", pairs.frame[rows])
        scores = {(model.name, "similarity"): np.array(model.scores)[rows] for model in models}
        results = set_results(some, scores, contract.Testing()).filter(pl.col("statistic") == statistic)
        for row in results.iter_rows(named=True):
            own = band.models[row["model"]]
            own = own if row["subset"] == "own" else own.shared
            assert (own.value, *own.interval, own.n) == (row["value"], row["low"], row["high"], row["n"])


def test_a_model_that_does_not_know_rare_words_rises(tmp_path):
    pairs = rated_pairs()
    found = measured(tmp_path, pairs, model_of(pairs), ToyPairs("constant", tuple(np.ones(PAIRS))))
    trend = found.trends["knows"]
    assert trend.significant
    assert 0 < trend.low < trend.change < trend.high
    assert trend.adjusted_p == pytest.approx(trend.p_value)
    assert found.trends["constant"].p_value is None
    assert not found.trends["constant"].significant
    assert found.outside == 0


def test_p_values_are_corrected_for_what_is_shown(tmp_path):
    pairs = labelled_pairs()
    models = [model_of(pairs, f"m{at}", noise=3, seed=at) for at in range(3)]
    found = measured(tmp_path, pairs, *models)
    trends, differences = list(found.trends.values()), [each for band in found.bands for each in band.differences]
    assert len(differences) == 9
    for shown in (trends, differences):
        corrected = adjusted([each.p_value for each in shown], "holm")
        assert [each.adjusted_p for each in shown] == pytest.approx(corrected)
        assert [each.significant for each in shown] == [each.adjusted_p < 0.05 for each in shown]


@pytest.mark.parametrize("statistic", ["auc", "accuracy"])
def test_models_are_compared_in_each_band_on_shared_pairs(tmp_path, statistic):
    pairs = labelled_pairs(concepts=True)
    chance = ToyPairs("chance", tuple(np.random.default_rng(9).normal(size=PAIRS)))
    found = measured(tmp_path, pairs, model_of(pairs, missing=[60]), chance, statistic=statistic)
    rare, usual, frequent = found.bands
    assert not rare.differences[0].significant
    assert usual.differences[0].significant
    assert usual.differences[0].low > 0
    for band in (rare, usual, frequent):
        one, other = (band.models[name].shared for name in ("knows", "chance"))
        assert one.n == other.n == (49 if band is usual else 50)
        assert band.differences[0].difference == pytest.approx(one.value - other.value)


def test_accuracy_is_at_one_threshold_for_all_bands(tmp_path):
    pairs = labelled_pairs()
    truth = pairs.frame["label"].to_numpy()
    shifted = truth + np.where(np.arange(PAIRS) < 50, -5.0, 0.0)  # perfect in each band, but on two scales
    found = measured(tmp_path, pairs, ToyPairs("shifted", tuple(shifted)), statistic="accuracy")
    assert [band.models["shifted"].value for band in found.bands] == [0.5, 1.0, 1.0]
    assert [band.positives for band in found.bands] == [25, 25, 25]
    assert found.bands[0].models["shifted"].interval[1] < 0.7


def test_spread_of_ratings(tmp_path):
    found = measured(tmp_path, rated_pairs())
    deviations = RATINGS.std(axis=1, ddof=1)
    means = [deviations[list(members)].mean() for members in MEMBERS]
    assert [band.spread for band in found.bands] == pytest.approx(means)
    assert found.spread == pytest.approx(np.mean(means))
    assert [band.score for band in found.bands] == pytest.approx([RATINGS[list(each)].mean() for each in MEMBERS])


@pytest.mark.filterwarnings("ignore:rated. these models score less")
def test_a_model_that_scores_too_little_is_left_out_of_what_is_shared(tmp_path):
    pairs = rated_pairs()
    found = measured(tmp_path, pairs, model_of(pairs), model_of(pairs, "few", missing=range(100)))
    rare, _usual, frequent = found.bands
    assert rare.models["few"].n == 0
    assert rare.models["few"].value is None
    assert frequent.models["few"].n == 50
    assert frequent.models["few"].shared is None
    assert rare.models["knows"].shared.n == 50


def test_pairs_in_no_band(tmp_path):
    pairs = rated_pairs()
    found = measured(tmp_path, pairs, limits=(10, 100))
    assert (found.outside, found.unknown) == (50, 0)
    frame = pairs.frame.with_columns(term_1=pl.when(pl.int_range(PAIRS) < 7).then(pl.lit("?")).otherwise("term_1"))
    unknown = measured(tmp_path, PairSet("rated", frame), limits=(10, 100))
    assert (unknown.outside, unknown.unknown) == (50, 7)


def test_bands_of_kinds_are_tested_for_any_difference(tmp_path):
    pairs = labelled_pairs()
    kinds = ["same" if at < 50 else "other" for at in range(PAIRS)]
    rows = "".join(f"a{at}\tB{at}\t{kind}\n" for at, kind in enumerate(kinds))
    (tmp_path / "pairs.tsv").write_text(f"word1\tword2\trelation\n{rows}")
    found = measured(tmp_path, pairs, limits=(), by="relation", property=str(tmp_path / "pairs.tsv"))
    assert [band.label for band in found.bands] == ["other", "same"]
    assert not found.ordered
    trend = found.trends["knows"]
    assert trend.significant
    assert trend.change is None


def test_bands_of_one_label_have_no_area(tmp_path):
    pairs = labelled_pairs()
    frame = pairs.frame.with_columns(label=pl.Series([int(at < 50 or at % 2) for at in range(PAIRS)], dtype=pl.Int8))
    pairs = PairSet("labelled", frame)
    found = measured(tmp_path, pairs, model_of(labelled_pairs()))
    assert found.bands[0].models["knows"].value is None
    assert "All pairs of the band '1 to under 10' have the same label" in found.notes[-1]


def test_the_best_measure_is_that_of_the_whole_set_and_is_not_compared(tmp_path):
    pairs = rated_pairs()
    models = model_of(pairs), model_of(pairs, "other", seed=1)
    found = measured(tmp_path, pairs, *models, testing=contract.Testing.of(measure="best"))
    assert found.measures == {"knows": "similarity", "other": "similarity"}
    assert not any(band.differences for band in found.bands)


@pytest.mark.parametrize("statistic", ["auc", "spearman", "mean"])
@given(seed=st.integers(0, 1000))
def test_a_trend_and_its_error_are_those_of_leaving_units_out(seed, statistic):
    drawn = np.random.default_rng(seed)
    bands, units = np.repeat([0, 1, 3], 40), drawn.integers(0, 15, 120)
    truth = np.round(drawn.normal(size=120), 1) if statistic == "spearman" else np.arange(120) % 2 * 1.0
    scores = np.round(truth + drawn.normal(size=120) + drawn.normal(size=15)[units], 1)

    def change(kept):
        values = []
        for band in (0, 1, 3):
            inside, part = kept[bands == band], (bands == band) & kept
            ranks = (rankdata(each[bands == band])[inside] for each in (scores, truth))  # ranks stay
            area = roc_auc_score(truth[part], scores[part]) if statistic == "auc" else math.nan
            rho = np.corrcoef(*ranks)[0, 1] if statistic == "spearman" else scores[part].mean()
            values.append(area if statistic == "auc" else rho)
        return 3 * float(np.polyfit([0, 1, 3], values, 1)[0])

    whole = change(np.ones(120, bool))
    moves = [whole - change(units != unit) for unit in np.unique(units)]
    of = Units(units, np.full(120, NO_UNIT))
    outcomes = SetOutcomes("s", statistic, of, truth, {"m": scores})
    assert trend_of(outcomes, bands, 0.05, ordered=True).change == pytest.approx(whole)
    found = [outcomes.estimate(["m"], bands == band) for band in (0, 1, 3)]
    line = weighed_bands(found, bands, np.array([[-4.0, -1.0, 5.0]]) * 9 / 42)
    expected = (len(moves) - 1) / len(moves) * np.square(moves).sum()
    assert Covariance([(line, of)]).matrix[0, 0] == pytest.approx(expected)


def test_nothing_to_divide(tmp_path):
    (tmp_path / "other.tsv").write_text("liver\t3\n")
    liver = property_of(SubsetOptions.of(property=str(tmp_path / "other.tsv")))
    with pytest.raises(TermgaugeError, match="'rated': no word of it has a value of 'other'"):
        divide(liver, rated_pairs(), ())
    known = property_of(SubsetOptions.of(property=counts(tmp_path)))
    with pytest.raises(TermgaugeError, match="no value of 'count' lies in any band"):
        divide(known, rated_pairs(), (1000,))
    divided, notes = divide(known, rated_pairs(), (0, 1, 1000))
    assert len(divided.bands) == 1
    assert notes == [
        f"The band '{title}' holds no words and is left out." for title in ("0 to under 1", "1,000 or more")
    ]
    same = property_of(SubsetOptions.of(by="words"))
    divided, notes = divide(same, rated_pairs(), ())
    assert notes[-1].startswith("Most values are equal")


def test_models_that_are_not_there(tmp_path):
    run = run_of(tmp_path, rated_pairs()).scored()
    assert chosen_models(run, ["knows"]) == ["knows"]
    with pytest.raises(TermgaugeError, match=r"has no model 'knwos'\. Did you mean 'knows'"):
        chosen_models(run, ["knwos"])
    with pytest.raises(TermgaugeError, match="no model has a score on it"):
        scored_set(run, "rated", rated_pairs(), [], "auc")
