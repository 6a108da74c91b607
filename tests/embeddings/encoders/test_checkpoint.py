"""Checkpoints as files: what counts, what is missing and what is refused, without any library that could open them."""

from __future__ import annotations

import json

import pytest

from termgauge.embeddings.encoders.checkpoint import Checkpoint, find_checkpoint
from termgauge.embeddings.spec import ModelSpec
from termgauge.exceptions import TermgaugeError


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "bert"
    place.mkdir()
    (place / "config.json").write_text(json.dumps({"hidden_size": 8, "model_type": "no-such-type"}))
    (place / "tokenizer.json").write_text("{}")
    (place / "model.safetensors").write_bytes(b"weights")
    return place


def checkpoint_at(location, query=""):
    return find_checkpoint(ModelSpec.parse(f"transformers:{location}?{query}"))


def test_what_is_whole_is_taken(folder):
    checkpoint = checkpoint_at(folder)
    checkpoint.check()
    assert (checkpoint.name, checkpoint.dimension, checkpoint.own_pooling) == ("bert", 8, "")


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("owner/name", "name"),
        ("package:some_package/model", "some_package"),
        ("a/b/..", "b"),
        ("./", "model"),
        ("C:\\x\\", "x"),
    ],
)
def test_names(folder, label, name):
    assert Checkpoint(folder, label).name == name


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("config.json", "has no config.json"),
        ("tokenizer.json", "has no tokenizer"),
        ("model.safetensors", "has no weights"),
    ],
)
def test_what_is_missing_is_said(folder, file, said):
    (folder / file).unlink()
    with pytest.raises(TermgaugeError, match=said):
        Checkpoint(folder, "bert").check()


def test_code_that_came_along_is_not_run_unless_allowed(folder):
    (folder / "config.json").write_text(json.dumps({"auto_map": {"AutoModel": "x.Y"}, "model_type": "no-such-type"}))
    with pytest.raises(TermgaugeError, match=r"wants to run Python code .* remote_code=true"):
        Checkpoint(folder, "bert").check()
    Checkpoint(folder, "bert", remote_code=True).check()


def test_the_hash_covers_what_shapes_vectors_and_nothing_else(folder):
    before = Checkpoint(folder, "bert").content_hash()
    (folder / "README.md").write_text("new")
    (folder / "onnx").mkdir()
    (folder / "onnx" / "config.json").write_text("{}")
    (folder / "pytorch_model.bin").write_bytes(b"the same weights, pickled")
    (folder / "code.py").write_text("1")
    assert Checkpoint(folder, "bert").content_hash() == before
    assert Checkpoint(folder, "bert", remote_code=True).content_hash() != before
    (folder / "vocab.txt").write_text("a")
    assert Checkpoint(folder, "bert").content_hash() != before


def test_settings_that_are_none(folder):
    (folder / "config.json").write_text("[1]")
    with pytest.raises(TermgaugeError, match="is not what a file of this name holds"):
        _ = Checkpoint(folder, "bert").config
    (folder / "modules.json").write_text("{")
    with pytest.raises(TermgaugeError, match="is no JSON"):
        _ = Checkpoint(folder, "bert").modules


def test_places_that_are_no_checkpoints(folder):
    with pytest.raises(TermgaugeError, match="which has no revisions"):
        checkpoint_at(folder, "revision=main")
    with pytest.raises(TermgaugeError, match="is a file"):
        checkpoint_at(folder / "config.json")
    with pytest.raises(TermgaugeError, match=r"no such folder, and it is no hub id \(OWNER/NAME\)"):
        checkpoint_at("a/b/c")
