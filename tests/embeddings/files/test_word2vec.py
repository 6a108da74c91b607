from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile

import numpy as np
import pytest

from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.embeddings import vector_files as files


def assert_holds(model, words, vectors):
    assert list(model.vocabulary) == list(words)
    np.testing.assert_array_equal(model.vectors(words), vectors)


@pytest.mark.parametrize("end", [b"\n", b""])
def test_binary(tmp_path, table, end):
    words, vectors = table
    (tmp_path / "a.bin").write_bytes(files.word2vec_binary(words, vectors, end=end))
    assert_holds(load_model(tmp_path / "a.bin"), words, vectors)


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b" \n"])
def test_text(tmp_path, table, line_end):
    words, vectors = table
    (tmp_path / "a.vec").write_bytes(files.word2vec_text(words, vectors).replace(b"\n", line_end))
    assert_holds(load_model(tmp_path / "a.vec"), words, vectors)
    assert_holds(load_model(f"fasttext:{tmp_path / 'a.vec'}"), words, vectors)


@pytest.mark.parametrize("make", [files.word2vec_text, files.word2vec_binary, files.glove, files.csv])
@pytest.mark.parametrize("pack", ["gz", "bz2", "xz", "zip"])
def test_compressed(tmp_path, table, make, pack):
    words, vectors = table
    data = make(words, vectors)
    path = tmp_path / f"a.{pack}"
    if pack == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("inside/a.txt", data)
    else:
        path.write_bytes({"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}[pack](data))
    assert_holds(load_model(path), words, vectors)


def test_an_archive_of_several_files_needs_a_name(tmp_path, table):
    words, vectors = table
    with zipfile.ZipFile(tmp_path / "glove.zip", "w") as archive:
        archive.writestr("glove.2d.txt", files.glove(words, vectors[:, :2]))
        archive.writestr("glove.5d.txt", files.glove(words, vectors))
    with pytest.raises(TermgaugeError, match=r"2 files .*glove.2d.txt.*\?member="):
        load_model(tmp_path / "glove.zip")
    assert_holds(load_model(f"{tmp_path / 'glove.zip'}?member=glove.5d.txt"), words, vectors)


def test_equals_gensim_on_real_vectors(shared, gensim):
    if shared is None:
        pytest.skip("no shared data here")
    path = shared / "data" / "vectors" / "w2v_medline_100d.bin"
    theirs = gensim.KeyedVectors.load_word2vec_format(str(path), binary=True)
    ours = load_model(path)
    assert list(ours.vocabulary) == theirs.index_to_key
    np.testing.assert_allclose(ours.vectors(theirs.index_to_key), theirs.vectors, rtol=0, atol=1e-6)


@pytest.mark.parametrize("binary", [True, False])
def test_equals_gensim_on_words_that_are_no_utf8(tmp_path, gensim, binary):
    words = [b"fever", b"caf\xe9", b"\xff\xfe", "naïve".encode(), b"x\xa0y"]
    vectors = np.random.default_rng(5).normal(size=(5, 3)).astype(np.float32)
    header = b"5 3\n"
    if binary:
        data = files.word2vec_binary(words, vectors)
    else:
        data = header + b"".join(
            word + b" " + " ".join(map(repr, row)).encode() + b"\n"
            for word, row in zip(words, vectors.tolist(), strict=True)
        )
    path = tmp_path / "a.bin"
    path.write_bytes(data)
    theirs = gensim.KeyedVectors.load_word2vec_format(str(path), binary=binary, unicode_errors="ignore")
    ours = load_model(path)
    assert [ours.vocabulary.words.raw(row) for row in range(5)] == words
    assert [word.replace("\ufffd", "") for word in ours.vocabulary] == theirs.index_to_key
    np.testing.assert_array_equal(ours.gather(np.arange(5)), theirs.vectors)
    assert ours.known(["fever", "naïve", "caf"]).tolist() == [True, True, False]


@pytest.mark.parametrize("make", [files.word2vec_text, files.word2vec_binary])
def test_fewer_words_than_the_header_promises(tmp_path, table, make):
    (tmp_path / "a.bin").write_bytes(make(*table, count=9))
    with pytest.raises(TermgaugeError, match=r"a\.bin: its first line promises 9 words but it holds 7"):
        load_model(tmp_path / "a.bin")


@pytest.mark.parametrize("make", [files.word2vec_text, files.word2vec_binary])
def test_more_words_than_the_header_promises(tmp_path, table, make):
    words, vectors = table
    (tmp_path / "a.bin").write_bytes(make(words, vectors, count=4))
    with pytest.warns(TermgaugeWarning, match="the rest is left out"):
        model = load_model(tmp_path / "a.bin")
    assert_holds(model, words[:4], vectors[:4])


def test_a_short_last_record(tmp_path, table):
    (tmp_path / "a.bin").write_bytes(files.word2vec_binary(*table, end=b"")[:-3])
    with pytest.raises(TermgaugeError, match=r"a\.bin, record 7 of 7: is cut off"):
        load_model(tmp_path / "a.bin")


def test_a_short_last_line(tmp_path, table):
    (tmp_path / "a.txt").write_bytes(files.word2vec_text(*table).rstrip(b"\n").rpartition(b" ")[0])
    with pytest.raises(TermgaugeError, match=r"a\.txt, line 8: has 4 numbers where the lines before have 5"):
        load_model(tmp_path / "a.txt")


def test_a_dimension_of_zero(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"1 0\nfever\n")
    with pytest.raises(TermgaugeError, match="line 1: states vectors of 0 numbers"):
        load_model(tmp_path / "a.txt")


def test_records_over_several_blocks(tmp_path, monkeypatch, gensim):
    from termgauge.embeddings.files import readers

    monkeypatch.setattr(readers, "RECORD_BLOCK_BYTES", 100)
    words = [f"word{number}" * (number % 5 + 1) for number in range(500)]
    vectors = np.random.default_rng(1).normal(size=(500, 20)).astype(np.float32)
    (tmp_path / "a.bin").write_bytes(files.word2vec_binary(words, vectors))
    assert_holds(load_model(tmp_path / "a.bin"), words, vectors)
    theirs = gensim.KeyedVectors.load_word2vec_format(str(tmp_path / "a.bin"), binary=True)
    np.testing.assert_array_equal(theirs.vectors, vectors)


def test_no_header(tmp_path, table):
    (tmp_path / "a.txt").write_bytes(files.glove(*table))
    with pytest.raises(TermgaugeError, match=r"line 1: does not say how many words .* glove:"):
        load_model(f"word2vec:{tmp_path / 'a.txt'}")
