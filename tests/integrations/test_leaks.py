"""What finds leaks finds those that are planted, each kind by itself."""

from __future__ import annotations

import polars as pl
import pytest

import termgauge as tg
from termgauge.integrations.splits import leaks, trained_concepts, training_terms

TEXTS = [("A", "flu"), ("A", "influenza"), ("B", "cough"), ("B", "tussis"), ("C", "ache"), ("C", "pain"), ("D", "rash")]


def split(*rows):
    return pl.DataFrame(list(rows), schema=["anchor", "positive", "negative"], orient="row")


TRAIN, TEST = split(("flu", "influenza", "cough")), split(("ache", "pain", "rash"))


def test_splits_that_are_apart_have_none():
    assert list(leaks({"train": TRAIN, "test": TEST}, TEXTS, [("A", "B"), ("C", "C")][1:])) == []


@pytest.mark.parametrize(
    ("test", "texts", "linked", "found"),
    [
        (split(("ache", "pain", "Influenza")), [], [], "the text 'influenza' stands in train and test"),
        (split(("ache", "pain", "tussis")), [], [], "the concept B stands in train and test"),
        (TEST, [("A", "Ache")], [], "the concept A stands in train and test"),
        (TEST, [], [("A", "C")], "the concept C of test stands for one of train"),
        (TEST, [], [("D", "A")], "the concept D of test stands for one of train"),
        (split(("ache", "pain", "pain")), [], [], "test: 'pain' means the same as 'ache'"),
        (TEST, [], [("C", "D")], "test: 'rash' means the same as 'ache'"),
        (split(("ache", "pain", "itch")), [("C", "ITCH")], [], "test: 'itch' means the same as 'ache'"),
    ],
)
def test_what_is_planted_is_found(test, texts, linked, found):
    assert found in list(leaks({"train": TRAIN, "test": test}, [*TEXTS, *texts], linked))


def test_what_was_trained_on_is_found_by_id_and_by_text(tmp_path):
    terms = [("train", *each) for each in TEXTS[:4]] + [("test", *each) for each in TEXTS[4:]]
    pl.DataFrame(terms, ["split", "concept", "text"], orient="row").write_parquet(tmp_path / "concepts.parquet")
    trained = training_terms(tmp_path)
    assert trained.equals(training_terms(tmp_path / "concepts.parquet"))
    pairs = {"term_1": ["ache", "itch"], "term_2": ["pain", "rash"], "label": [1, 0]}
    ids = {"concept_1": ["C", "E"], "concept_2": ["C", "D"]}
    for terms, concepts, found in (
        ({}, ids, []),
        ({}, {}, []),
        ({"term_1": ["ache", "FLU"]}, {}, ["A"]),
        ({"term_2": ["Tussis", "flu"]}, ids, ["A", "B"]),
        ({}, {**ids, "concept_2": [None, "B"]}, ["B"]),
    ):
        frame = pl.DataFrame({**pairs, **terms, **concepts})
        assert trained_concepts(tg.PairSet("mine", frame), trained) == found


def test_an_export_that_is_none_is_said(tmp_path):
    with pytest.raises(
        tg.TermgaugeError, match=r"concepts\.parquet: is not there; name the folder that termgauge export"
    ):
        training_terms(tmp_path)
    TRAIN.write_parquet(tmp_path / "concepts.parquet")
    with pytest.raises(tg.TermgaugeError, match=r"concepts\.parquet: is no readable Parquet file .*split"):
        training_terms(tmp_path)
