"""What tables say together: names that clash, names that mean nothing, and what is called what."""

from __future__ import annotations

import pytest

from termgauge.engine.tables import contradictions, experiment_model, shown

MODEL = {"spec": "baseline:random"}
HPO = {"name": "hpo", "source": "hp.obo"}
BUILT = {"terminology": "hpo"}


def found(**tables):
    return list(contradictions(experiment_model().model_validate({"model": [MODEL], **tables})))


def test_tables_are_called_as_people_write_them():
    assert shown(()) == "an experiment"
    assert shown(("human",)) == "[human]"
    assert shown(("model", 1)) == "[[model]] number 2"


def test_what_makes_sense_is_not_refused():
    assert found(terminology=[HPO], benchmark=[BUILT]) == []
    assert found(human={}) == []
    assert found(terminology=[HPO], coverage=[{"name": "c", "branches": ["a"]}]) == []


@pytest.mark.parametrize(
    ("tables", "where", "sentence"),
    [
        ({}, (), "names nothing to measure"),
        ({"human": {}, "model": [MODEL, MODEL]}, ("model", 1, "name"), "is called 'random' like number 1"),
        ({"human": {}, "model": [{"name": "A", **MODEL}, {"name": "a", **MODEL}]}, ("model", 1, "name"), "'a' like"),
        ({"terminology": [HPO, HPO], "benchmark": [BUILT]}, ("terminology", 1, "name"), "'hpo' like number 1"),
        ({"benchmark": [BUILT]}, ("benchmark", 0, "terminology"), "add a table [[terminology]]"),
        ({"terminology": [HPO], "benchmark": [{}]}, ("benchmark", 0), "either a 'terminology'"),
        ({"benchmark": [{"folder": "x", "seed": 3}]}, ("benchmark", 0, "seed"), "is for building"),
        ({"terminology": [HPO], "coverage": [{"name": "c"}]}, ("coverage", 0, "concepts"), "No domain was named"),
        ({"human": {"sets": ["human/mayosr"]}}, ("human", "sets"), "Did you mean 'human/mayosrs'"),
        ({"human": {}, "model": [{"spec": "wrd2vec:x"}]}, ("model", 0, "spec"), "There is no scheme 'wrd2vec:'"),
        ({"human": {}, "significance": {"measure": "cosin"}}, ("significance", "measure"), "'cosin' is no measure"),
    ],
)
def test_what_is_wrong_and_where(tables, where, sentence):
    ((place, said),) = found(**tables)
    assert sentence in said
    assert place[: len(where) - 1] == where[:-1]


def test_tables_without_names_do_not_clash():
    places = [place for place, _said in found(terminology=[HPO], benchmark=[{}, {}])]
    assert places == [("benchmark", 0), ("benchmark", 1)]


def test_of_several_terminologies_one_must_be_named():
    other = {"name": "other", "source": "o.obo"}
    tables = {"terminology": [HPO, other], "coverage": [{"name": "c", "branches": ["a"]}]}
    ((_place, said),) = found(**tables)
    assert said == "[[coverage]] number 1 names no 'terminology'; there are hpo, other"
    tables["coverage"][0]["terminology"] = "other"
    assert found(**tables) == []
