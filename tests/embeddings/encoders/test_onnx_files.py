"""A graph says itself which files it reads, wherever in it the tensor is; nothing of it can be hidden."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings.encoders.onnx import external_files
from termgauge.exceptions import TermgaugeError
from tests.embeddings import onnx_files

onnx = pytest.importorskip("onnx")
helper = onnx.helper


def outside(name, location):
    tensor = onnx.numpy_helper.from_array(np.ones(4, np.float32), name)
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("offset", "0"), ("location", location), ("length", "16")):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    return tensor


def everywhere():
    """Return a model with tensors outside in every place where a model may have a tensor."""
    names = iter(f"{number}.bias" for number in range(100))

    def tensor():
        return outside("t", next(names))

    def sparse():
        made = onnx.SparseTensorProto()
        made.values.CopyFrom(tensor())
        made.indices.CopyFrom(tensor())
        return made

    def graph(depth):
        node = helper.make_node("Constant", [], ["x"])
        for field in ("t", "g", "tensors", "graphs", "sparse_tensor", "sparse_tensors"):
            attribute = node.attribute.add()
            attribute.name = field
            if field == "t":
                attribute.t.CopyFrom(tensor())
            elif field == "tensors":
                attribute.tensors.append(tensor())
            elif field == "sparse_tensor":
                attribute.sparse_tensor.CopyFrom(sparse())
            elif field == "sparse_tensors":
                attribute.sparse_tensors.append(sparse())
            elif depth and field == "g":
                attribute.g.CopyFrom(graph(depth - 1))
            elif depth:
                attribute.graphs.append(graph(depth - 1))
        made = helper.make_graph([node], "g", [], [], [tensor()])
        made.sparse_initializer.append(sparse())
        return made

    model = helper.make_model(graph(2))
    function = model.functions.add()
    function.node.append(graph(0).node[0])
    function.attribute_proto.append(graph(0).node[0].attribute[0])
    training = model.training_info.add()
    training.initialization.CopyFrom(graph(0))
    training.algorithm.CopyFrom(graph(0))
    return model


def locations_of(message):
    """Return all locations in a message, found through the library's own description of it."""
    found = set()
    if message.DESCRIPTOR.name == "TensorProto":
        found |= {entry.value for entry in message.external_data if entry.key == "location"}
    for field, value in message.ListFields():
        if field.message_type is not None:
            repeated = isinstance(value, list) or hasattr(value, "add")
            for each in value if repeated else [value]:
                found |= locations_of(each)
    return found


def test_tensors_in_every_place(tmp_path):
    model = everywhere()
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    wanted = locations_of(model)
    assert len(wanted) > 40
    for name in wanted:
        (tmp_path / name).write_bytes(b"x")
    assert set(external_files(tmp_path / "model.onnx")) == wanted


def test_a_graph_without_files(tmp_path):
    (tmp_path / "model.onnx").write_bytes(onnx_files.graph())
    assert external_files(tmp_path / "model.onnx") == []


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/../../b", "..\\x", "C:\\x", "", "\\x"])
def test_files_outside_the_folder_are_refused(tmp_path, name):
    model = helper.make_model(helper.make_graph([], "g", [], [], [outside("t", name)]))
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(TermgaugeError, match="which is not in its folder; get it again from a source that you trust"):
        external_files(tmp_path / "model.onnx")


def test_a_file_that_is_not_there(tmp_path):
    model = helper.make_model(helper.make_graph([], "g", [], [], [outside("t", "weights/table.data")]))
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(TermgaugeError, match=r"takes weights from 'weights/table\.data', which is not there"):
        external_files(tmp_path / "model.onnx")


@given(st.binary(max_size=200) | st.integers(1, 300).map(lambda size: onnx_files.graph()[:size]))
def test_anything_else_is_a_sentence_or_nothing(tmp_path, content):
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    with suppress(TermgaugeError):
        assert isinstance(external_files(path), list)


def test_a_graph_nested_too_deep(tmp_path):
    inner = b""
    for _ in range(200):  # an attribute with a graph with a node with an attribute …
        for tag in (b"\x32", b"\x2a", b"\x0a"):
            length, size = len(inner), b""
            while length > 127:
                size, length = size + bytes([length & 127 | 128]), length >> 7
            inner = tag + size + bytes([length]) + inner
    (tmp_path / "model.onnx").write_bytes(b"\x3a" + b"\xff\xff\xff\xff\x0f" + inner)
    with pytest.raises(TermgaugeError, match="is no ONNX graph"):
        external_files(tmp_path / "model.onnx")
