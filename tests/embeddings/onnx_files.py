"""Small ONNX encoders in the layout of real ones: token vectors are rows of a table, so that results can be checked."""

from __future__ import annotations

import json

import numpy as np
import pytest

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "heart", "attack", "fever", "acute", "chronic", "pain", "rash"]
TABLE = np.random.default_rng(5).normal(size=(len(WORDS), 8)).astype(np.float32)


def tokenizer():
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    made.normalizer = tokenizers.normalizers.Lowercase()
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return made


def graph(inputs=("input_ids", "attention_mask"), *, finished=False, quantized=False, kind=None):
    """Return the bytes of a graph that looks tokens up, and scales them as it goes if quantized."""
    onnx = pytest.importorskip("onnx")
    helper, types = onnx.helper, onnx.TensorProto
    of_kind = types.INT64 if kind is None else kind
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["rows"])]
    if quantized:
        nodes += [
            helper.make_node("DynamicQuantizeLinear", ["rows"], ["small", "scale", "zero"]),
            helper.make_node("DequantizeLinear", ["small", "scale", "zero"], ["tokens"]),
        ]
    else:
        nodes += [helper.make_node("Identity", ["rows"], ["tokens"])]
    if finished:
        nodes += [
            helper.make_node("ReduceMean", ["tokens"], ["sentence_embedding"], axes=[1], keepdims=0),
        ]
        output = helper.make_tensor_value_info("sentence_embedding", types.FLOAT, ["batch", 8])
    else:
        nodes += [helper.make_node("Identity", ["tokens"], ["last_hidden_state"])]
        output = helper.make_tensor_value_info("last_hidden_state", types.FLOAT, ["batch", "length", 8])
    made = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, of_kind, ["batch", "length"]) for name in inputs],
        [output],
        [onnx.numpy_helper.from_array(TABLE, "table")],
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return model.SerializeToString()


def write(folder, content=None, *, pooling=None, normalize=False, max_length=6):
    """Write an encoder to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(graph() if content is None else content)
    tokenizer().save(str(folder / "tokenizer.json"))
    if max_length:
        (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": max_length}))
    if pooling:
        (folder / "1_Pooling").mkdir(exist_ok=True)
        (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    if normalize:
        modules = [{"type": "sentence_transformers.models.Normalize", "path": "2_Normalize"}]
        (folder / "modules.json").write_text(json.dumps(modules))
    return folder


def rows(text):
    """Return the token vectors of a text as the tiny encoder sees it."""
    return TABLE[[2, *(WORDS.index(word) if word in WORDS else 1 for word in text.lower().split()), 3]]
