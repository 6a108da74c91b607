"""Scores on disk are those of the model and set that they claim to be of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from termgauge.benchmark.sets import Origin
from termgauge.engine.evaluate import evaluate
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.engine.toy_models import ToyPairs, ToyWords, binary_set, graded_set


@pytest.fixture
def scored(tmp_path):
    return evaluate([graded_set(), binary_set()], [ToyWords(), ToyPairs()], tmp_path / "run").scored()


def test_scores_come_back_as_they_were(scored):
    model, pairs = ToyPairs(), graded_set()
    wanted = model.score(pairs.frame["term_1"], pairs.frame["term_2"])
    assert np.array_equal(scored.scores("own", pairs.id)["similarity"], wanted)
    assert scored.read_set(pairs.id) == pairs
    assert scored.scores("own", "nothing") == {}
    gaps = np.array([0.5, np.nan] * 20)
    scored.write_scores("own", model.identity.key, pairs, {"similarity": gaps})
    assert np.array_equal(scored.scores("own", pairs.id)["similarity"], gaps, equal_nan=True)


def test_a_set_comes_back_with_what_it_is(scored):
    pairs = graded_set("mine")
    origin = Origin("hp", "fsn-syn", "hard", "random")
    about = scored.sets["toy/graded"].model_copy(update={"sha256": pairs.sha256, "origin": origin})
    renamed = replace(scored, sets={"mine": about, "human/old": about.model_copy(update={"origin": None})})
    for name in renamed.sets:
        renamed.write_set(graded_set(name))
    assert renamed.read_set("mine").origin == origin
    assert renamed.read_set("human/old").origin == Origin(human=True), "of a run that did not say"


def test_measures_that_do_not_count_are_kept_but_not_given(scored):
    some = replace(scored, measures=("max_jaccard",))
    assert list(some.scores("words", "toy/graded")) == ["max_jaccard"]
    assert set(some.all_scores("toy/graded")) == {("words", "max_jaccard"), ("own", "similarity")}
    key, about = some.models["words"].key, some.sets["toy/graded"]
    assert len(some.stored_scores("words", key, "toy/graded", about)) == 10


def test_scores_that_no_longer_belong(scored):
    sets = {name: each.model_copy(update={"sha256": "0" * 64}) for name, each in scored.sets.items()}
    other = replace(scored, sets=sets)
    with pytest.raises(TermgaugeError, match="another version of the set 'toy/graded'"):
        other.scores("own", "toy/graded")
    with pytest.raises(TermgaugeError, match=r"is not the set that run\.json names"):
        other.read_set("toy/graded")
    models = {name: each.model_copy(update={"key": "0"}) for name, each in scored.models.items()}
    with pytest.raises(TermgaugeError, match="another version of the model 'own'"):
        replace(scored, models=models).scores("own", "toy/binary")


def test_damaged_files(scored):
    pairs = graded_set()
    file = scored.scores_file("own", pairs.id)
    whole = file.read_bytes()
    for content in (b"", b"nonsense", whole[: len(whole) // 2]):
        file.write_bytes(content)
        with pytest.raises(TermgaugeError, match=r"is no readable Parquet file .* delete it and score again"):
            scored.scores("own", pairs.id)
        with pytest.warns(TermgaugeWarning, match="Left out of the report: .*is no readable Parquet file"):
            assert scored.readable_scores("own", pairs.id, "report") == {}
    scored.write_scores("own", ToyPairs().identity.key, pairs, {"similarity": np.zeros(7)})
    with pytest.raises(TermgaugeError, match="7 scores for the 40 pairs"):
        scored.scores("own", pairs.id)
    with pytest.raises(TermgaugeError, match=r"has no set 'toy/grade'.*Did you mean 'toy/graded'"):
        scored.read_set("toy/grade")


@pytest.mark.parametrize("where", ["scores/own/toy__graded.parquet", "results.parquet"])
def test_damage_of_the_same_size_is_noticed(scored, where):
    """Flip a bit of each byte: values are as they were, or there is a sentence."""
    path = scored.path / where
    data, kept = path.read_bytes(), scored.results()
    values = scored.scores("own", "toy/graded")["similarity"]
    for at in range(0, len(data), 7):
        path.write_bytes(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
        try:
            if where.startswith("scores"):
                assert np.array_equal(scored.scores("own", "toy/graded")["similarity"], values)
            else:
                assert scored.results().equals(kept)
        except TermgaugeError:
            continue


def test_what_raters_said_is_kept_beside_a_set(scored):
    pairs = graded_set()
    assert scored.ratings(pairs.id) is None
    ratings = pl.DataFrame({"ann": [1.0, None] * 20, "bob": [2.0] * 40})
    scored.write_set(replace(pairs, ratings=ratings))
    assert scored.ratings(pairs.id).equals(ratings)
    other = {name: each.model_copy(update={"sha256": "0"}) for name, each in scored.sets.items()}
    assert replace(scored, sets=other).ratings(pairs.id) is None, "of another version of the set"
    scored.write_set(pairs)
    assert scored.ratings(pairs.id) is None
    scored.write_set(replace(pairs, ratings=ratings))
    next((scored.path / "sets" / "ratings").iterdir()).write_bytes(b"no parquet")
    with pytest.raises(TermgaugeError, match=r"is no readable Parquet file .* score again"):
        scored.ratings(pairs.id)
