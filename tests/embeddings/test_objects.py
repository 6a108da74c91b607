"""What becomes a model, what it is called, and what is said of anything else."""

from __future__ import annotations

import numpy as np
import pytest

import termgauge as tg
from termgauge.embeddings.objects import as_model, is_model, stands_alone
from termgauge.exceptions import TermgaugeError
from tests.engine.toy_models import ToyConcepts, ToyPairs, ToyTerms, ToyWords

TABLE = {"heart": [1.0, 0.0], "attack": [0.0, 1.0]}


def ones(texts):
    return np.ones((len(texts), 2))


class Sequential:
    """An encoder that is a sequence, too, as a SentenceTransformer is."""

    def __iter__(self):
        return iter([object(), object()])

    def encode(self, texts):
        return ones(texts)


def test_it_is_a_verb():
    assert tg.as_model is as_model
    assert tg.integrations.__name__ == "termgauge.integrations"


@pytest.mark.parametrize("model", [ToyWords(), ToyTerms(), ToyPairs(), ToyConcepts(("C1",))])
def test_our_own_models_stay_what_they_are(model):
    assert is_model(model)
    assert as_model(model) is model
    renamed = as_model(model, name="another")
    assert renamed.name == "another" != model.name
    assert renamed.identity == model.identity
    with pytest.raises(TermgaugeError, match="takes no options any more"):
        as_model(model, missing="zero")


def test_a_frozen_model_can_be_renamed():
    model = as_model(TABLE, name="one")
    assert as_model(model, name="two").name == "two"
    assert model.name == "one"


def test_specs_and_paths_are_opened(tmp_path):
    (tmp_path / "vectors.txt").write_text("2 2\nheart 1 0\nattack 0 1\n")
    assert as_model("baseline:random", name="chance", dim=7).dimension == 7
    assert as_model("mine=baseline:random").name == "mine"
    assert as_model(tmp_path / "vectors.txt").name == "vectors"
    assert as_model(tmp_path / "vectors.txt", name="a/b").name == "a/b"


@pytest.mark.parametrize(
    ("given", "name"),
    [(TABLE, "words"), (ones, "ones"), (lambda texts: 2 * ones(texts), "function"), (Sequential(), "Sequential")],
)
def test_what_is_not_named_is_called_by_what_it_is(given, name):
    assert as_model(given).name == name
    assert as_model(given, name="Mine & yours/2").name == "Mine & yours/2"
    assert as_model(given).identity.scheme == "python"


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", 3])
def test_names_must_be_fit_to_print(name):
    with pytest.raises(TermgaugeError, match="The name of a model is a text of printable characters"):
        as_model(TABLE, name=name)


@pytest.mark.parametrize("given", [3, None, object(), Sequential, [1, 2], (1, 2), np.ones((2, 2)), b"glove:"])
def test_what_is_no_model_is_told_what_would_be(given):
    with pytest.raises(
        TermgaugeError, match=r"^A model is a path, .*function from texts to an array; .* is none of these"
    ):
        as_model(given)
    assert not stands_alone(given)


def test_a_table_without_a_name_before_it_is_told_to_have_one():
    with pytest.raises(TermgaugeError, match="A table of words needs a name before it"):
        tg.vocabulary(TABLE)
    assert tg.vocabulary({"mine": TABLE}).models[0].size == 2
    assert tg.vocabulary([TABLE]).models[0].name == "words"


def test_a_class_is_told_from_an_object_of_it():
    with pytest.raises(TermgaugeError, match="the class Sequential is none of these"):
        as_model(Sequential)


@pytest.mark.parametrize("given", ["glove:", ones, Sequential(), ToyTerms(), TABLE, (["a"], np.ones((1, 2)))])
def test_one_model_may_stand_alone(given):
    assert stands_alone(given)


def test_an_unknown_option_is_told():
    with pytest.raises(TermgaugeError, match=r"'python:' has no option 'bach_size'.*Did you mean 'batch_size'"):
        as_model(ones, bach_size=3)
    with pytest.raises(TermgaugeError, match="'batch_size' is a whole number of at least 1"):
        as_model(ones, batch_size=0)
