from __future__ import annotations

import json

import numpy as np
import pytest

from termgauge.domain.relations import Relation
from termgauge.tasks.analogies.result import combined
from termgauge.tasks.analogies.task import AnalogyOptions
from tests.domain.tables import Concepts
from tests.tasks.analogies.asking import DOMAIN, asked, inputs_of


def result_of(relations, models, k):
    return combined(models, inputs_of(relations), AnalogyOptions.of(domain=DOMAIN, k=k))


@pytest.fixture(scope="module")
def models():
    generator = np.random.default_rng(0)
    names = [str(number) for number in range(20)]
    relations = [Relation("treats", "treats it", tuple((str(number), str(number + 10)) for number in range(8)))]
    models = {}
    for name, noise in (("exact", 0.01), ("noisy", 0.6)):
        matrix = generator.standard_normal((20, 6))
        matrix[:10] = matrix[10:] + np.arange(6) + noise * generator.standard_normal((10, 6))
        models[name] = asked(Concepts(names, matrix), relations, (1, 3))
    return relations, models


def test_it_has_the_layout_that_others_rely_on(models):
    relations, counted = models
    document = json.loads(json.dumps(result_of(relations, counted, [1, 3]).as_dict(), allow_nan=False))
    assert set(document) == {
        "domain", "terminology", "k", "method", "method_name", "labels", "alpha", "correction", "relations", "models",
        "differences", "notes", "left_out", "joint",
    }  # fmt: skip
    assert document["domain"] == {"title": DOMAIN.title, "key": DOMAIN.key, "seeds": 2, "related": 1}
    assert document["terminology"]["sha256"] == "hash"
    assert (document["method"], document["method_name"]) == ("add", "3CosAdd")
    assert document["relations"] == {"treats": {"label": "treats it", "pairs": 8}}
    assert document["notes"] == ["a note"]
    assert set(document["models"]["exact"]) == {"kind", "neighbourhood", "neighbourhood_size", "relations"}
    figures = document["models"]["exact"]["relations"]["treats"]
    assert set(figures) == {
        "pairs", "in_vocabulary", "out_of_vocabulary", "analogies", "successes", "coverage", "low", "high", "wins",
        "losses", "k",
    }  # fmt: skip
    counts = counted["exact"].relations["treats"]
    assert {key: figures[key] for key in ("pairs", "in_vocabulary", "successes", "coverage")} == {
        "pairs": 8,
        "in_vocabulary": 8,
        "successes": counts.successes[1],
        "coverage": counts.successes[1] / 56,
    }
    assert set(figures["k"]) == {"1", "3"}
    assert figures["k"]["1"]["successes"] == figures["successes"] <= figures["k"]["3"]["successes"]
    assert figures["low"] <= figures["coverage"] <= figures["high"]
    (difference,) = document["differences"]
    assert (difference["one"], difference["other"], difference["k"]) == ("exact", "noisy", 1)
    other = document["models"]["noisy"]["relations"]["treats"]["coverage"]
    assert difference["difference"] == pytest.approx(figures["coverage"] - other)
    assert (figures["wins"], figures["losses"]) == (int(difference["significant"]), 0)
    assert document["joint"]["systems"][0]["value"] == pytest.approx(max(figures["coverage"], other))


def test_its_values_are_for_the_first_k(models):
    relations, counted = models
    result = result_of(relations, counted, [3, 1])
    assert [(each.model, each.value, each.n, each.item) for each in result.values()] == [
        (name, model.relations["treats"].coverage(3), 8, "treats") for name, model in counted.items()
    ]


def test_one_pair_makes_no_analogy():
    relations = [Relation("treats", "treats", (("1", "2"),)), Relation("none", "none", ())]
    counted = asked(Concepts(["1", "2", "3"], np.eye(3)), relations, (1,))
    result = result_of(relations, {"toy": counted}, [1])
    for figures in result.models["toy"].relations.values():
        assert (figures.coverage, figures.low, figures.high, figures.analogies) == (None, None, None, 0)
