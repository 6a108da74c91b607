"""Which differences of a run are real, found out once and kept."""

from __future__ import annotations

import json
import stat

import numpy as np
import polars as pl
import pytest

from termgauge.benchmark.pairset import PairSet
from termgauge.engine.evaluate import compare, evaluate
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.statistics.significance import compare_systems
from termgauge.tasks import contract
from termgauge.tasks.pairs import compare as module
from termgauge.tasks.pairs.compare import FOLDER, stored_comparison
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
        assert one.comparison.wins == (0, 1)
        assert one.comparison.losses == (1, 0)
        assert one.comparison.ranking == (1, 0)
        assert one.comparison.statistic == ("spearman" if pairs.graded else "accuracy")
        assert 0 < one.detectable.difference < 1
        assert found.measures == ()


def test_it_is_the_comparison_of_the_shared_pairs(tmp_path):
    pairs = graded_set(size=60)
    gaps = np.array(made_up(np.arange(60.0), 5, 1))
    gaps[::7] = np.nan
    models = [ToyPairs("a", tuple(gaps)), ToyWords(words=ToyWords().words[:-2]), ToyTerms()]
    run = evaluate([pairs], models, tmp_path / "run", min_coverage=0.2)
    (found,) = compare(run, power=False, correction="holm", alpha=0.1).models  # with the least coverage of the run
    assert found.measures == {"a": "similarity", "words": "avg_cos", "encoder": "cos"}
    scores = np.array([run.scored().scores(name, pairs.id)[measure] for name, measure in found.measures.items()])
    usable = ~np.isnan(scores).any(axis=0)
    assert 10 < usable.sum() < 60
    wanted = compare_systems(
        list(found.measures),
        scores[:, usable],
        pairs.frame["score"].to_numpy()[usable],
        statistic="spearman",
        correction="holm",
        alpha=0.1,
    )
    assert np.array_equal(found.comparison.p_values, wanted.p_values, equal_nan=True)
    assert found.comparison.n == usable.sum()
    assert found.detectable is None


def test_measures_of_each_model(tmp_path):
    evaluate([graded_set()], [ToyWords(), ToyPairs()], tmp_path / "run")
    found = compare(tmp_path / "run", power=False)
    (of_words,) = found.measures
    assert (of_words.model, len(of_words.comparison.names), of_words.comparison.comparisons) == ("words", 10, 45)
    assert compare(tmp_path / "run", power=False, between_measures=False).measures == ()


def test_the_measure_that_stands_for_a_model(tmp_path):
    evaluate([graded_set(), binary_set()], [ToyWords(), ToyTerms(), ToyPairs()], tmp_path / "run")
    options = {"power": False, "between_measures": False}
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
            every = compare(tmp_path / "run", sets=[each.set], power=False, statistic=statistic).measures
            for one in every:
                best = max(value.value for value in one.comparison.values)
                place = each.comparison.names.index(one.model)
                assert each.comparison.values[place].value == pytest.approx(best)


def test_a_value_has_one_interval_wherever_it_stands(tmp_path):
    sets = [graded_set(size=250), binary_set(size=90)]
    truth = sets[0].frame["score"].to_numpy()
    others = [ToyPairs(f"m{at}", made_up(truth, at, at)) for at in range(1, 5)]
    for pairs, models in ((sets[0], others), (sets[1], [])):
        run = evaluate([pairs], [ToyWords(), ToyTerms(), *models], tmp_path / str(pairs.graded))
        found = compare(run, power=False)
        seen = {}
        for each in found.models:
            for name, value in zip(each.comparison.names, each.comparison.values, strict=True):
                seen.setdefault((each.set, name, each.measures[name]), set()).add(tuple(value))
        for one in found.measures:
            for name, value in zip(one.comparison.names, one.comparison.values, strict=True):
                seen.setdefault((one.set, one.model, name), set()).add(tuple(value))
        statistic = "spearman" if pairs.graded else "accuracy"
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
        assert not found.comparison.significant[0, 1]
        assert found.comparison.values[0] == found.comparison.values[1]
    (alone,) = compared(tmp_path / "alone", graded_set(), [ToyPairs("a", scores)]).models
    assert (alone.comparison.comparisons, alone.comparison.wins, alone.detectable) == (0, (0,), None)
    (flat,) = compared(tmp_path / "flat", graded_set(), [ToyPairs("a", scores), ToyPairs("b", (1.0,) * 40)]).models
    assert flat.detectable is None
    assert flat.comparison.undefined == ("b",)


def test_what_cannot_be_compared_is_left_out(tmp_path):
    frame = binary_set().frame.with_columns(label=pl.lit(0))
    hopeless = PairSet("toy/negatives", frame)
    evaluate([graded_set(), hopeless], [ToyPairs(), ToyWords()], tmp_path / "run")
    with pytest.warns(TermgaugeWarning, match="toy/negatives: cannot be compared.*different labels"):
        found = compare(tmp_path / "run", power=False)
    assert [each.set for each in found.models] == ["toy/graded"]
    with (
        pytest.warns(TermgaugeWarning, match="cannot be compared"),
        pytest.raises(TermgaugeError, match="no set on which its models can be compared"),
    ):
        compare(tmp_path / "run", sets=["toy/negatives"])
    with pytest.warns(TermgaugeWarning, match="score less than 50 % of its pairs"):
        evaluate([graded_set()], [ToyConcepts(("C1",)), ToyPairs(), ToyWords()], tmp_path / "lost")
    with pytest.warns(
        TermgaugeWarning, match="left out of the comparison, since they score less than 50 % of the pairs: concepts"
    ):
        (found,) = compare(tmp_path / "lost", power=False).models
    assert found.comparison.names == ("own", "words")
    one = PairSet("toy/one", graded_set().frame.head(1))
    evaluate([one], [ToyPairs(), ToyWords()], tmp_path / "one")
    with pytest.warns(TermgaugeWarning), pytest.raises(TermgaugeError, match="no set on which"):
        compare(tmp_path / "one")


def test_scores_of_another_version_are_not_compared(tmp_path):
    run = evaluate([graded_set(), binary_set()], [ToyWords(), ToyPairs()], tmp_path / "run")
    with pytest.warns(TermgaugeWarning, match="another version"):
        evaluate([graded_set()], [ToyWords(seed=8)], tmp_path / "run")
    with pytest.raises(TermgaugeError, match="another version of the model 'words'"):
        compare(run)
    assert compare(run, sets=["toy/graded"], power=False).models
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


FIELDS = ("statistic", "test", "names", "n", "alpha", "correction", "comparisons", "level", "resamples")
MATRICES = ("differences", "lows", "highs", "p_values", "adjusted_p", "significant")


def stored(run, **options):
    return stored_comparison(run.scored(contract.Testing.of(**options)))


@pytest.fixture
def run(tmp_path):
    models = [ToyWords(), ToyTerms(), ToyPairs(), ToyPairs("flat", tuple([1.0] * 60))]
    return evaluate(
        [graded_set(size=60), binary_set(size=60)], models, tmp_path / "run", measures=["avg_cos", "max_jaccard"]
    )


def same(one, other):
    assert [each.set for each in one.models] == [each.set for each in other.models]
    assert [(each.set, each.model) for each in one.measures] == [(each.set, each.model) for each in other.measures]
    for left, right in zip(one.models, other.models, strict=True):
        assert left.measures == right.measures
        assert left.detectable == right.detectable
    for left, right in zip((*one.models, *one.measures), (*other.models, *other.measures), strict=True):
        for name in FIELDS:
            assert getattr(left.comparison, name) == getattr(right.comparison, name)
        assert np.array_equal(left.comparison.values, right.comparison.values, equal_nan=True)
        for name in MATRICES:
            here, there = getattr(left.comparison, name), getattr(right.comparison, name)
            assert here.dtype == there.dtype
            assert np.array_equal(here, there, equal_nan=here.dtype != bool)


@pytest.mark.parametrize("options", [{}, {"alpha": 0.2, "correction": "holm", "statistic": "auc", "measure": "best"}])
def test_what_is_read_is_what_was_computed(run, options, monkeypatch):
    first, problems = stored(run, **options)
    assert problems == {}
    same(first, compare(run, **options))
    monkeypatch.setattr(module, "compare_set", None)  # from here on it can only be read
    again, _ = stored(run, **options)
    same(again, first)


def test_other_options_and_other_values_are_computed(run, monkeypatch):
    stored(run)
    calls = []
    real = module.compare_set
    monkeypatch.setattr(module, "compare_set", lambda *a, **k: calls.append(a[1]) or real(*a, **k))
    stored(run, alpha=0.1)
    assert len(calls) == 2
    evaluate([binary_set(size=60)], [ToyPairs("new", tuple(np.arange(60.0)))], run.path)
    calls.clear()
    found, _ = stored(run, alpha=0.1)
    assert calls == ["toy/binary"]  # the other set has no new scores
    assert "new" in found.models[1].comparison.names


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"key": 1}', b"\xff\xfe"])
def test_damaged_files_are_computed_again(run, content):
    first, _ = stored(run)
    for path in (run.path / FOLDER).iterdir():
        path.write_bytes(content)
    again, problems = stored(run)
    assert problems == {}
    same(again, first)


def test_a_truncated_record_is_computed_again(run):
    first, _ = stored(run)
    for path in (run.path / FOLDER).iterdir():
        record = json.loads(path.read_bytes())
        del record["kept"][1][0]["comparison"]["values"][1:]
        path.write_text(json.dumps(record))
    again, _ = stored(run)
    same(again, first)


def test_a_folder_that_cannot_be_written(run):
    run.path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        found, problems = stored(run)
    finally:
        run.path.chmod(stat.S_IRWXU)
    assert len(found.models) == 2
    assert problems == {}


def test_sets_that_cannot_be_compared_have_a_reason(run):
    for path in (run.path / "scores" / "words").glob("*graded*"):
        path.write_bytes(b"not parquet")
    found, problems = stored(run)
    assert [each.set for each in found.models] == ["toy/binary"]
    assert "is no readable Parquet file" in problems["toy/graded"]


def test_an_unknown_measure_is_refused(run):
    with pytest.raises(TermgaugeError, match="Did you mean 'avg_cos'"):
        stored(run, measure="avg_coz")
