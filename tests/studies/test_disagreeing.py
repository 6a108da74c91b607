"""Tests of pairs on which models disagree: which they are, that a seed settles ties, and what is refused."""

from __future__ import annotations

import json
import math

import polars as pl
import pytest

import termgauge as tg
from tests.engine.toy_models import ToyPairs

COUNT = 8


def a_run(folder, *scores):
    """Score pairs a0/b0, a1/b1 ... by models that say what they are told."""
    rows = {"term_1": [f"a{at}" for at in range(COUNT)], "term_2": [f"b{at}" for at in range(COUNT)]}
    pairs = tg.PairSet("own/set", pl.DataFrame({**rows, "score": [float(at) for at in range(COUNT)]}))
    models = [ToyPairs(f"model {at}", tuple(map(float, each))) for at, each in enumerate(scores)]
    tg.evaluate([pairs], models, folder / "run")
    return folder / "run"


def asked(run, folder, *words):
    """Begin a study of a run; return the exit status, the pairs that are asked by their numbers, and what was said."""
    status, out, err = run("study", "new", folder, *words, "--json")
    if not out:
        return status, [], err
    pairs = tg.open_study(json.loads(out)["folder"]).pairs["word1"].to_list()
    return status, [int(each.removeprefix("a")) for each in pairs], err


def test_pairs_whose_ranks_differ_most_are_asked_in_the_order_of_the_run(run, tmp_path):
    # Scales do not matter, ranks do: the first and the last pair change places.
    place = a_run(tmp_path, range(COUNT), (700, 1, 2, 3, 4, 5, 6, 0), [10 * at for at in range(COUNT)])
    words = ("--from", place, "--pages", "1")
    assert asked(run, tmp_path / "two", *words, "--disagreeing", "2") == (0, [0, 7], "")
    status, pairs, err = asked(run, tmp_path / "all", *words)
    assert (status, pairs) == (4, list(range(COUNT)))
    assert "Only 8 pairs" in err


def test_ties_are_settled_by_the_seed(run, tmp_path):
    place = a_run(tmp_path, range(COUNT), range(COUNT))
    words = ("--from", place, "--disagreeing", "3", "--pages", "1", "--seed")
    found = [asked(run, tmp_path / f"s{at}", *words, seed)[1] for at, seed in enumerate("7789")]
    assert found[0] == found[1]
    assert len({tuple(each) for each in found}) > 1


def test_pairs_that_a_model_does_not_score_are_not_asked(run, tmp_path):
    place = a_run(tmp_path, range(COUNT), (700, 1, 2, 3, 4, 5, 6, math.nan))
    _status, pairs, _err = asked(run, tmp_path / "s", "--from", place, "--disagreeing", "7", "--pages", "1")
    assert pairs == list(range(7))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--from", "{run}"], "has scores of 1 model, and only two or more can disagree"),
        (["--from", "{run}", "--kind", "quality"], "leave out --from"),
        (["--from", "{run}", "--pairs", "x.tsv"], "one of both"),
        ([], "one of both"),
        (["--pairs", "x.tsv", "--disagreeing", "5"], "name it with --from RUN"),
        (["--from", "{run}/none"], "is no run folder"),
    ],
)
def test_bad_input_is_a_sentence(run, tmp_path, words, said):
    place = a_run(tmp_path, range(COUNT))
    status, out, err = run("study", "new", tmp_path / "s", *(each.format(run=place) for each in words))
    assert (status, out) == (2, "")
    assert said in err
    assert not (tmp_path / "s").exists()
