"""Files of models that are sent; that every scheme survives it is tested in tests/common."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest

from termgauge.embeddings.load import load_model
from termgauge.embeddings.sending import ModelArtifacts, model_artifacts, relocated
from termgauge.embeddings.spec import ModelSpec
from termgauge.io.artifacts import NAMESPACE
from tests.common.executors import FarExecutor, SmallExecutor
from tests.common.model_samples import WORDS, sample_vectors
from tests.embeddings import onnx_files
from tests.embeddings import vector_files as files


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def sent(tmp_path, home):
    """Return a function that opens a model here, sends it, loses its files here and opens it where it arrived."""

    def both(text):
        spec = ModelSpec.parse(text)
        before = load_model(spec)
        artifacts = pickle.loads(pickle.dumps(model_artifacts(spec, FarExecutor(tmp_path / "far").artifact)))
        home.rename(tmp_path / "gone")
        return before, load_model(relocated(spec, artifacts)), artifacts

    return both


def _names(artifacts: ModelArtifacts) -> list[str]:
    return sorted(Path(artifact.path).name for artifact in artifacts)


@pytest.mark.parametrize(
    "spec",
    [
        "glove:",
        "medline:",
        "wordllama:?kind=terms",
        "word2vec:package:termgauge/py.typed",
        "sentence-transformers:",
        "transformers:owner/name?pooling=mean",
        "flair:pubmed",
        "openai:small",
        "baseline:levenshtein",
        "word2vec:not-there.bin",
        "not-there.bin",
    ],
)
def test_what_is_no_file_here_is_not_sent(spec, tmp_path):
    parsed = ModelSpec.parse(spec)
    artifacts = model_artifacts(parsed, SmallExecutor(tmp_path))
    assert artifacts == ModelArtifacts()
    assert relocated(parsed, artifacts) == parsed


def _matrix(folder, words="list.txt"):
    np.save(folder / "matrix.npy", sample_vectors(len(WORDS)))
    (folder / words).parent.mkdir(exist_ok=True)
    (folder / words).write_text("\n".join(WORDS), encoding="utf-8")
    (folder / "huge.bin").write_bytes(b"what else lies there")


@pytest.mark.parametrize("scheme", ["numpy:", ""])
def test_a_list_of_words_beside_a_matrix_goes_along(home, sent, scheme):
    _matrix(home, "matrix.words")
    before, after, artifacts = sent(f"{scheme}{home / 'matrix.npy'}")
    assert after.identity == before.identity
    assert _names(artifacts) == ["matrix.npy", "matrix.words"]
    np.testing.assert_array_equal(after.vectors(["fever", "β2"]), before.vectors(["fever", "β2"]))


@pytest.mark.parametrize("named", ["lists/words.txt", "elsewhere/lists/words.txt", "{home}/lists/words.txt"])
def test_a_file_that_an_option_names(home, sent, named, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _matrix(home, "lists/words.txt")
    if named.startswith("elsewhere"):
        shutil.copytree(home / "lists", tmp_path / "elsewhere" / "lists")
        shutil.rmtree(home / "lists")
    before, after, artifacts = sent(f"numpy:home/matrix.npy?words={named.format(home=home)}&lowercase=true")
    assert after.identity == before.identity
    assert _names(artifacts) == ["matrix.npy", "words.txt"]
    assert after.name == before.name == "matrix"


def test_a_choice_that_could_be_a_file_is_none(home, sent):
    _matrix(home, "matrix.txt")
    before, after, artifacts = sent(f"numpy:{home / 'matrix.npy'}?words=possessive")
    assert after.identity == before.identity
    assert _names(artifacts) == ["matrix.npy", "matrix.txt"]


def _tokens(folder, tokenizer="tokenizer.json", settings="config.json"):
    tokenizers = pytest.importorskip("tokenizers")
    vocabulary = {word: number for number, word in enumerate(["[UNK]", *WORDS])}
    for name in (tokenizer, settings):
        (folder / name).parent.mkdir(exist_ok=True)
    tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]")).save(str(folder / tokenizer))
    (folder / settings).write_text(json.dumps({"normalize": True, "max_length": 7}))
    (folder / "weights").mkdir(exist_ok=True)
    place = folder / "weights" / "l2_a_6.safetensors"
    place.write_bytes(files.safetensors({"embeddings": sample_vectors(8)}))
    return place


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize(
    ("tokenizer", "settings"),
    [
        ("weights/tokenizer.json", "weights/config.json"),
        ("tokenizer.json", "config.json"),
        ("tokenizers/tokenizer.json", "config.json"),
        ("tokenizers/l2_a_tokenizer_config.json", "weights/config.json"),
    ],
)
def test_a_tokenizer_and_settings_around_vectors_go_along(home, sent, tokenizer, settings, links, monkeypatch):
    if not links:

        def refused(*_arguments, **_options):
            raise OSError("no links here")

        monkeypatch.setattr(Path, "symlink_to", refused)
    before, after, artifacts = sent(f"model2vec:{_tokens(home, tokenizer, settings)}?kind=terms")
    assert after.identity == before.identity
    assert dict(after.identity.options)["longest"] == "7"
    assert _names(artifacts) == sorted(["l2_a_6.safetensors", Path(tokenizer).name, "config.json"])
    np.testing.assert_array_equal(after.encode(WORDS), before.encode(WORDS))


def test_what_arrived_elsewhere_later_is_linked_again(home, tmp_path, cache_folder):
    spec = ModelSpec.parse(f"model2vec:{_tokens(home)}?kind=terms")
    for name in ("one", "two"):
        there = load_model(relocated(spec, model_artifacts(spec, FarExecutor(tmp_path / name).artifact)))
        assert np.isfinite(there.encode(["fever"])).all()
        shutil.rmtree(cache_folder / NAMESPACE)


def test_on_the_same_disk_files_are_where_they_were(home, tmp_path, cache_folder):
    place = _tokens(home)
    spec = ModelSpec.parse(f"model2vec:{place}")
    assert relocated(spec, model_artifacts(spec, SmallExecutor(tmp_path).artifact)).location == str(place)
    assert not (cache_folder / "models").exists()


def test_an_encoder_whose_tokenizer_lies_above_its_graph(home, sent):
    pytest.importorskip("onnxruntime")
    onnx = pytest.importorskip("onnx")
    onnx_files.write(home, pooling={"pooling_mode_mean_tokens": True}, normalize=True)
    (home / "onnx").mkdir()
    model = onnx.load_from_string((home / "model.onnx").read_bytes())
    onnx.external_data_helper.convert_model_to_external_data(model, location="weights.data", size_threshold=0)
    (home / "model.onnx").unlink()
    onnx.save(model, home / "onnx" / "model.onnx")
    before, after, artifacts = sent(f"onnx:{home / 'onnx' / 'model.onnx'}")
    assert after.identity == before.identity
    assert {"model.onnx", "weights.data", "tokenizer.json", "modules.json", "config.json"} <= set(_names(artifacts))
    np.testing.assert_allclose(np.linalg.norm(after.encode(["heart attack"])), 1, rtol=1e-6)


def test_a_file_that_is_no_model_is_sent_and_refused_there(home, tmp_path):
    (home / "a.txt").write_bytes(b"\x00\x01")
    spec = ModelSpec.parse(str(home / "a.txt"))
    assert _names(model_artifacts(spec, SmallExecutor(tmp_path).artifact)) == ["a.txt"]


def test_a_name_that_the_path_gave_stays(tmp_path, monkeypatch, home):
    (home / "a.txt").write_bytes(files.glove(WORDS, sample_vectors(len(WORDS))))
    monkeypatch.chdir(home)
    shutil.copy(home / "a.txt", home / "50%=half?.txt")
    for text in ("glove:.?member=a.txt", "glove:a.txt", "My=glove:a.txt", "glove:50%=half%3F.txt"):
        spec = ModelSpec.parse(text)
        there = relocated(spec, model_artifacts(spec, FarExecutor(tmp_path / "far").artifact))
        assert there.name == load_model(there).name == load_model(spec).name
        assert ModelSpec.parse(str(there)) == there
