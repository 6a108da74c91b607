from __future__ import annotations

import math
import zipfile

import numpy as np
import polars as pl
import pytest

from termgauge.benchmark.pairset import PairSet
from termgauge.embeddings.load import load_model, source_hash, with_missing
from termgauge.embeddings.spec import ModelSpec
from termgauge.exceptions import TermgaugeError
from termgauge.similarity.scoring import score_pairs
from termgauge.source import files_of
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
