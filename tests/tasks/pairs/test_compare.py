"""Which differences of a run are real, found out once and kept."""

from __future__ import annotations

import json
import stat
from dataclasses import asdict

import numpy as np
import polars as pl
import pytest

from termgauge.benchmark.pairset import PairSet
from termgauge.engine.evaluate import compare, evaluate
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.statistics.compare import compare_outcomes
from termgauge.tasks import contract
from termgauge.tasks.pairs import compare as module
from termgauge.tasks.pairs.compare import FOLDER, run_comparison
from tests.engine.toy_models import ToyConcepts, ToyPairs, ToyTerms, ToyWords, binary_set, graded_set


def made_up(truth, noise, seed):
    return tuple((truth + np.random.default_rng(seed).normal(0, noise, len(truth))).tolist())


def compared(tmp_path, pairs, models, **options):
    evaluate([pairs], models, tmp_path / "run")
    return compare(tmp_path / "run", **options)


def test_a_real_difference_is_found_on_graded_and_binary_sets(tmp_path):
    graded, binary = graded_set(size=120), binary_set(size=120)
    for pairs, ratings in ((graded, graded.frame["score"]), (binary, binary.frame["label"])):
        truth = ratings.cast(pl.Float64).to_numpy()
        models = [ToyPairs("poor", made_up(truth, 30, 1)), ToyPairs("good", made_up(truth, 0.3, 2))]
        found = compared(tmp_path / pairs.id, pairs, models)
        (one,) = found.models
        assert one.comparison.counts == {"poor": (0, 1), "good": (1, 0)}
        assert one.comparison.ranking == ("good", "poor")
        assert one.comparison.statistic == ("spearman" if pairs.graded else "auc")
        assert 0 < one.comparison.detectable < 1
        assert found.main.verdict.startswith("good is best")
        assert found.measures == ()


def test_it_is_the_comparison_of_the_shared_pairs(tmp_path):
    pairs = graded_set(size=60)
    gaps = np.array(made_up(np.arange(60.0), 5, 1))
    gaps[::7] = np.nan
    models = [ToyPairs("a", tuple(gaps)), ToyWords(words=ToyWords().words[:-2]), ToyTerms()]
    run = evaluate([pairs], models, tmp_path / "run", min_coverage=0.2)
    (found,) = compare(run, alpha=0.1).models  # with the least coverage of the run
    assert found.measures == {"a": "similarity", "words": "avg_cos", "encoder": "cos"}
    scores = np.array([run.scored().scores(name, pairs.id)[measure] for name, measure in found.measures.items()])
    usable = ~np.isnan(scores).any(axis=0)
    assert 10 < usable.sum() < 60
    rows = np.flatnonzero(usable)
    items = {"set": ["s"] * len(rows), "item": rows, "truth": pairs.frame["score"].to_numpy()[usable]}
    items |= {f"unit_{at}": pairs.frame[f"term_{at}"].to_numpy()[usable] for at in (1, 2)}
    values = {"set": ["s"] * len(rows), "item": rows}
    values |= dict(zip(found.measures, scores[:, usable], strict=True))
    wanted = compare_outcomes(items, values, statistic="spearman", alpha=0.1).sets[0]
    assert [each.value for each in found.comparison.differences] == [each.value for each in wanted.differences]
    for one, other in zip(found.comparison.differences, wanted.differences, strict=True):
        assert (one.low, one.high, one.adjusted_p) == pytest.approx((other.low, other.high, other.adjusted_p))
    assert found.comparison.n == usable.sum()


def test_measures_of_each_model(tmp_path):
    evaluate([graded_set()], [ToyWords(), ToyPairs()], tmp_path / "run")
    (of_words,) = compare(tmp_path / "run").measures
    about = of_words.comparison
    assert (of_words.model, len(about.by_model), len(about.differences)) == ("words", 10, 45)
    assert compare(tmp_path / "run", between_measures=False).measures == ()


def test_the_measure_that_stands_for_a_model(tmp_path):
    evaluate([graded_set(), binary_set()], [ToyWords(), ToyTerms(), ToyPairs()], tmp_path / "run")
    options = {"between_measures": False}
    named = compare(tmp_path / "run", measure="kendall", **options).models[0].measures
    assert named == {"words": "avg_kendall", "encoder": "kendall", "own": "similarity"}
    lacking = compare(tmp_path / "run", measure="max_jaccard", **options).models[0].measures
    assert lacking == {"words": "max_jaccard", "encoder": "cos", "own": "similarity"}
    by_kind = {"words": "fuzzy_jaccard", "terms": "kendall"}
    for given in (by_kind, [f"{kind}={name}" for kind, name in by_kind.items()], "terms=kendall,words=fuzzy_jaccard"):
        both = compare(tmp_path / "run", measure=given, **options).models[0].measures
        assert both == {"words": "fuzzy_jaccard", "encoder": "kendall", "own": "similarity"}
    some = compare(tmp_path / "run", measure={"terms": "pearson"}, **options).models[0].measures
    assert some == {"words": "avg_cos", "encoder": "pearson", "own": "similarity"}
    for wrong, message in (
        ({"trems": "cos"}, "no kind of model 'trems'.* Did you mean 'terms'"),
        ({"terms": "fuzzy_jaccard"}, "compares vectors of words, not of terms"),
        ({"terms": "kendal"}, "Did you mean 'kendall'"),
    ):
        with pytest.raises(TermgaugeError, match=message):
            compare(tmp_path / "run", measure=wrong, **options)
    for statistic in ("accuracy", "auc"):
        for each in compare(tmp_path / "run", measure="best", statistic=statistic, **options).models:
            assert each.comparison.differences == ()  # a measure that is chosen on these pairs proves nothing
            for one in compare(tmp_path / "run", sets=[each.set], statistic=statistic).measures:
                best = max(value.value for value in one.comparison.by_model.values())
                assert each.comparison.by_model[one.model].value == pytest.approx(best)
    assert compare(tmp_path / "run", measure="best", **options).main is None


def test_a_value_has_one_interval_wherever_it_stands(tmp_path):
    sets = [graded_set(size=250), binary_set(size=90)]
    truth = sets[0].frame["score"].to_numpy()
    others = [ToyPairs(f"m{at}", made_up(truth, at, at)) for at in range(1, 5)]
    for pairs, models in ((sets[0], others), (sets[1], [])):
        run = evaluate([pairs], [ToyWords(), ToyTerms(), *models], tmp_path / str(pairs.graded))
        found = compare(run)
        seen = {}
        for each in found.models:
            for name, value in each.comparison.by_model.items():
                key = each.set, name, each.measures[name]
                seen.setdefault(key, set()).add((value.value, value.low, value.high))
        for one in found.measures:
            for name, value in one.comparison.by_model.items():
                seen.setdefault((one.set, one.model, name), set()).add((value.value, value.low, value.high))
        statistic = "spearman" if pairs.graded else "auc"
        for row in run.results().filter(statistic=statistic, subset="shared").iter_rows(named=True):
            key = row["set"], row["model"], row["measure"]
            if row["value"] is not None:
                seen.setdefault(key, set()).add((row["value"], row["low"], row["high"]))
        assert len(seen) > 10
        assert {key: values for key, values in seen.items() if len(values) > 1} == {}


def test_what_guessing_gives_is_that_of_the_pairs_compared(tmp_path):
    pairs = binary_set(size=90)
    frame = pairs.frame.with_columns(
        label=pl.Series([int(at % 3 == 0) for at in range(90)], dtype=pairs.frame["label"].dtype)
    )
    scores = np.arange(90.0)
    scores[:30:3] = np.nan  # ten of the thirty positives
    models = [ToyPairs("a", tuple(scores)), ToyPairs("b", tuple(np.arange(90.0)))]
    (found,) = compared(tmp_path, PairSet("ours", frame), models).models
    assert found.guessing == pytest.approx(60 / 80)
    assert compare(tmp_path / "run").as_dict()["models"]["ours"]["guessing"] == pytest.approx(0.75)
    (rated,) = compared(tmp_path / "rated", graded_set(), [ToyPairs(), ToyTerms()]).models
    assert rated.guessing is None


def test_identical_constant_and_lone_models(tmp_path):
    truth = graded_set().frame["score"].to_numpy()
    scores = made_up(truth, 1, 0)
    for make in (graded_set, binary_set):
        models = [ToyPairs("a", scores), ToyPairs("b", scores), ToyPairs("flat", (0.5,) * 40)]
        (found,) = compared(tmp_path / make.__name__, make(), models).models
        assert not found.comparison.between("a", "b").significant
        one, other = (found.comparison.by_model[name] for name in "ab")
        assert (one.value, one.low, one.high) == (other.value, other.low, other.high)
    (alone,) = compared(tmp_path / "alone", graded_set(), [ToyPairs("a", scores)]).models
    assert (alone.comparison.differences, alone.comparison.counts) == ((), {"a": (0, 0)})
    assert np.isnan(alone.comparison.detectable)
    (flat,) = compared(tmp_path / "flat", graded_set(), [ToyPairs("a", scores), ToyPairs("b", (1.0,) * 40)]).models
    assert np.isnan(flat.comparison.detectable)
    assert [each.model for each in flat.comparison.undefined] == ["b"]


def test_what_cannot_be_compared_is_left_out(tmp_path):
    frame = binary_set().frame.with_columns(label=pl.lit(0))
    hopeless = PairSet("toy/negatives", frame)
    evaluate([graded_set(), hopeless], [ToyPairs(), ToyWords()], tmp_path / "run")
    with pytest.warns(TermgaugeWarning, match="toy/negatives: cannot be compared.*different labels"):
        found = compare(tmp_path / "run")
    assert [each.set for each in found.models] == ["toy/graded"]
    with (
        pytest.warns(TermgaugeWarning, match="cannot be compared"),
        pytest.raises(TermgaugeError, match="no set on which its models can be compared"),
    ):
        compare(tmp_path / "run", sets=["toy/negatives"])
    with pytest.warns(TermgaugeWarning, match="score less than 50 % of its pairs"):
        evaluate([graded_set()], [ToyConcepts(("C1",)), ToyPairs(), ToyWords()], tmp_path / "lost")
    lost = compare(tmp_path / "lost")
    assert list(lost.models[0].comparison.by_model) == ["own", "words"]
    assert "concepts scores" in lost.main.verdict
    one = PairSet("toy/one", graded_set().frame.head(1))
    evaluate([one], [ToyPairs(), ToyWords()], tmp_path / "one")
    with pytest.warns(TermgaugeWarning, match="only one pair"), pytest.raises(TermgaugeError, match="no set on which"):
        compare(tmp_path / "one")


def test_scores_of_another_version_are_not_compared(tmp_path):
    run = evaluate([graded_set(), binary_set()], [ToyWords(), ToyPairs()], tmp_path / "run")
    with pytest.warns(TermgaugeWarning, match="another version"):
        evaluate([graded_set()], [ToyWords(seed=8)], tmp_path / "run")
    with pytest.warns(TermgaugeWarning, match="another version of the model 'words'"):
        assert [each.set for each in compare(run).models] == ["toy/graded"]
    assert compare(run, sets=["toy/graded"]).models
    binary_set(seed=77).write_parquet(next((run.path / "sets").glob("*graded*")))
    with pytest.raises(TermgaugeError, match=r"is not the set that run\.json names"):
        compare(run, sets=["toy/graded"])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"alpha": 0}, "'alpha' must be greater than 0, not 0"),
        ({"correction": "bonferoni"}, "Did you mean 'bonferroni'"),
        ({"measure": "avg_cosin"}, "Did you mean 'avg_cos'"),
        ({"statistic": "acuracy"}, "Did you mean 'accuracy'"),
        ({"sets": ["toy/grded"]}, "has no set 'toy/grded'.*Did you mean 'toy/graded'"),
    ],
)
def test_bad_input(tmp_path, options, sentence):
    evaluate([graded_set()], [ToyPairs()], tmp_path / "run")
    with pytest.raises(TermgaugeError, match=sentence):
        compare(tmp_path / "run", **options)


def stored(run, **options):
    return run_comparison(run.scored(contract.Testing.of(**options)))


@pytest.fixture
def run(tmp_path):
    models = [ToyWords(), ToyTerms(), ToyPairs(), ToyPairs("flat", tuple([1.0] * 60))]
    return evaluate(
        [graded_set(size=60), binary_set(size=60)], models, tmp_path / "run", measures=["avg_cos", "max_jaccard"]
    )


@pytest.mark.parametrize("options", [{}, {"alpha": 0.2, "correction": "bonferroni", "statistic": "accuracy"}])
def test_what_is_read_is_what_was_computed(run, options, monkeypatch):
    first = stored(run, **options)
    assert first.problems == {}
    assert repr(asdict(first)) == repr(asdict(compare(run, **options)))
    monkeypatch.setattr(module, "compare_sets", None)  # from here on it can only be read
    assert repr(asdict(stored(run, **options))) == repr(asdict(first))


def test_other_options_add_a_comparison_and_overwrite_none(run):
    stored(run)
    (kept,) = (run.path / FOLDER).iterdir()
    before = kept.read_bytes()
    other = compare(run, alpha=0.01)
    assert other.whole.alpha == 0.01
    assert len(list((run.path / FOLDER).iterdir())) == 2
    assert kept.read_bytes() == before
    evaluate([binary_set(size=60)], [ToyPairs("new", tuple(np.arange(60.0)))], run.path)
    assert "new" in stored(run).models[1].comparison.by_model
    assert kept.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"key": 1}', b"\xff\xfe"])
def test_damaged_files_are_computed_again(run, content):
    first = stored(run)
    for path in (run.path / FOLDER).iterdir():
        path.write_bytes(content)
    assert repr(asdict(stored(run))) == repr(asdict(first))


def test_an_altered_record_is_computed_again(run):
    first = stored(run)
    for path in (run.path / FOLDER).iterdir():
        record = json.loads(path.read_bytes())
        record["whole"]["sets"][0]["estimates"][0]["value"] = 0.123
        path.write_text(json.dumps(record))
    assert repr(asdict(stored(run))) == repr(asdict(first))


def test_a_folder_that_cannot_be_written(run):
    run.path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        found = stored(run)
    finally:
        run.path.chmod(stat.S_IRWXU)
    assert len(found.models) == 2
    assert found.problems == {}


def test_sets_that_cannot_be_compared_have_a_reason(run):
    for path in (run.path / "scores" / "words").glob("*graded*"):
        path.write_bytes(b"not parquet")
    found = stored(run)
    assert [each.set for each in found.models] == ["toy/binary"]
    assert "is no readable Parquet file" in found.problems["toy/graded"]


def test_an_unknown_measure_is_refused(run):
    with pytest.raises(TermgaugeError, match="Did you mean 'avg_cos'"):
        stored(run, measure="avg_coz")
