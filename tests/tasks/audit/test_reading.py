"""How models of all kinds read texts."""

from __future__ import annotations

import numpy as np
import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.tasks.audit.measure import Reader
from tests.domain.tables import Words
from tests.tasks.audit.made_up import Letters, Terms

TEXTS = ["Kidney disease", "Disease of kidney", "Fever", "Kidney disease"]


def test_a_model_of_terms_is_read_by_cosine():
    model = Terms(unknown=["Fever"])
    reader = Reader(model, TEXTS)
    assert reader.units is not None
    first, second = np.array([0, 0, 0]), np.array([1, 2, 3])
    assert reader.score(first, second)[[0, 2]].tolist() == [1, 1]
    assert np.isnan(reader.score(first, second)[1])


def test_a_model_of_words_is_read_by_the_mean_of_its_words():
    words = Words(["kidney", "disease", "fever"], np.eye(3), name="words")
    reader = Reader(words, ["kidney disease", "kidney", "fever"])
    assert reader.score(np.array([0, 0]), np.array([1, 2])).tolist() == pytest.approx([0.5**0.5, 0], abs=1e-6)


def test_a_model_of_pairs_says_it_itself():
    reader = Reader(Letters(), TEXTS)
    assert reader.units is None
    assert reader.score(np.array([0]), np.array([3])).tolist() == [1]


def test_a_model_of_concepts_cannot_read():
    model = type("Concepts", (), {"kind": "concepts", "name": "cui2vec"})()
    with pytest.raises(TermgaugeError, match="'cui2vec' has vectors of concepts, not of terms"):
        Reader(model, TEXTS)
