"""Scoring a model: what is missing is scored, and a model of concepts by the ids that it knows."""

from __future__ import annotations

import numpy as np
import pytest

from termgauge.benchmark.human.sets import load_human
from termgauge.engine.evaluate import evaluate
from termgauge.engine.run_folder import RunFolder
from termgauge.exceptions import TermgaugeError
from termgauge.tasks.pairs.scored import best_concept_ids, score_model
from termgauge.tasks.records import SetRecord
from tests.engine.toy_models import ToyConcepts, ToyPairs, ToyTerms, ToyWords, binary_set, graded_set


@pytest.fixture
def scores(tmp_path):
    return RunFolder(tmp_path / "run").scored()


def kept(scores, model, pairs):
    return scores.stored_scores(model.name, model.identity.key, pairs.id, SetRecord.of(pairs))


def test_only_what_is_missing_is_scored(scores):
    model, sets = ToyWords(), [graded_set(), binary_set()]
    assert score_model(scores, model, sets[:1], ["avg_cos"]) == {}
    calls = model.calls
    score_model(scores, model, sets[:1], ["avg_cos"])
    assert model.calls == calls
    first = kept(scores, model, sets[0])
    score_model(scores, model, sets, ["avg_cos", "max_jaccard"])
    both = kept(scores, model, sets[0])
    assert list(both) == ["avg_cos", "max_jaccard"]
    assert np.array_equal(both["avg_cos"], first["avg_cos"], equal_nan=True)
    assert list(kept(scores, model, sets[1])) == ["avg_cos", "max_jaccard"]


@pytest.mark.parametrize(("overwrite", "again"), [("missing", False), ("never", False), ("always", True)])
def test_what_is_there_is_scored_again_if_asked_for(scores, overwrite, again):
    model, pairs = ToyPairs(scores=(1.0,) * 40), graded_set()
    scores.write_scores(model.name, model.identity.key, pairs, {"similarity": np.zeros(40)})
    score_model(scores, model, [pairs], [], overwrite=overwrite)
    assert (kept(scores, model, pairs)["similarity"][0] == 1.0) == again


def test_scores_of_another_model_or_set_are_made_anew(scores):
    model, pairs = ToyPairs(scores=(1.0,) * 40), graded_set()
    for key, other in (("another", pairs), (model.identity.key, graded_set(seed=9))):
        scores.write_scores(model.name, key, other, {"similarity": np.zeros(40)})
        score_model(scores, model, [pairs], [])
        assert kept(scores, model, pairs)["similarity"][0] == 1.0


def test_a_model_without_any_of_the_measures(scores):
    with pytest.raises(TermgaugeError, match=r"none of the measures that were named \(max_jaccard\)"):
        score_model(scores, ToyTerms(), [graded_set()], ["max_jaccard"])


def test_the_system_of_ids_that_a_concept_model_knows(tmp_path, shared):
    if shared is None:
        pytest.skip("needs a human-rated set with several systems of concept ids")
    folder = shared / "data" / "similarity"
    for system in ("umls", "mesh"):
        pairs = load_human("human/umnsrs-sim", data_dir=folder, concepts=system)
        ids = pairs.frame["concept_1"].drop_nulls().unique().sort().to_list()[:150]
        model = ToyConcepts(tuple(ids))
        found, named = best_concept_ids(model, load_human("human/umnsrs-sim", data_dir=folder), folder)
        assert named == system
        assert found.frame.equals(pairs.frame)
        run = evaluate(["human/umnsrs-sim"], [model], tmp_path / system, data_dir=folder, measures=["cos"])
        assert run.record().models["concepts"].concept_ids == {"human/umnsrs-sim": system}
        assert run.results().filter(statistic="coverage")["value"][0] > 0
    assert best_concept_ids(model, graded_set(), folder)[1] == ""
