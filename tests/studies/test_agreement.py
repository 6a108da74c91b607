from __future__ import annotations

import math

import numpy as np
import pytest

import termgauge as tg
from termgauge.exceptions import SkippedWarning, TermgaugeError
from termgauge.studies.agreement import compute as module
from termgauge.studies.agreement.compute import agreement
from termgauge.studies.ratings import parse_ratings
from tests.studies.raters import answers_text, drawn, long_text, matrix_text, plain_agreement

KEYS = {"raters", "pairs", "ratings", "groups", "iaa1", "iaa2", "left_out", "per_rater", "alpha", "undefined", "before"}
RATER_KEYS = {"rater", "group", "iaa1", "iaa2", "missing", "self_consistency", "longest_run"}


def of(table, **options):
    return agreement(
        parse_ratings(matrix_text(table), "f", scale=(0, 6)), resamples=options.pop("resamples", 50), **options
    )


def test_the_keys_that_others_rely_on():
    found = of(drawn(30, 5)).as_dict()
    assert found.keys() >= KEYS
    assert found["per_rater"][0].keys() >= RATER_KEYS
    assert found["alpha"].keys() == {"nominal", "ordinal", "interval"}
    assert found["before"].keys() == {"iaa1", "iaa2"}
    assert (found["raters"], found["pairs"], found["ratings"], found["groups"]) == (5, 30, 150, 1)
    assert found["intervals"]["iaa1"][0] < found["iaa1"] < found["intervals"]["iaa1"][1]


def test_after_leaving_out_and_before():
    table = drawn(40, 6)
    table[:, 3] = np.random.default_rng(1).permutation(table[:, 3])
    found = of(table)
    assert found.left_out == ["r4"]
    assert found.reasons.keys() == {"r4"}
    rest = np.delete(table, 3, axis=1)
    assert (found.iaa1, found.iaa2) == pytest.approx(plain_agreement(rest)[:2])
    assert (found.before.iaa1, found.before.iaa2) == pytest.approx(plain_agreement(table)[:2])
    assert [each.iaa1 for each in found.per_rater] == pytest.approx(plain_agreement(table)[2])
    assert found.alpha != found.alpha_after
    assert found.accepted() == ["r1", "r2", "r3", "r5", "r6"]
    everybody = of(table, rule="none")
    assert everybody.left_out == []
    assert everybody.iaa1 == pytest.approx(found.before.iaa1)
    assert everybody.alpha == found.alpha


def test_a_table_in_two_groups(tmp_path):
    table = np.full((40, 8), np.nan)
    table[:20, :4] = drawn(20, 4, 1)
    table[20:, 4:] = drawn(20, 4, 2)
    (tmp_path / "r.tsv").write_text(long_text(table))
    found = tg.agreement(tmp_path / "r.tsv", scale=(0, 6), rule="none", resamples=50)
    assert found.groups == 2
    assert [each.raters for each in found.per_group] == [4, 4]
    assert found.iaa1 == pytest.approx(plain_agreement(table, [0] * 4 + [1] * 4)[0])
    assert found.per_group[1].iaa1 == pytest.approx(plain_agreement(table[20:, 4:])[0])
    together = tg.agreement(tmp_path / "r.tsv", scale="0,6", rule="none", groups="one", resamples=50)
    assert (together.groups, together.undefined) == (1, 16)
    assert "r1, r2" in together.notes[-1]


@pytest.mark.parametrize("size", [2, 3, 5])
def test_without_a_rule_nobody_is_left_out_of_a_small_panel(size):
    table = drawn(40, size)
    table[:, -1] = 3  # agreement with this rater is undefined
    found = of(table)
    assert found.left_out == []
    assert found.rule == "others"
    (said,) = [note for note in found.notes if "panel" in note]
    everybody = {2: "Both raters", 3: "All three raters", 5: "All five raters"}[size]
    assert said.startswith(f"{everybody} are in a panel of fewer than 6, which is too small to judge one of them")
    assert said in " ".join(found.sections()[0].blocks[0].paragraphs)
    asked = of(table, rule="others")
    assert f"r{size}" in asked.left_out
    assert not any("panel" in note for note in asked.notes)


def test_only_small_groups_are_spared_without_a_rule():
    table = np.full((60, 10), np.nan)
    table[:30, :4], table[30:, 4:] = drawn(30, 4, 1), drawn(30, 6, 2)
    for careless in (0, 4):
        rows = slice(0, 30) if careless < 4 else slice(30, 60)
        table[rows, careless] = table[rows, careless][::-1]
    found = of(table, groups="sets")
    assert found.left_out == ["r5"]
    assert any(note.startswith("Four of ten raters are in a panel of fewer than 6") for note in found.notes)
    assert of(table, groups="sets", rule="others").left_out == ["r1", "r5"]


def test_raters_are_judged_on_the_consistency_set():
    table = drawn(30, 5)
    table[:6, 2] = table[:6, 2][::-1]
    text = answers_text(table, consistency=range(1, 7))
    found = agreement(parse_ratings(text, "f", scale=(0, 6)), resamples=0, rule="others")
    assert found.consistency == 6
    assert "consistency set" in found.reasons["r3"]
    assert found.intervals.iaa1 == (None, None)


@pytest.mark.parametrize(
    "table", [drawn(10, 1), drawn(2, 3), np.full((6, 3), 2.0), np.array([[1.0, np.nan], [2, np.nan], [np.nan, 3]])]
)
def test_where_nothing_can_be_said(table):
    found = agreement(parse_ratings(matrix_text(table), "f"), resamples=20, rule="others")
    assert found.iaa1 is None
    assert set(found.left_out) == set(found.as_dict()["reasons"])
    assert len(found.left_out) == table.shape[1]
    assert agreement(parse_ratings(matrix_text(table), "f"), resamples=20, rule="none").iaa1 is None
    assert "undefined" in found.document().summary[0]
    found.sections()


def test_alpha_without_variation():
    found = agreement(parse_ratings(matrix_text(np.full((6, 3), 2.0)), "f"), resamples=20)
    assert found.alpha.nominal is None
    assert found.alpha_undefined == "no variation"


def test_calibration():
    table = np.clip(drawn(40, 5), 1, 4)
    table[:, 4] = np.clip(table[:, 0] + 2, 0, 6)
    found = of(table, calibrate=True, rule="none")
    assert found.moved == {"r5": -1}
    apart = parse_ratings("pair\trater\trating\n1\ta\t2\n2\tb\t3\n", "f")
    with pytest.warns(SkippedWarning):
        agreement(apart, calibrate=True, rule="none", resamples=0)


def test_very_much_work_takes_fewer_resamples(monkeypatch):
    monkeypatch.setattr(module, "MOST_WORK", 1)
    found = of(drawn(10, 4), resamples=300)
    assert found.resamples == module.LEAST_RESAMPLES
    assert "200 resamples" in found.notes[-1]


def test_more_raters_narrow_the_score_as_planned():
    """The plan is for the width that scores have when they are drawn again and again."""
    generator = np.random.default_rng(4)
    true = generator.uniform(1, 5, 400)
    table = np.clip(np.round(true[:, None] + generator.normal(0, 1, (400, 6))), 0, 6)
    plan = of(table, rule="none", width=1.0, resamples=0).plan
    again = np.clip(np.round(3 + generator.normal(0, 1, (20_000, plan.raters_per_pair))), 0, 6).mean(axis=1) * 10 / 6
    low, high = np.quantile(again, [0.025, 0.975])
    assert high - low == pytest.approx(1.0, abs=0.1)
    assert plan.raters_per_pair > 6
    assert plan.score_width > 1.0


def test_options_are_checked(tmp_path):
    with pytest.raises(TermgaugeError, match="no option 'rules'"):
        agreement(tmp_path / "r.tsv", rules="none")
    with pytest.raises(TermgaugeError, match=r"r\.tsv"):
        agreement(tmp_path / "r.tsv")


def published(shared, file, **options):
    if shared is None:
        pytest.skip("the published ratings are not at hand")
    return agreement(shared / "data" / file, resamples=50, **options)


def test_ehr_rel_a(shared):
    found = published(shared, "similarity/EHR-RelA.tsv", rule="none")
    assert found.iaa1 == pytest.approx(0.668604, abs=1e-6)
    assert found.iaa2 == pytest.approx(0.720501, abs=1e-6)
    ones = [0.699676, 0.686259, 0.673614, 0.680732, 0.602739]
    twos = [0.765812, 0.815940, 0.697760, 0.753288, 0.569703]
    assert [each.iaa1 for each in found.per_rater] == pytest.approx(ones, abs=1e-6)
    assert [each.iaa2 for each in found.per_rater] == pytest.approx(twos, abs=1e-6)
    values = (found.alpha.nominal, found.alpha.ordinal, found.alpha.interval)
    assert values == pytest.approx((0.404947, 0.636131, 0.698207), abs=1e-6)


def test_a_group_of_simverb(shared):
    found = published(shared, "ratings/simverb_group1_ratings.tsv", scale=(0, 6))
    ones = [0.534216, 0.631472, 0.620940, 0.605588, 0.389492, 0.643379, 0.543295, 0.659379, 0.518048]
    twos = [0.680762, 0.779094, 0.786841, 0.766339, 0.474669, 0.803141, 0.678622, 0.830405, 0.638269]
    assert [each.iaa1 for each in found.per_rater] == pytest.approx(ones, abs=1e-6)
    assert [each.iaa2 for each in found.per_rater] == pytest.approx(twos, abs=1e-6)
    assert found.before.iaa1 == pytest.approx(0.571757, abs=1e-6)
    assert found.before.iaa2 == pytest.approx(0.715349, abs=1e-6)


def test_ehr_rel_b_and_simverb_as_plainly_recomputed(shared):
    if shared is None:
        pytest.skip("the published ratings are not at hand")
    import polars as pl

    frame = pl.read_csv(shared / "data/similarity/EHR-RelB.tsv", separator="\t", quote_char=None)
    table = frame.select(f"rater_{letter}" for letter in "ABCDE").cast(pl.Float64).to_numpy()
    found = published(shared, "similarity/EHR-RelB.tsv", rule="none")
    assert (found.iaa1, found.iaa2) == pytest.approx(plain_agreement(table)[:2], abs=1e-12)
    assert found.groups == 1
    long = pl.read_csv(shared / "data/ratings/simverb_ratings_long.tsv", separator="\t")
    found = published(shared, "ratings/simverb_ratings_long.tsv", rule="none")
    assert found.groups == 70
    sets = long.group_by("rater").agg(pl.col("pair").sort()).sort("rater")
    rhos, twos = [], []
    for _pairs, raters in sets.group_by("pair").agg("rater").iter_rows():
        own = long.filter(pl.col("rater").is_in(raters)).pivot("rater", index="pair", values="rating").drop("pair")
        one, _, _, two, undefined = plain_agreement(own.to_numpy().astype(float))
        rhos += [one] * math.comb(len(raters), 2)
        twos += two
        assert undefined == 0
    assert found.iaa1 == pytest.approx(np.mean(rhos), abs=1e-12)
    assert found.iaa2 == pytest.approx(np.mean(twos), abs=1e-12)


def test_plans_from_a_few_raters_hold_for_many(shared):
    """The consistency pairs of SimVerb have 702 ratings each: enough to draw raters again and again."""
    if shared is None:
        pytest.skip("the published ratings are not at hand")
    import polars as pl

    long = pl.read_csv(shared / "data/ratings/simverb_ratings_long.tsv", separator="\t")
    common = long.filter(pl.col("rater").n_unique().over("pair") == 702)
    table = common.pivot("rater", index="pair", values="rating").drop("pair").to_numpy().astype(float)
    generator = np.random.default_rng(3)
    widths, planned = [], []
    for _ in range(20):
        few = table[:, generator.choice(702, 8, replace=False)]
        planned.append(of(few, rule="none", width=3.0, resamples=0).plan.raters_per_pair)
    count = int(np.median(planned))
    for row in table:
        means = row[generator.integers(0, 702, (4000, count))].mean(axis=1) * 10 / 6
        widths.append(np.quantile(means, 0.975) - np.quantile(means, 0.025))
    assert np.sqrt(np.mean(np.square(widths))) == pytest.approx(3.0, rel=0.12)
