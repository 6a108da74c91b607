"""The tables of an experiment: what they ask for, and where the things are that they name."""

from __future__ import annotations

import datetime as dt

import pytest
from pydantic import ValidationError

from termgauge.engine.tables import (
    LONGEST_NAME,
    BenchmarkTable,
    ModelTable,
    experiment_model,
    is_single,
    tables,
)
from termgauge.tasks.records import ModelDescription
from termgauge.tasks.registry import all_tasks, task_of

HPO = {"name": "hpo", "source": "hp.obo"}
DOMAIN = {"name": "heart", "branches": ["X:0"]}


def experiment(**more):
    return experiment_model().model_validate({"model": [{"spec": "baseline:random"}], **more})


def asked(**more):
    return [(each.task.name, each.name) for each in experiment(**more).task_configs()]


def test_there_is_a_table_for_each_task():
    assert {task.table_name for task in all_tasks().values()} <= set(tables())
    assert set(tables()) <= set(experiment_model().model_fields)
    for task in all_tasks().values():
        assert is_single(task.table_name) != task.repeated
        own = set(tables()[task.table_name].model_fields)
        assert {"name", "terminology"} <= own if task.repeated else not {"name", "terminology"} & own


def test_what_is_asked_for_task_by_task():
    every = asked(terminology=[HPO], benchmark=[{"terminology": "hpo"}], coverage=[DOMAIN])
    assert every == [("pairs", "pairs"), ("vocabulary", "vocabulary"), ("coverage", "heart"), ("analogies", "heart")]
    assert ("pairs", "pairs") not in asked(terminology=[HPO], coverage=[DOMAIN]), "there are no sets"


def test_a_table_of_its_own_wins_over_one_that_comes_along():
    table = {"name": "heart", "branches": ["X:1"], "relations": ["part_of"]}
    (alone,) = [
        each
        for each in experiment(terminology=[HPO], coverage=[DOMAIN], analogies=[table]).task_configs()
        if each.task.name == "analogies"
    ]
    assert (alone.options.branches, alone.options.relations) == (["X:1"], ["part_of"])
    assert ("analogies", "heart") not in asked(coverage=[{**DOMAIN, "analogies": False}])


def test_options_that_a_table_does_not_set_stay_unsaid():
    table = experiment(coverage=[DOMAIN]).coverage[0]
    assert table.part(task_of("coverage").options).model_fields_set == {"branches"}


def test_a_benchmark_is_built_as_it_says_or_as_the_experiment_does():
    table = BenchmarkTable(terminology="hpo", split_distance=3)
    assert table.building(7, None).model_dump(include={"seed", "language", "split_distance"}) == {
        "seed": 7,
        "language": "en",
        "split_distance": 3,
    }
    assert BenchmarkTable(terminology="hpo", seed=1, language="de").building(7, "fr").seed == 1
    assert BenchmarkTable(terminology="hpo").building(7, "fr").language == "fr"
    assert BenchmarkTable(folder="a/built").title == "built"


def test_names_are_fit_for_folders():
    for name in ("", " x", "a/b", "a\\b", "a\0", "x" * (LONGEST_NAME + 1)):
        with pytest.raises(ValidationError, match="must be a name of 1 to 80 characters"):
            ModelTable(name=name, spec="x")
    assert ModelTable(spec="word2vec:x/PubMed.bin").title == "PubMed"
    assert ModelTable(name="mine", spec="x").title == "mine"


def test_what_is_said_about_a_model_may_be_a_number_or_a_date():
    table = ModelTable(spec="x", date=2013, corpus="PubMed", tokens="2.9B", medical=True)
    assert table.description == ModelDescription(date="2013", corpus="PubMed", tokens="2.9B", medical=True)
    assert ModelTable(spec="x", date=dt.date(2019, 1, 31)).description.date == "2019-01-31"
    with pytest.raises(ValidationError, match="valid string"):
        ModelTable(spec="x", corpus=3)


def test_a_measure_for_each_kind_of_model():
    for given in ({"words": "fuzzy_jaccard", "terms": "kendall"}, "words=fuzzy_jaccard, terms=kendall"):
        assert experiment(human={}, significance={"measure": given}).testing.measure == (
            "words=fuzzy_jaccard, terms=kendall"
        )
    assert experiment(human={}).testing.measure == "usual"


def test_the_seed_is_that_of_the_experiment():
    testing = experiment(seed=5, human={}, significance={"alpha": 0.1}).testing
    assert (testing.seed, testing.alpha) == (5, 0.1)
    with pytest.raises(ValidationError, match="Extra inputs"):
        experiment(human={}, significance={"seed": 5})


def test_places_are_moved_and_nothing_else():
    before = experiment(
        output="run",
        terminology=[{"name": "a", "source": ["x.zip", "y.zip"], "relation_table": "r.tsv"}],
        benchmark=[{"folder": "built"}],
        human={"data_dir": "rated"},
        coverage=[{"name": "c", "texts": ["t.mmi"], "concepts": ["C1"]}],
    )
    moved = before.located(lambda place: f"at/{place}")
    assert moved.output == "at/run"
    assert moved.terminology[0].source == ["at/x.zip", "at/y.zip"]
    assert moved.terminology[0].relation_table == "at/r.tsv"
    assert (moved.benchmark[0].folder, moved.human.data_dir) == ("at/built", "at/rated")
    assert (moved.coverage[0].texts, moved.coverage[0].concepts) == (["at/t.mmi"], ["C1"])
    assert moved.model == before.model
