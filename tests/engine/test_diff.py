from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
import pytest

import termgauge as tg
from termgauge.benchmark.pairset import PairSet
from termgauge.engine.diff import diff, diff_document
from termgauge.engine.evaluate import evaluate
from termgauge.engine.run_folder import BenchmarkRecord
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.reporting.writers.html import html
from termgauge.reporting.writers.latex import write_latex
from termgauge.reporting.writers.markdown import markdown
from termgauge.statistics.compare import SetOutcomes, compare_set
from termgauge.statistics.inputs import adjusted
from termgauge.tasks.pairs.results import units_of
from termgauge.terminology.model import TerminologyIdentity
from tests.engine.toy_models import ToyPairs, ToyTerms, ToyWords, binary_set, graded_set

SETS = (graded_set(size=120), binary_set(size=120))


@dataclass
class Noisy:
    """A model whose scores follow the truth of each set, more or less."""

    name: str = "noisy"
    noise: float = 1.0
    seed: int = 0
    missing: int = 0
    claims: str = ""
    kind: str = "pairs"
    source: str = "toy"

    @property
    def identity(self):
        identity = ToyPairs().identity
        return replace(identity, source=self.claims or f"{self.noise} {self.seed} {self.missing}")

    def score(self, first, second, corpus=None):
        del second, corpus
        pairs = next(each for each in SETS if each.frame["term_1"].to_list() == list(first))
        truth = pairs.frame["score" if pairs.graded else "label"].cast(pl.Float64).to_numpy()
        scores = truth + np.random.default_rng(self.seed).normal(0, self.noise, len(truth))
        scores[: self.missing] = np.nan
        return scores


@pytest.fixture
def runs(tmp_path):
    def make(before, after, sets=SETS, later=None):
        one = evaluate(sets, before, tmp_path / "one")
        other = evaluate(later or sets, after, tmp_path / "two")
        return one, other

    return make


def test_nothing_changed(runs):
    one, other = runs([Noisy(), ToyWords()], [Noisy(), ToyWords()])
    found = diff(one, other)
    assert (found.tests, found.changed, found.settings) == (0, (), ())
    assert len(found.values) == 2 * 3
    assert all(value.identical for value in found.values)
    assert {change.state for change in (*found.models, *found.sets)} == {"same"}
    assert diff_document(found).summary == ("**No value changed**: all 6 that both runs have are the same.",)


def test_a_model_that_became_worse(runs):
    one, other = runs([Noisy(noise=0.3), ToyWords()], [Noisy(noise=30, seed=5), ToyWords()])
    found = diff(one, other)
    assert found.tests == 3
    assert {value.verdict for value in found.values if value.model == "noisy"} == {"worse"}
    assert len(found.worse) == 3
    assert not found.better
    assert all(value.identical for value in found.values if value.model == "words")
    assert [model.state for model in found.models] == ["changed", "same"]
    assert found.models[0].parts == ("source",)
    back = diff(other, one)
    assert len(back.better) == 3
    for value, reverse in zip(found.values, back.values, strict=True):
        assert value.difference == -reverse.difference
        assert value.p_value == pytest.approx(reverse.p_value, nan_ok=True)
    (first, *_) = diff_document(found).summary
    assert first.startswith("**3 of 6 values changed**, **3 of them significantly** (3 worse): noisy is worse on ")


@pytest.mark.parametrize("correction", ["bonferroni", "holm", "none"])
def test_it_is_the_paired_test_of_the_shared_pairs(runs, correction):
    one, other = runs([Noisy(noise=1, missing=20)], [Noisy(noise=2, seed=3, missing=7)])
    found = diff(one, other, correction=correction, alpha=0.1)
    assert [value.n for value in found.values] == [100, 100, 100]
    assert [value.coverage for value in found.values] == [(100 / 120, 113 / 120)] * 3
    level = 0.1 if correction == "none" else 0.1 / 3
    for value in found.values:
        pairs = next(each for each in SETS if each.id == value.set)
        truth = pairs.frame["score" if pairs.graded else "label"].cast(pl.Float64).to_numpy()[20:]
        scores = [run.scored().scores("noisy", pairs.id)["similarity"][20:] for run in (one, other)]
        units = units_of(pairs).chosen(np.arange(120) >= 20)
        outcomes = SetOutcomes("a set", value.statistic, units, truth, dict(zip("ab", scores, strict=True)))
        wanted = compare_set(outcomes, alpha=level, correction="none").between("b", "a")
        assert (value.difference, value.low, value.high) == pytest.approx((wanted.value, wanted.low, wanted.high))
        assert value.p_value == wanted.p_value
        if correction != "holm":
            assert value.significant == wanted.significant
    together = adjusted([value.p_value for value in found.values], correction)
    assert [value.adjusted_p for value in found.values] == pytest.approx(together.tolist())
    if correction == "holm":
        assert [value.significant for value in found.values] == (together < 0.1).tolist()


@pytest.mark.long
def test_false_claims_are_rare(tmp_path):
    """Two models of the same quality differ significantly in at most a share alpha of diffs."""
    claims = 0
    for seed in range(20):
        one, other = (
            evaluate(SETS, [Noisy(noise=1, seed=2 * seed + at)], tmp_path / f"{seed}-{at}") for at in range(2)
        )
        claims += any(value.significant for value in diff(one, other, alpha=0.05).values)
    assert claims <= 4


def test_sets_that_were_renamed_changed_or_are_gone(runs):
    graded, binary = SETS
    renamed = PairSet("elsewhere/graded", graded.frame)
    shorter = PairSet(binary.id, binary.frame.head(60))
    extra = binary_set("toy/extra", size=20, seed=9)
    one, other = runs([ToyTerms()], [ToyTerms(seed=2)], sets=[graded, binary], later=[renamed, shorter, extra])
    found = diff(one, other)
    states = {(each.name, each.other): (each.state, each.pairs) for each in found.sets}
    assert states == {
        ("toy/graded", "elsewhere/graded"): ("renamed", (120, 120)),
        ("toy/binary", "toy/binary"): ("changed", (120, 60)),
        ("", "toy/extra"): ("only in the second run", (20,)),
    }
    by_set = {value.set: value for value in found.values}
    assert by_set["toy/graded"].paired
    changed = by_set["toy/binary"]
    assert (changed.paired, changed.verdict, changed.n) == (False, "other pairs", 60)
    assert np.isnan(changed.p_value)
    own = other.results().filter((pl.col("set") == "toy/binary") & (pl.col("subset") == "own"))
    assert (
        changed.after
        == own.filter((pl.col("statistic") == changed.statistic) & (pl.col("measure") == "cos"))["value"][0]
    )
    assert found.tests == 1
    text = " ".join(diff_document(found).summary)
    assert "on sets whose pairs changed" in text
    assert "1 set is another than before." in text
    assert "1 set is only in the second run." in text


def test_models_by_name_by_identity_and_as_told(runs):
    one, other = runs([ToyTerms("a"), ToyTerms("b", seed=2)], [ToyTerms("b", seed=5), ToyTerms("c")])
    found = diff(one, other)
    assert [(each.name, each.other, each.state) for each in found.models] == [
        ("a", "c", "renamed"),
        ("b", "b", "changed"),
    ]
    found = diff(one, other, models={"a": "b"})
    assert [(each.name, each.other, each.state) for each in found.models] == [
        ("a", "b", "changed"),
        ("b", "", "only in the first run"),
        ("", "c", "only in the second run"),
    ]
    for named in ({"x": "b"}, {"a": "bb"}):
        with pytest.raises(TermgaugeError, match="has no model"):
            diff(one, other, models=named)


def test_other_scores_of_the_same_model_are_an_alarm(runs):
    one, other = runs([Noisy(claims="same")], [Noisy(seed=1, claims="same")])
    found = diff(one, other)
    assert found.models[0].state == "same"
    assert set(found.models[0].rescored) == {"toy/graded", "toy/binary"}
    assert "though its identity is the same" in " ".join(diff_document(found).summary)


def test_measures(runs):
    one, other = runs([ToyWords("m")], [ToyTerms("m")])
    assert {value.measure for value in diff(one, other).values} == {"avg_cos → cos"}
    assert {value.measure for value in diff(one, other, measure="kendall").values} == {"avg_kendall → kendall"}
    assert {value.measure for value in diff(one, other, measure="fuzzy_jaccard").values} == {"fuzzy_jaccard → cos"}


def test_where_and_when_a_run_was_made_is_no_setting(runs):
    one, other = runs([ToyTerms()], [ToyTerms()])
    for run, name in ((one, "a"), (other, "b")):
        benchmark = BenchmarkRecord(folder=f"{name}/benchmarks/hpo", seed=42 if name == "a" else 43)
        more = {"command": f"termgauge run {name}.toml", "timings": {"Values": 1.5}, "benchmarks": {"hpo": benchmark}}
        run.write(run.record().model_copy(update=more))
    assert [change.name for change in diff(one, other).settings] == ["benchmarks.hpo.seed"]


def test_settings_and_versions(runs):
    one, other = runs([ToyTerms()], [ToyTerms()])
    record = other.record()
    changed = {
        "libraries": {**record.libraries, "numpy": "0.1"},
        "terminologies": {"HPO": TerminologyIdentity("obo", "hp", "2025", "")},
        "seed": 7,
        "timings": {"build": 3.0},
        "measures": ["cos"],
    }
    other.write(record.model_copy(update=changed))
    found = {change.name: (change.before, change.after) for change in diff(one, other).settings}
    assert found == {
        "libraries.numpy": (one.record().libraries["numpy"], "0.1"),
        "terminologies.HPO.format": (None, "obo"),
        "terminologies.HPO.edition": (None, "hp"),
        "terminologies.HPO.version": (None, "2025"),
        "terminologies.HPO.sha256": (None, ""),
        "seed": ("42", "7"),
        "measures": (None, "cos"),
    }


def test_scores_that_one_run_lacks(runs):
    one, other = runs([ToyTerms(), ToyWords()], [ToyTerms(), ToyWords()])
    other.scored().scores_file("encoder", "toy/binary").unlink()
    found = diff(one, other)
    assert found.missing == (("encoder", "toy/binary", "only in the first run"),)
    assert "missing" in {table.id for table in diff_document(found).tables()}
    other.scored().scores_file("words", "toy/binary").write_bytes(b"x")
    with pytest.warns(TermgaugeWarning, match="Left out of the diff"):
        diff(one, other)


def test_what_cannot_be_compared(runs, tmp_path):
    one, other = runs([ToyTerms("a")], [ToyTerms("b", seed=7)])
    with pytest.raises(TermgaugeError, match="no model with values of the same thing"):
        diff(one, other)
    with pytest.raises(TermgaugeError, match="is no run folder"):
        diff(one, tmp_path / "nowhere")
    with pytest.raises(TermgaugeError, match="Did you mean 'holm'"):
        diff(one, other, correction="holmes")
    with pytest.raises(TermgaugeError, match="Did you mean 'usual'"):
        diff(one, other, measure="usul")


def test_undefined_values_do_not_stop_it(runs):
    one, other = runs([Noisy()], [ToyPairs("noisy", (1.0,) * 120)])
    found = diff(one, other)
    graded = next(value for value in found.values if value.statistic == "spearman")
    assert np.isnan(graded.after)
    assert graded.verdict == "not tested"
    assert found.tests == 2
    json.dumps(found.as_dict(), allow_nan=False)
    assert "NaN" not in markdown(diff_document(found))


def test_documents_of_it(runs, tmp_path):
    one, other = runs([Noisy(noise=0.3), ToyWords()], [Noisy(noise=30, seed=5, missing=3), ToyWords()])
    document = diff_document(diff(one, other))
    tables = {table.id: table for table in document.tables()}
    assert [row[-1].text for row in tables["changed-values"].rows] == ["worse"] * 3
    assert len(tables["all-values"].rows) == 6
    assert len(tables["coverage-changes"].rows) == 2
    assert "What changed" in html(document)
    assert (write_latex(document, tmp_path)[0]).is_file()
    assert tg.diff is diff
