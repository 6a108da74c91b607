from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from termgauge.embeddings.load import load_model
from termgauge.tasks.vocabulary.measure import describe_vocabularies
from tests.embeddings import vector_files as files


def pairs(set_id, first, second):
    return SimpleNamespace(
        id=set_id, frame=pl.DataFrame({"term_1": first, "term_2": second}, schema=["term_1", "term_2"])
    )


@pytest.fixture
def models(tmp_path):
    made = []
    for name, words in (("A", ["fever", "cough", "heart", "attack"]), ("B", ["fever", "rash"])):
        (tmp_path / f"{name}.txt").write_bytes(files.word2vec_text(words, np.ones((len(words), 3), np.float32)))
        made.append(load_model(tmp_path / f"{name}.txt"))
    return [*made, load_model("baseline:random"), load_model("baseline:levenshtein")]


@pytest.fixture
def sets():
    return [
        pairs("human/one", ["Fever", "heart attack", "rash"], ["cough", "fever", "rash burn"]),
        pairs("hp/fsn-syn", ["rash", "burn"], ["fever", "burn burn"]),
        pairs("hp/syn-syn", ["fever"], ["fever"]),
    ]


def test_coverage_and_its_range(models, sets):
    report = describe_vocabularies(models, sets, unknown=2)
    one, two, random, edit = report.models
    assert one.coverage == {"human/one": 2 / 3, "hp/fsn-syn": 0.0, "hp/syn-syn": 1.0}
    assert one.ranges == {"human": (2 / 3, 2 / 3), "built": (0.0, 1.0)}
    assert two.coverage == {"human/one": 0.0, "hp/fsn-syn": 0.5, "hp/syn-syn": 1.0}
    assert set(random.coverage.values()) == {1.0}
    assert edit.coverage == {}
    assert (one.size, one.dimension, random.size, edit.dimension) == (4, 3, None, None)
    assert one.unknown == [("burn", 3), ("rash", 3)]
    assert two.unknown == [("burn", 3), ("attack", 1)]


def test_coverage_counts_unknown_words_whatever_the_policy(models, sets):
    lenient = load_model(f"{models[0].source}?missing=available")
    strict, available = describe_vocabularies([models[0], lenient], sets).models
    assert strict.coverage == available.coverage


def test_overlap_is_the_share_of_the_column_that_the_row_has(models):
    report = describe_vocabularies(models)
    assert report.overlap[0, 1] == 0.5  # A has "fever" of B's two words
    assert report.overlap[1, 0] == 0.25
    assert np.isnan(report.overlap[[0, 0, 2], [0, 2, 0]]).all()
    np.testing.assert_array_equal(report.average_overlap, [0.5, 0.25, np.nan, np.nan])


def test_repeated_words_count_once(tmp_path, models):
    (tmp_path / "C.txt").write_bytes(files.word2vec_text(["fever", "fever", "x"], np.ones((3, 2), np.float32)))
    with pytest.warns(UserWarning, match="more than once"):
        third = load_model(tmp_path / "C.txt")
    report = describe_vocabularies([models[0], third])
    assert report.overlap[0, 1] == 0.5


def test_json(models, sets):
    found = json.loads(json.dumps(describe_vocabularies(models, [*sets, pairs("none", [], [])], unknown=1).as_dict()))
    assert found["models"][0]["coverage"]["none"] is None
    assert found["models"][0]["ranges"]["built"] == [0.0, 1.0]
    assert found["models"][0]["unknown"] == [{"word": "burn", "terms": 3}]
    assert found["overlap"][0] == [None, 0.5, None, None]
    assert found["average_overlap"] == [0.5, 0.25, None, None]
