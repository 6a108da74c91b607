"""What finds leaks finds those that are planted, each kind by itself."""

from __future__ import annotations

import polars as pl
import pytest

from termgauge.integrations.leaks import leaks

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
