from __future__ import annotations

import numpy as np
import pytest

import termgauge as tg
from termgauge.exceptions import TermgaugeError
from termgauge.experiment.evaluate import evaluate
from tests.experiment.toy_models import ToyConcepts, ToyPairs, ToyWords, binary_set, graded_set


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return evaluate([graded_set(), binary_set()], [ToyWords(), ToyPairs()], tmp_path_factory.mktemp("made") / "run")


def test_the_module_of_exceptions_can_be_called(run):
    from termgauge.experiment.worst import errors

    from termgauge.exceptions import TermgaugeWarning, warn

    assert tg.errors.TermgaugeError is TermgaugeError
    assert issubclass(TermgaugeWarning, UserWarning)
    assert callable(warn)
    assert tg.errors(run, "words", "toy/binary") == errors(run, "words", "toy/binary")
    assert tg.errors(str(run.path), "own", "toy/graded", n=3) == errors(run, "own", "toy/graded", n=3)


def test_the_usual_measure_or_the_one_named(run):
    assert tg.errors(run, "words", "toy/binary").measure == "avg_cos"
    assert tg.errors(run, "words", "toy/binary", measure="cos").measure == "avg_cos"
    found = tg.errors(run, "words", "toy/binary", measure="max_jaccard")
    assert found.measure == "max_jaccard"
    scores = run.scored().scores("words", "toy/binary")["max_jaccard"]
    assert all(pair.score == scores[pair.row - 1] for pair in found.pairs)
    assert np.isfinite(found.threshold)


@pytest.mark.parametrize(
    ("model", "set_", "options", "sentence"),
    [
        ("word", "toy/binary", {}, "has no model 'word'.*Did you mean 'words'"),
        ("words", "toy/binry", {}, "has no set 'toy/binry'.*Did you mean 'toy/binary'"),
        ("words", "toy/binary", {"measure": "avg_coz"}, "no scores by 'avg_coz'.*Did you mean 'avg_cos'"),
        ("words", "toy/binary", {"n": 0}, "at least 1, not 0"),
        ("words", "toy/binary", {"only": "too high"}, "'false positive' or 'false negative', not 'too high'"),
    ],
)
def test_bad_input(run, model, set_, options, sentence):
    with pytest.raises(TermgaugeError, match=sentence):
        tg.errors(run, model, set_, **options)


def test_no_scores(tmp_path):
    with pytest.raises(TermgaugeError, match="is no run folder"):
        tg.errors(tmp_path, "words", "toy/binary")
    with pytest.warns(tg.TermgaugeWarning, match="score no pair"):
        other = evaluate([graded_set()], [ToyConcepts(("C1",)), ToyPairs()], tmp_path / "other")
    with pytest.raises(TermgaugeError, match="'concepts' can score no pair of 'toy/graded'"):
        tg.errors(other, "concepts", "toy/graded")
    other.scored().scores_file("own", "toy/graded").unlink()
    with pytest.raises(TermgaugeError, match="'own' has no scores on 'toy/graded'"):
        tg.errors(other, "own", "toy/graded")
