from __future__ import annotations

import json

import pytest

from termgauge.tasks.vocabulary.measure import combined, vocabulary_of
from termgauge.tasks.vocabulary.task import VocabularyInputs, VocabularyOptions
from tests.tasks.vocabulary.known_words import SETS, pairs, write_models


@pytest.fixture
def result(tmp_path):
    models = write_models(tmp_path)
    sets = [*SETS, pairs("none", [], [])]
    inputs = VocabularyInputs(tuple(sets), {model.name: lambda model=model: model for model in models})
    return combined(
        {model.name: vocabulary_of(model, sets, unknown=1) for model in models}, inputs, VocabularyOptions()
    )


def test_it_has_the_layout_that_others_rely_on(result):
    document = json.loads(json.dumps(result.as_dict(), allow_nan=False))
    assert set(document) == {"models", "overlap", "average_overlap", "left_out"}
    first = document["models"][0]
    assert set(first) == {
        "name", "kind", "source", "size", "dimension", "any_word", "coverage", "ranges", "unknown",
    }  # fmt: skip
    assert first["coverage"]["none"] is None
    assert first["ranges"]["built"] == [0.0, 1.0]
    assert first["unknown"] == [{"word": "burn", "terms": 3}]
    assert document["overlap"][0] == [None, 0.5, None, None]
    assert document["average_overlap"] == [0.5, 0.25, None, None]


def test_its_values_are_sizes_and_coverage(result):
    values = list(result.values())
    assert [(each.model, each.value, each.better) for each in values if each.statistic == "size"] == [
        ("A", 4, ""), ("B", 2, ""),
    ]  # fmt: skip
    coverage = {(each.model, each.item): each.value for each in values if each.statistic == "coverage"}
    assert coverage["B", "hp/fsn-syn"] == 0.5
    assert coverage["A", "none"] is None
    assert not any(model == "levenshtein" for model, _item in coverage)
