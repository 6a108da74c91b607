from __future__ import annotations

import json

import numpy as np
import pytest

from termgauge.domain.domain import Domain
from termgauge.tasks import contract
from termgauge.tasks.coverage.result import Measure, combined
from termgauge.tasks.coverage.task import CoverageOptions, DomainInputs
from tests.tasks.coverage.made_up import covered, three_models


@pytest.fixture(scope="module")
def result():
    models = {"m0": covered(), "m1": covered(1, share=0.3)}
    domain = Domain(tuple(f"c{place}" for place in range(60)), names={"c0": "w0"})
    options = CoverageOptions(concepts=["c0"], k=[5, 10])
    return combined(models, DomainInputs(None, domain, contract.Testing()), options)


def test_it_has_the_layout_that_others_rely_on(result):
    document = json.loads(json.dumps(result.as_dict(), allow_nan=False))
    assert set(document) == {
        "domain", "labels", "k", "alpha", "correction", "resamples", "models", "differences", "left_out",
        "joint",
    }  # fmt: skip
    figures = document["models"]["m0"]
    assert set(figures) == {
        "seeds", "in_vocabulary", "out_of_vocabulary", "out_share", "share", "share_interval", "share_wins",
        "share_losses", "k",
        "kind", "neighbourhood", "neighbourhood_size", "missing", "words", "hits", "neighbours", "map",
    }  # fmt: skip
    assert figures["seeds"] == figures["in_vocabulary"] + figures["out_of_vocabulary"] == 60
    assert figures["k"]["10"]["cg"] == pytest.approx(np.sum(figures["hits"]["10"]) / 600)
    assert set(figures["k"]) == {"5", "10"}
    assert set(figures["k"]["5"]) == {
        f"{name}{part}" for name in ("cg", "posdcg") for part in ("", "_interval", "_wins", "_losses")
    } | {"negdcg"}
    assert figures["out_share"] == figures["out_of_vocabulary"] / 60
    assert figures["k"]["5"]["negdcg"] == pytest.approx(1 - figures["k"]["5"]["posdcg"])
    assert 0 <= figures["k"]["5"]["posdcg_interval"][0] <= figures["k"]["5"]["posdcg"] <= 1
    assert len(figures["missing"]) == figures["out_of_vocabulary"]
    assert figures["missing"] == [f"c{place}" for place, word in enumerate(figures["words"]) if word is None]
    assert set(figures["map"]["points"][0]) == {"x", "y", "term", "seed", "concepts"}
    assert document["domain"]["seeds"][0] == {"concept": "c0", "name": "w0", "related": False}
    one = document["differences"][0]
    assert (one["statistic"], one["k"], one["one"], one["other"]) == ("in_vocabulary", None, "m0", "m1")
    assert {each["k"] for each in document["differences"]} == {None, 5, 10}


def test_its_values_are_those_that_were_measured(result):
    model = covered()
    values = {(each.model, each.statistic, each.item): each for each in result.values()}
    assert len(values) == 2 * (1 + 2 * 2)
    assert values["m0", "in_vocabulary", ""].value == model.value(Measure("in_vocabulary"))
    for k in (5, 10):
        for statistic in ("cg", "posdcg"):
            each = values["m0", statistic, f"k = {k}"]
            assert each.value == model.value(Measure(statistic, k))
            assert each.low <= each.value <= each.high
            assert (each.n, each.better) == (60, "higher")


def test_wins_of_one_are_losses_of_the_other(result):
    first, second = result.models.values()
    assert first.share > second.share
    assert (first.share_wins, first.share_losses) == (second.share_losses, second.share_wins) == (1, 0)
    assert first.measured("cg", 5) == (first.at(5).cg, first.at(5).cg_interval)
    assert (first.at(5).cg_wins, first.at(5).cg_losses) == (second.at(5).cg_losses, second.at(5).cg_wins)


def test_only_models_that_looked_in_the_same_sort_of_place_are_compared():
    result = three_models()
    assert {(each.one, each.other) for each in result.differences} == {("half", "full")}
    assert {each.model for each in result.joint.ranking} == {"half", "full"}
    assert [each.model for each in result.encoders.ranking] == ["encoder"]
    assert type(result).model_validate_json(result.model_dump_json()) == result
