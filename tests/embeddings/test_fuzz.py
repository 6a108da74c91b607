"""Whatever bytes a file holds, it is a model or an error that says why not."""

from __future__ import annotations

import struct
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.embeddings import vector_files as files

VECTORS = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
WORDS = ["a", "bé", "c d", "e"]
GOOD = {
    "word2vec": [files.word2vec_text(WORDS, VECTORS), files.word2vec_binary(["a", "b", "c", "d"], VECTORS)],
    "glove": [files.glove(WORDS, VECTORS)],
    "delimited": [files.csv(WORDS, VECTORS), files.csv(WORDS, VECTORS, separator="\t", header=False)],
    "fasttext": [files.fasttext(["a", "b"], VECTORS, buckets=2), files.word2vec_text(WORDS, VECTORS)],
    "safetensors": [
        files.safetensors({"vectors": VECTORS, "words": np.frombuffer(b"abcd", np.uint8), "word_offsets": np.arange(5)})
    ],
}


@st.composite
def spoiled(draw, good):
    """A good file with some bytes changed, cut out or added; or no good file at all."""
    data = bytearray(draw(st.sampled_from(good)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        match draw(st.sampled_from(["change", "insert", "cut", "number"])):
            case "change":
                data[at : at + 1] = draw(st.binary(min_size=1, max_size=2))
            case "insert":
                data[at:at] = draw(st.sampled_from([b" ", b"\n", b",", b"\x00", b"nan", b"-", b"1e99", b'"', b"\xff"]))
            case "cut":
                del data[at : at + draw(st.integers(1, 20))]
            case "number":
                data[at : at + 4] = struct.pack("<i", draw(st.integers(-(2**31), 2**31 - 1)))
    return bytes(data)


def check(path, spec):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TermgaugeWarning)
        try:
            model = load_model(spec)
        except TermgaugeError as error:
            refused = str(error)
        else:
            refused = ""
    if refused:
        assert str(path.parent) in refused
        return
    rows = np.arange(len(model.vocabulary.words))
    assert np.isfinite(model.gather(rows)).all()
    assert model.vocabulary.find(list(model.vocabulary)).shape == (len(model.vocabulary),)


@pytest.mark.parametrize("scheme", ["", *GOOD])
@given(data=st.data())
def test_any_bytes(tmp_path, scheme, data):
    good = GOOD.get(scheme) or [file for group in GOOD.values() for file in group]
    path = tmp_path / "file"
    path.write_bytes(data.draw(st.binary(max_size=200) | spoiled(good)))
    check(path, f"{scheme}:{path}" if scheme else str(path))


@given(data=st.data())
def test_any_npy(tmp_path, data):
    import io

    whole = io.BytesIO()
    np.save(whole, VECTORS)
    path = tmp_path / "v.npy"
    path.write_bytes(data.draw(st.binary(max_size=200) | spoiled([whole.getvalue()])))
    (tmp_path / "words.txt").write_bytes(data.draw(st.just(b"a\nb\nc\nd\n") | st.binary(max_size=20)))
    check(path, f"numpy:{path}")


@given(data=st.data())
def test_any_text(tmp_path, data):
    path = tmp_path / "file.txt"
    text = data.draw(st.text(st.sampled_from('ab .,;\t\n\r"-+e0123456789é'), max_size=120))
    path.write_text(text, encoding="utf-8", newline="")
    for scheme in ("", "glove:", "word2vec:", "delimited:"):
        check(path, f"{scheme}{path}")
