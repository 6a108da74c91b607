from __future__ import annotations

import numpy as np
import pytest

from termgauge.embeddings.encoders.encoding import ContextualTokens
from termgauge.embeddings.model import ModelIdentity, WordModel
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.io.store import entries
from tests.embeddings.toy_encoders import vector_of

TERMS = ["heart attack", "attack", "", "heart attack", "acute heart failure", " "]


class Words:
    """Gives a word a vector that depends on the whole text."""

    name, source, dimension, batch_size = "words", "made up", 4, 2
    identity = ModelIdentity("words", "toy", "v1")

    def __init__(self):
        self.asked = []

    def token_vectors(self, texts):
        self.asked += texts
        return [(text.split(), np.stack([vector_of(f"{word}|{text}", 4) for word in text.split()])) for text in texts]


def test_a_term_is_its_tokens_in_their_context():
    model = ContextualTokens(Words())
    assert isinstance(model, WordModel)
    tokens = model.words_of(TERMS)
    assert tokens.missing.tolist() == [not term.strip() for term in TERMS]
    for at, term in enumerate(TERMS):
        rows = tokens.indices[tokens.indptr[at] : tokens.indptr[at + 1]]
        assert [tokens.words[row] for row in rows] == term.split()
        for row, word in zip(rows, term.split(), strict=True):
            np.testing.assert_array_equal(tokens.vectors[row], vector_of(f"{word}|{term}", 4))


def test_each_text_is_encoded_once_and_found_again():
    model, again = ContextualTokens(Words()), ContextualTokens(Words())
    one = model.words_of(TERMS)
    assert sorted(model.encoder.asked) == sorted({term for term in TERMS if term.strip()})
    two = again.words_of(TERMS[::-1])
    assert again.encoder.asked == []
    np.testing.assert_array_equal(one.means, two.means[::-1])


@pytest.mark.parametrize("name", ["vectors.f4", "starts.npy", "tokens.json", "checksums.json"])
def test_what_was_damaged_is_made_again(name):
    first = ContextualTokens(Words()).words_of(TERMS)
    means = first.means.copy()
    (entry,) = entries("token-vectors")
    data = bytearray((entry.path / name).read_bytes())
    data[-4] ^= 1
    (entry.path / name).write_bytes(data)
    with pytest.warns(TermgaugeWarning, match="was damaged; its vectors are computed again"):
        again = ContextualTokens(Words()).words_of(TERMS)
    np.testing.assert_array_equal(means, again.means)
    assert first.words == again.words


def test_a_word_alone_is_a_term():
    model = ContextualTokens(Words())
    np.testing.assert_array_equal(model.vectors(["heart"])[0], vector_of("heart|heart", 4))
    assert model.known(["heart", " "]).tolist() == [True, False]
    with pytest.raises(KeyError):
        model.vectors(["heart", " "])
    assert len(model.vocabulary) == 0


def test_an_encoder_that_gives_no_numbers_is_damaged():
    class Damaged(Words):
        def token_vectors(self, texts):
            return [(["x"], np.full((1, 4), np.nan, np.float32)) for _ in texts]

    with pytest.raises(TermgaugeError, match="gave no numbers for 'heart'"):
        ContextualTokens(Damaged()).words_of(["heart"])
