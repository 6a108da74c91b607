from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from termgauge.exceptions import TermgaugeError
from termgauge.tasks.prediction.correlate import families_of, predict
from termgauge.tasks.prediction.scores import read_scores
from termgauge.tasks.prediction.task import PredictionOptions
from tests.tasks.prediction.made_scores import EXTRINSIC, INTRINSIC, MODELS, result, scores

TASKS = ["bc4chemd", "bc2gm", "anatem", "jnlpba"]
C1 = """
umnsrs_rel -0.1475 (0.7524) -0.1424 (0.7607) -0.0789 (0.8665) -0.0721 (0.8780)
umnsrs_sim -0.3811 (0.3990) -0.3387 (0.4574) -0.3442 (0.4497) -0.2952 (0.5203)
mayosrs 0.0759 (0.8716) 0.0412 (0.9301) 0.1757 (0.7064) 0.1169 (0.8029)
bio_simverb 0.2003 (0.6667) 0.1844 (0.6922) 0.2893 (0.5291) 0.2414 (0.6020)
bio_simlex 0.5299 (0.2212) 0.6037 (0.1511) 0.4553 (0.3046) 0.4778 (0.2781)
"""
"""Computed with plain code from Table 5 of the paper: r and p of each benchmark with each task."""


def of_table(shared, name):
    if shared is None:
        pytest.skip("the paper's tables are not here")
    tables = shared / "data" / "tables"
    return predict(read_scores(tables / name, PredictionOptions.of(extrinsic=TASKS)), alpha=0.05, correction="none")


def printed(shared, name):
    lines = (shared / "data" / "tables" / name).read_text().split()
    return {
        (line.split(",")[0], task): float(value)
        for line in lines[1:]
        for task, value in zip(TASKS, line.split(",")[1:], strict=True)
    }


def test_table_6_comes_out_of_table_5(shared):
    found = of_table(shared, "table05_models.csv")
    assert found.n == 7
    known = {(cell.benchmark, cell.task): cell for cell in found.cells}
    for line in C1.split("\n")[1:-1]:
        benchmark, *numbers = line.replace("(", "").replace(")", "").split()
        for at, task in enumerate(TASKS):
            cell = known[benchmark, task]
            assert (f"{cell.r:.4f}", f"{cell.p:.4f}") == (numbers[2 * at], numbers[2 * at + 1])
    assert {place: round(cell.r, 2) for place, cell in known.items()} == printed(shared, "table06_pearson.csv")
    assert not any(cell.significant for cell in found.cells)


def test_table_8_comes_out_of_table_7_but_for_two_cells(shared):
    found = of_table(shared, "table07_windows.csv")
    known = {(cell.benchmark, cell.task): cell for cell in found.cells}
    paper = printed(shared, "table08_pearson.csv")
    assert all(abs(known[place].r - value) < 0.01 for place, value in paper.items())
    differing = {place for place, value in paper.items() if round(known[place].r, 2) != value}
    assert differing == {("umnsrs_rel", "anatem"), ("bio_simverb", "anatem")}
    assert {place for place, cell in known.items() if cell.p < 0.05} == {
        *((benchmark, task) for benchmark in ("umnsrs_rel", "umnsrs_sim") for task in ("bc4chemd", "anatem")),
        *(("mayosrs", task) for task in ("bc4chemd", "bc2gm")),
        *(("bio_simlex", task) for task in ("bc4chemd", "anatem")),
    }
    assert found.families == [["1", "2", "4", "5", "8", "16", "20", "25", "30"]]


def test_every_benchmark_is_correlated_with_every_task():
    found = result()
    assert [(cell.benchmark, cell.task) for cell in found.cells] == [
        (one, two) for one in INTRINSIC for two in EXTRINSIC
    ]
    for cell in found.cells:
        expected = stats.pearsonr(INTRINSIC[cell.benchmark], EXTRINSIC[cell.task])
        assert (cell.r, cell.p) == pytest.approx((expected.statistic, expected.pvalue))
        assert cell.adjusted_p == cell.rho_p
        assert cell.rho_low < cell.rho < cell.rho_high
        assert cell.rho == pytest.approx(stats.spearmanr(INTRINSIC[cell.benchmark], EXTRINSIC[cell.task]).statistic)
        assert cell.low < cell.r < cell.high
        without = [
            stats.pearsonr(
                *(np.delete(side, at) for side in (INTRINSIC[cell.benchmark], EXTRINSIC[cell.task]))
            ).statistic
            for at in range(7)
        ]
        most = int(np.argmax(np.abs(np.array(without) - cell.r)))
        assert (cell.influential, cell.without) == (MODELS[most], pytest.approx(without[most]))
    assert found.left_out == found.families == []
    (power,) = found.power
    assert (power.n, power.correlations, round(power.critical, 3)) == (7, 4, 0.754)
    assert list(power.power) == ["0.3", "0.5", "0.7", "0.9"]
    assert power.power["0.5"] == pytest.approx(0.21, abs=0.001)
    assert power.detectable == pytest.approx(0.856, abs=0.001)


columns = st.lists(st.lists(st.none() | st.integers(0, 5).map(float), min_size=6, max_size=6), min_size=1, max_size=3)


@settings(max_examples=40, deadline=None)
@given(columns, columns, st.sampled_from(["none", "holm", "bonferroni"]), st.sampled_from([0.05, 0.3]))
def test_cells_have_the_models_with_both_scores(one, two, correction, alpha):
    models = list("abcdef")
    intrinsic, extrinsic = (
        {f"{kind}{at}": each for at, each in enumerate(side)} for kind, side in (("b", one), ("t", two))
    )
    known = scores(models, intrinsic, extrinsic)
    both = {
        (benchmark, task): [at for at in range(6) if xs[at] is not None and ys[at] is not None]
        for benchmark, xs in intrinsic.items()
        for task, ys in extrinsic.items()
    }
    if max(map(len, both.values())) < 2:
        with pytest.raises(TermgaugeError, match="made: no two models have both"):
            predict(known, alpha=alpha, correction=correction)
        return
    found = predict(known, alpha=alpha, correction=correction)
    for cell in found.cells:
        places = both[cell.benchmark, cell.task]
        assert cell.n == len(places)
        assert cell.left_out == [model for at, model in enumerate(models) if at not in places]
        xs, ys = ([side[at] for at in places] for side in (intrinsic[cell.benchmark], extrinsic[cell.task]))
        if len(places) < 3 or len(set(xs)) == 1 or len(set(ys)) == 1:
            assert cell.r is cell.p is cell.adjusted_p is cell.rho is None
            assert not cell.significant
        else:
            assert cell.r == pytest.approx(stats.pearsonr(xs, ys).statistic, abs=1e-9)
            assert cell.p == pytest.approx(stats.pearsonr(xs, ys).pvalue, abs=1e-6), (
                "uncorrected, whatever is asked for"
            )
    tested = [cell for cell in found.cells if cell.p is not None]
    if tested and correction != "none":
        adjusted = multipletests([cell.rho_p for cell in tested], alpha, correction)[1]
        assert [cell.adjusted_p for cell in tested] == pytest.approx(list(adjusted))
        assert [cell.significant for cell in tested] == [p < alpha for p in adjusted.tolist()]
        assert all(power.level == alpha for power in found.power), "of one correlation alone"
    lacking = [model for at, model in enumerate(models) if any(side[at] is None for side in (*one, *two))]
    assert [sentence.partition(":")[0] for sentence in found.left_out] == lacking
    assert found.n == len({at for places in both.values() for at in places})


def test_models_that_lack_scores_are_named_with_the_reason():
    intrinsic = {"one": [0.1, 0.2, 0.3, 0.4, None], "two": [0.2, 0.1, 0.4, None, None]}
    extrinsic = {"f": [1, 2, 4, 3, 5, None]}
    given = scores([*"abcde", "gone"], intrinsic, extrinsic, reasons={"gone": "gone.bin: there is no such file."})
    found = predict(given, alpha=0.05, correction="none")
    assert found.left_out == [
        "d: has no score on two.",
        "e: has no score on one and two.",
        "gone: has no score on one, two and f: gone.bin: there is no such file.",
    ]
    assert [cell.n for cell in found.cells] == [4, 3]
    assert [(power.n, power.correlations) for power in found.power] == [(3, 1), (4, 1)]
    many = {f"b{at}": [0.1, 0.2, 0.3, None] for at in range(6)} | {"last": [0.1, 0.2, 0.3, 0.4]}
    (sentence,) = result(models=list("abcd"), intrinsic=many, extrinsic={"f": [1, 2, 3, 4]}).left_out
    assert sentence == "d: has no score on b0, b1, b2 and 3 more."


def test_two_models_are_a_result_of_which_nothing_is_defined_and_fewer_are_none():
    two = result(models=MODELS[:2])
    assert (two.n, two.power) == (2, [])
    assert all(cell.r is None and cell.n == 2 for cell in two.cells)
    with pytest.raises(TermgaugeError, match=r"nothing can be correlated; 2 of 2 models have a .*, 1 a task's\."):
        result(models=["a", "b"], intrinsic={"x": [1, 2]}, extrinsic={"f": [1, None]})


def test_models_whose_names_differ_in_numbers_are_a_family_unless_families_are_named():
    models = ["sg w5", "SG w10", "sg w2.5", "glove.50d", "glove.100d", "cbow"]
    assert families_of(models, {}) == [["sg w5", "SG w10", "sg w2.5"]]
    assert families_of(["a", "b", "c"], {}) == []
    assert families_of(models, {"cbow": "mine", "sg w5": "mine", "SG w10": "other"}) == [["sg w5", "cbow"], ["SG w10"]]


def test_models_of_one_family_change_places_alone():
    """What differs between families alone is no sign of anything, however strong it is."""
    between = {"b": [1, 2, 3, 11, 12, 13, 21, 22, 23]}, {"t": [3, 1, 2, 13, 11, 12, 23, 21, 22]}
    models = [f"{family} {at}" for family in "abc" for at in range(3)]
    given = {"models": models, "intrinsic": between[0], "extrinsic": between[1]}
    (alone,) = result(**given).cells
    found = result(**given, families={model: model[0] for model in models})
    (cell,) = found.cells
    assert alone.rho == cell.rho > 0.8
    assert alone.significant
    assert not cell.significant
    assert cell.rho_p > 0.1
    assert found.named_families
    assert found.families == [models[:3], models[3:6], models[6:]]


def test_attenuation_is_beside_each_correlation_of_a_benchmark():
    found = predict(scores(), alpha=0.05, correction="holm", attenuations={"umnsrs": 0.8})
    assert [cell.attenuation for cell in found.cells] == [0.8, 0.8, None, None]
