"""Scores of a run: those of sets as its tables show them, and any value that another task found."""

from __future__ import annotations

import pytest

import termgauge as tg
from termgauge.exceptions import TermgaugeError
from termgauge.tasks import contract
from termgauge.tasks.prediction import scores as reading
from termgauge.tasks.prediction.scores import common, scores_of_run
from termgauge.tasks.prediction.task import PredictionOptions
from termgauge.tasks.results import Value
from tests.engine.toy_models import ToyTerms, ToyWords, binary_set, graded_set
from tests.tasks.prediction.made_scores import found_of

F = [Value(model, "f", value, item="AnatEM") for model, value in (("words", 0.8), ("encoder", 0.7), ("other", 0.6))]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return a run with scores on a rated and a labelled set."""
    folder = tmp_path_factory.mktemp("prediction")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TERMGAUGE_CACHE_DIR", str(folder / "cache"))
        return tg.evaluate([graded_set(), binary_set()], [ToyWords(), ToyTerms()], folder / "run")


@pytest.fixture
def read(run, monkeypatch):
    """Return a function that reads the run, in which other tasks found what is given."""
    plain = reading.load_results

    def with_results(*results, testing=None, **options):
        monkeypatch.setattr(reading, "load_results", lambda view: [*plain(view), *results])
        return scores_of_run(run.scored(), PredictionOptions.of(**options), testing or contract.Testing())

    return with_results


def stated(run, **wanted):
    rows = run.results().to_dicts()
    return [row["value"] for row in rows if all(row[name] == value for name, value in wanted.items())]


def test_sets_have_the_scores_that_the_tables_show(read, run):
    found = read(found_of("ner", "entities", *F))
    assert list(found.intrinsic) == ["toy/graded", "toy/binary"]
    for model, measure in (("words", "avg_cos"), ("encoder", "cos")):
        about = {"model": model, "measure": measure, "subset": "shared"}
        assert [found.intrinsic["toy/graded"][model]] == stated(run, set="toy/graded", statistic="spearman", **about)
        assert [found.intrinsic["toy/binary"][model]] == stated(run, set="toy/binary", statistic="auc", **about)
    assert found.extrinsic == {"AnatEM": {"words": 0.8, "encoder": 0.7, "other": 0.6}}
    assert found.models == ["words", "encoder", "other"]
    assert found.label == str(run.path)


def test_which_sets_measure_statistic_and_pairs(read, run):
    ner = found_of("ner", "entities", *F)
    testing = contract.Testing(measure="words=fuzzy_jaccard", statistic="auc")
    found = read(ner, testing=testing, pairs="own", intrinsic=["binary"])
    about = {"model": "words", "set": "toy/binary", "measure": "fuzzy_jaccard", "statistic": "auc", "subset": "own"}
    assert [found.intrinsic["toy/binary"]["words"]] == stated(run, **about)
    assert list(found.intrinsic) == ["toy/binary"]
    assert list(read(ner, intrinsic=["toy/g*"]).intrinsic) == ["toy/graded"]
    assert list(read(ner, intrinsic=["toy/*, toy/graded"]).intrinsic) == ["toy/graded", "toy/binary"]
    best = read(ner, testing=contract.Testing(measure="best")).intrinsic["toy/graded"]["words"]
    assert best == max(stated(run, model="words", set="toy/graded", statistic="spearman", subset="shared"))
    with pytest.raises(TermgaugeError, match=r"has no set 'toy/grade'; there are toy/graded, toy/binary\. Did"):
        read(ner, intrinsic=["toy/grade"])


def test_named_entities_are_predicted_unless_something_else_is_named(read):
    parts = [Value("words", "f", 0.5, item="AnatEM: organ"), Value("words", "precision", 0.9, item="AnatEM")]
    ner = found_of("ner", "entities", *F, *parts, Value("words", "f", 0.4, item="BC2GM"))
    other = found_of("coverage", "COPD", *(Value(each, "posdcg", 0.2, item="k = 5") for each in ("words", "encoder")))
    assert read(ner, other).extrinsic.keys() == {"AnatEM", "BC2GM"}, "not F of a type"
    assert read(ner, other, extrinsic=["AnatEM"]).extrinsic.keys() == {"AnatEM"}
    assert read(ner, other, extrinsic=["AnatEM: organ"]).extrinsic == {"AnatEM: organ": {"words": 0.5}}
    assert read(ner, other, extrinsic=["ner:precision"]).extrinsic.keys() == {"entities, AnatEM, precision"}
    both = read(ner, other, extrinsic=["coverage", "ner/entities"]).extrinsic
    assert both.keys() == {"COPD, k = 5, posdcg", "AnatEM", "BC2GM"}
    assert both["COPD, k = 5, posdcg"] == {"words": 0.2, "encoder": 0.2}


def test_titles_are_told_apart(read):
    tables = [found_of("ner", name, *F) for name in ("code", "paper")]
    assert read(*tables).extrinsic.keys() == {"code, AnatEM", "paper, AnatEM"}
    overlap = [Value(each, "overlap", 0.2, better="lower") for each in ("words", "encoder")]
    twice = [found_of(task, "organs", *overlap) for task in ("categories", "likewise")]
    named = read(*twice, extrinsic=["categories", "likewise"]).extrinsic
    title = "organs, overlap, lower is better"
    assert named.keys() == {f"categories: {title}", f"likewise: {title}"}


def test_what_cannot_be_predicted_is_said_with_what_there_is(read, run):
    several = [Value("words", statistic, 0.5) for statistic in ("cg", "posdcg")]
    covered = found_of("coverage", "COPD", *several)
    with pytest.raises(TermgaugeError, match=r"name one with --extrinsic: coverage:cg, coverage:posdcg\."):
        read(covered)
    with pytest.raises(TermgaugeError, match=r"does not say which task .* it has no result of another task"):
        read()
    with pytest.raises(TermgaugeError, match="has several scores; name one of coverage:cg or coverage:posdcg"):
        read(covered, extrinsic=["coverage"])
    for name in ("ner", "coverage:f", "coverage/heart:cg", "covrage:cg"):
        with pytest.raises(TermgaugeError, match=f"has no score of a task '{name}'; there are coverage:cg"):
            read(covered, extrinsic=[name])
    undefined = found_of("ner", "entities", Value("words", "f", None, item="x"), Value("words", "f", float("inf")))
    with pytest.raises(TermgaugeError, match="has no result of another task"):
        read(undefined)
    nothing = run.scored()
    object.__setattr__(nothing, "sets", {})
    with pytest.raises(TermgaugeError, match="has no scores on sets, so nothing could predict"):
        scores_of_run(nothing, PredictionOptions(), contract.Testing())


def test_models_with_both_are_in_order():
    assert common({"b": 1.0, "a": 2.0, "c": 3.0}, {"a": 1.0, "b": 2.0}, ["a", "b", "c", "d"]) == ["a", "b"]
