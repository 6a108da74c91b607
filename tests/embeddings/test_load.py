from __future__ import annotations

import json
import math
import sys
import zipfile

import numpy as np
import polars as pl
import pytest

from termgauge.benchmark.pairset import PairSet
from termgauge.embeddings.load import load_model, source_hash, with_missing
from termgauge.embeddings.spec import ModelSpec
from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of
from termgauge.similarity.scoring import score_pairs
from tests.embeddings import onnx_files
from tests.embeddings import vector_files as files


@pytest.fixture
def path(tmp_path, table):
    (tmp_path / "a.txt").write_bytes(files.glove(*table))
    return tmp_path / "a.txt"


def test_a_path_a_spec_and_a_parsed_spec_are_one_model(path):
    models = [load_model(each) for each in (path, str(path), f"glove:{path}", ModelSpec.parse(f"glove:{path}"))]
    assert len({model.identity for model in models}) == 1
    assert {model.name for model in models} == {"a"}


def test_options_as_arguments_win_over_those_of_the_spec(path):
    assert load_model(f"{path}?lowercase=true", lowercase=False).identity == load_model(path).identity
    assert load_model(path, kind="concepts").kind == "concepts"
    with pytest.raises(TermgaugeError, match="no option 'lowercas'"):
        load_model(path, lowercas=True)


def test_one_file_of_an_archive(tmp_path, table, path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name in ("one.txt", "two.txt"):
            archive.write(path, name)
    with pytest.raises(TermgaugeError, match=r"holds 2 files where one is needed \(one\.txt, two\.txt\)"):
        load_model(f"glove:{tmp_path / 'a.zip'}")
    model = load_model(f"glove:{tmp_path / 'a.zip'}?member=two.txt")
    np.testing.assert_array_equal(model.vectors(table[0]), table[1])
    assert model.identity == load_model(path).identity  # the contents count, not where they lie


def test_words_of_their_own_are_no_tokens(tmp_path, table):
    words, vectors = table
    raw = [word.encode() for word in words]
    tensors = {
        "vectors": vectors,
        "words": np.frombuffer(b"".join(raw), np.uint8),
        "word_offsets": np.cumsum([0, *map(len, raw)]),
    }
    (tmp_path / "a.safetensors").write_bytes(files.safetensors(tensors))
    np.testing.assert_array_equal(load_model(tmp_path / "a.safetensors").vectors(words), vectors)
    with pytest.raises(TermgaugeError, match="holds vectors of words, not of tokens"):
        load_model(tmp_path / "a.safetensors", kind="terms")


def test_a_hash_of_several_files_depends_on_their_contents_alone(tmp_path):
    for name, content in (("a", b"1"), ("b", b"2"), ("c", b"1")):
        (tmp_path / name).write_bytes(content)
    a, b, c = (files_of(tmp_path / name)[0] for name in "abc")
    assert source_hash([a]) == source_hash([c])
    assert source_hash([a]) != source_hash([b])
    assert source_hash([a, b]) == source_hash([b, c])


@pytest.mark.parametrize("policy", ["strict", "available", "zero", None])
def test_one_policy_about_missing_words_for_all(tmp_path, policy):
    path = tmp_path / "v.txt"
    path.write_text("2 2\nheart 1 0\nattack 0 1\n")
    pairs = PairSet("x", pl.DataFrame({"term_1": ["heart attack", "heart"], "term_2": ["heart zzz", "attack"],
                                       "label": [1, 0]}))  # fmt: skip
    scores = score_pairs(load_model(with_missing(str(path), policy)), pairs, ["avg_cos"])["avg_cos"]
    expected = {"available": math.sqrt(0.5), "zero": 0.0}.get(policy, math.nan)
    assert scores[0] == pytest.approx(expected, nan_ok=True)
    assert scores[1] == 0
    said = f"{path}?missing=strict"
    assert with_missing(said, policy) == said
    assert with_missing("wordllama:?kind=terms", policy) == "wordllama:?kind=terms"
    assert with_missing(str(tmp_path / "nothing.bin"), policy) == str(tmp_path / "nothing.bin")


def checkpoint(folder, *, sentences):
    """Write the files by which a checkpoint is known, with weights of several matrices."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"model_type": "bert", "hidden_size": 2}))
    (folder / "tokenizer.json").write_text("{}")
    weights = {"a.weight": np.eye(2, dtype=np.float32), "b.weight": np.eye(2, dtype=np.float32)}
    (folder / "model.safetensors").write_bytes(files.safetensors(weights))
    if sentences:
        (folder / "modules.json").write_text(json.dumps([{"type": "sentence_transformers.models.Transformer"}]))


def in_cache(home, hub_id, *, revision="main", commit="abc123"):
    """Return where the cache of Hugging Face has a revision of a hub id."""
    model = home / "hub" / f"models--{hub_id.replace('/', '--')}"
    (model / "refs").mkdir(parents=True, exist_ok=True)
    (model / "refs" / revision).write_text(commit)
    return model / "snapshots" / commit


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """Return the home of an empty cache of Hugging Face; the working folder is empty, too."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "hf"


@pytest.mark.parametrize("named", ["folder", "its weights", "a hub id in the cache", "a revision"])
@pytest.mark.parametrize(
    ("sentences", "scheme", "library"),
    [(True, "sentence-transformers", "sentence_transformers"), (False, "transformers", "torch")],
)
def test_checkpoints_are_recognised_and_say_what_to_install(hub, monkeypatch, named, sentences, scheme, library):
    monkeypatch.setitem(sys.modules, library, None)
    folder = in_cache(hub, "org/name-v1.5", revision="v2" if named == "a revision" else "main")
    checkpoint(folder, sentences=sentences)
    spec = {
        "folder": str(folder),
        "its weights": str(folder / "model.safetensors"),
        "a revision": "org/name-v1.5?revision=v2",
    }
    with pytest.raises(TermgaugeError) as error:
        load_model(spec.get(named, "org/name-v1.5"))
    assert str(error.value) == (
        f"{folder}: is a {scheme} folder, which needs {library.replace('_', '-')}; "
        "install it with: pip install 'termgauge[transformers]'."
    )
    assert list(load_model(f"{folder}?tensor=a.weight&tokenizer={tokenizer(hub)}").vocabulary)  # vectors of tokens


def tokenizer(folder):
    onnx_files.tokenizer().save(str(folder / "tokens.json"))
    return folder / "tokens.json"


def test_a_hub_id_that_is_not_on_disk_is_not_downloaded(hub, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(TermgaugeError) as error:
        load_model("sentence-transformers/all-MiniLM-L6-v2")
    assert str(error.value) == (
        "sentence-transformers/all-MiniLM-L6-v2: is neither a file or folder here nor in the local Hugging Face cache "
        f"({hub / 'hub'}); if it is the id of a model to be downloaded, name it "
        "sentence-transformers:sentence-transformers/all-MiniLM-L6-v2 or "
        "transformers:sentence-transformers/all-MiniLM-L6-v2."
    )
    with pytest.raises(TermgaugeError, match=r"^vectors/a\.bin: there is no such file or folder"):
        load_model("vectors/a.bin")


@pytest.mark.parametrize("revision", ["../../..", "{home}", "refs/../../x", "no-such-branch"])
def test_a_revision_leads_to_no_other_folder(hub, revision):
    checkpoint(in_cache(hub, "org/name"), sentences=True)
    checkpoint(hub / "x", sentences=True)
    with pytest.raises(TermgaugeError, match=r"^org/name: is neither a file or folder here nor in the local"):
        load_model(f"org/name?revision={revision.format(home=hub / 'x')}")


def test_weights_that_are_not_there_are_not_taken_for_a_hub_id(hub, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    checkpoint(hub.parent / "work" / "bert", sentences=False)
    with pytest.raises(TermgaugeError, match=r"^bert/model\.bin: there is no such file or folder"):
        load_model("bert/model.bin")


@pytest.mark.usefixtures("hub")
def test_what_lies_here_wins_over_a_hub_id(tmp_path, table):
    place = tmp_path / "work" / "org"
    place.mkdir()
    (place / "name").write_bytes(files.glove(*table))
    np.testing.assert_array_equal(load_model("org/name").vectors(table[0]), table[1])
    with pytest.raises(TermgaugeError, match=r"^org/nam: there is no such file or folder"):
        load_model("org/nam")


def test_a_folder_of_an_onnx_graph_is_recognised(tmp_path):
    folder = tmp_path / "tiny"
    onnx_files.write(folder)
    (folder / "config.json").write_text(json.dumps({"model_type": "bert", "hidden_size": 8}))
    assert load_model(f"{folder}?pooling=mean").identity == load_model(f"onnx:{folder}?pooling=mean").identity


@pytest.mark.parametrize("settings", ["config.json", "modules.json"])
def test_static_vectors_of_tokens_stay_what_they_are(tmp_path, settings):
    content = {
        "config.json": {"model_type": "model2vec", "hidden_dim": 2},
        "modules.json": [{"type": "sentence_transformers.models.StaticEmbedding"}],
    }
    (tmp_path / settings).write_text(json.dumps(content[settings]))
    rows = np.ones((len(onnx_files.WORDS), 2), np.float32)
    (tmp_path / "model.safetensors").write_bytes(files.safetensors({"embeddings": rows}))
    tokenizer(tmp_path).rename(tmp_path / "tokenizer.json")
    assert load_model(tmp_path).identity.scheme == "safetensors"
