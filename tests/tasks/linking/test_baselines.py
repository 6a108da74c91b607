"""What is shown beside the models: each baseline that is not among them."""

from __future__ import annotations

from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError
from termgauge.tasks.linking import measure
from termgauge.tasks.linking.measure import baselines_beside, link
from tests.tasks.linking.samples import model, questions


def test_baselines_that_are_asked_for_are_not_shown_twice():
    found = questions()
    beside, left_out = baselines_beside({"words": link(model(), found, "cpu")}, found, "cpu")
    assert set(beside) == {"exact match", "edit distance", "character n-grams", "random word vectors"}
    measured = {"exact match": link(load_model("baseline:levenshtein"), found, "cpu")}
    assert "exact match (baseline)" in (again := baselines_beside(measured, found, "cpu")[0])
    assert "edit distance" not in again
    assert left_out == []


def test_a_baseline_whose_library_is_missing_is_left_out_with_a_word(monkeypatch):
    def missing(spec):
        if "char" in spec:
            raise TermgaugeError("needs scikit-learn.")
        return load_model(spec)

    monkeypatch.setattr(measure, "load_model", missing)
    beside, left_out = baselines_beside({}, questions(), "cpu")
    assert "character n-grams" not in beside
    assert left_out == ["character n-grams: needs scikit-learn."]
