"""Models show themselves without making any vector."""

from __future__ import annotations

import pytest

from termgauge.embeddings.encoders.encoding import CachedTermModel
from termgauge.embeddings.load import load_model
from termgauge.embeddings.model import ModelIdentity, ShowingModel


class Asleep:
    """An encoder that must not be woken up."""

    name, source, identity = "asleep", "a/b/c", ModelIdentity("terms", "test")

    def encode(self, _texts):
        raise AssertionError

    @property
    def dimension(self):
        raise AssertionError


def test_an_encoder_is_not_woken_up_to_be_shown():
    model = CachedTermModel(Asleep())
    assert repr(model) == "<model 'asleep' of terms: test, a/b/c>"
    assert "a/b/c" in model._repr_html_()
    assert model.to_frame().row(0, named=True)["options"] == "store=float32"


def test_vectors_on_disk_are_counted(tmp_path):
    (tmp_path / "words.txt").write_text("2 3\na 1 0 0\nb 0 1 0\n")
    model = load_model(tmp_path / "words.txt")
    row = model.to_frame().row(0, named=True)
    assert (row["kind"], row["scheme"], row["vectors"], row["dimension"]) == ("words", "word2vec", 2, 3)
    assert len(repr(model)) < 120


@pytest.mark.parametrize("spec", ["baseline:random", "baseline:levenshtein", "baseline:char-ngrams"])
def test_baselines(spec):
    model = load_model(spec)
    assert isinstance(model, ShowingModel)
    assert repr(model).startswith(f"<model '{spec.partition(':')[2]}' of ")
