from __future__ import annotations

import zipfile

import numpy as np
import pytest

from termgauge.embeddings.load import load_model, source_hash
from termgauge.embeddings.spec import ModelSpec
from termgauge.exceptions import TermgaugeError
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
