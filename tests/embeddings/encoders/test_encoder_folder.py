from __future__ import annotations

import json

import pytest

from termgauge.embeddings.encoders.checkpoint import ENDLESS, Checkpoint
from termgauge.exceptions import TermgaugeError


@pytest.fixture
def folder(tmp_path):
    def write(contents):
        for name, value in contents.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(json.dumps(value))
        return Checkpoint(tmp_path)

    return write


def test_an_empty_folder_says_nothing(folder):
    empty = folder({})
    assert (empty.pooling_modes, empty.normalizes, empty.max_length, empty.padding_id) == ([], False, None, 0)


@pytest.mark.parametrize(
    ("pooling", "modes"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, ["cls"]),
        ({"pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": True}, ["mean", "max"]),
        ({"pooling_mode": "lasttoken"}, ["lasttoken"]),
        ({"pooling_mode": ["cls", "mean"]}, ["cls", "mean"]),
        ({"word_embedding_dimension": 3}, []),
    ],
)
def test_poolings(folder, pooling, modes):
    assert folder({"1_Pooling/config.json": pooling}).pooling_modes == modes


def test_modules_say_where_the_pooling_is_and_whether_vectors_are_scaled(folder):
    modules = [{"type": "a.Pooling", "path": "2_Pooling"}, {"type": "a.Normalize"}]
    said = folder({"modules.json": modules, "2_Pooling/config.json": {"pooling_mode": "cls"}})
    assert said.pooling_modes == ["cls"]
    assert said.normalizes


def test_the_strictest_length_counts(folder):
    said = folder(
        {"tokenizer_config.json": {"model_max_length": ENDLESS}, "config.json": {"max_position_embeddings": 512}}
    )
    assert said.max_length == 512
    said = folder({"sentence_bert_config.json": {"max_seq_length": 128}, "config.json": {"pad_token_id": 7}})
    assert (said.max_length, said.padding_id) == (128, 7)


@pytest.mark.parametrize("text", ["{", "[]", '"text"'])
def test_files_that_are_not_what_they_should_be(tmp_path, text):
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(TermgaugeError, match=r"config\.json(, line 1)?: "):
        _ = Checkpoint(tmp_path).max_length


@pytest.mark.parametrize("text", ["{", "{}", '["text"]', "[" * 100_000])
def test_modules_that_are_no_list_of_settings(tmp_path, text):
    (tmp_path / "modules.json").write_text(text)
    with pytest.raises(TermgaugeError, match=r"modules\.json(, line 1)?: is (no JSON|not what).*again from its source"):
        _ = Checkpoint(tmp_path).normalizes


def test_files_with_settings(folder):
    pooling = {"type": "sentence_transformers.models.Pooling", "path": "2_Pooling"}
    some = {"modules.json": [pooling], "2_Pooling/config.json": {}, "config.json": {}, "other.json": {}}
    encoder = folder(some)
    found = [path.relative_to(encoder.folder).as_posix() for path in encoder.settings_files]
    assert found == ["modules.json", "2_Pooling/config.json", "config.json"]
