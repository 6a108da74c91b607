from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings.encoders import encoding
from termgauge.embeddings.encoders.encoding import Batch, batches_of, checked_vectors, encoded, keep
from termgauge.embeddings.store.encodings import EncodingStore, text_hashes
from termgauge.exceptions import TermgaugeError
from tests.embeddings.toy_encoders import CountingEncoder, vector_of


@given(st.lists(st.integers(0, 9), max_size=50), st.integers(1, 8), st.integers(0, 9))
def test_batches_hold_each_text_once_the_longest_first(lengths, size, longest):
    texts = [f"{number}" for number in range(len(lengths))]
    made = list(batches_of(texts, np.array(lengths, np.int64), longest or None, size))
    order = [int(text) for batch in made for text in batch.texts]
    assert order == sorted(range(len(lengths)), key=lambda at: (-lengths[at], at))
    assert [len(batch.texts) for batch in made[:-1]] == [size] * (len(made) - 1)
    cut = np.concatenate([np.empty(0, np.bool_), *(batch.cut for batch in made)])
    assert cut.tolist() == [bool(longest) and lengths[at] > longest for at in order]


def _batch(*texts):
    return Batch(list(texts), np.zeros(len(texts), np.bool_))


def _part(text):
    return text_hashes([text]), vector_of(text)[None], np.zeros(1, np.bool_)


def test_a_vector_of_another_length_is_refused():
    encoder = CountingEncoder(spoil=lambda vectors, at: vectors[:, : 7 - at])
    made = encoded(encoder, [_batch("a", "b"), _batch("c")], None)
    assert next(made)[1].shape == (2, 6)
    with pytest.raises(TermgaugeError, match="a vector of 5 numbers for 'c' after vectors of 6"):
        next(made)
    with pytest.raises(TermgaugeError, match="a vector of 6 numbers for 'a' after vectors of 7"):
        next(encoded(CountingEncoder(), [_batch("a")], 7))


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (np.zeros((1, 2)), "gave 1 vectors for 2 terms"),
        (np.zeros(2), "gave 2 vectors for 2 terms"),
        (np.array([[0.0], [np.inf]]), r"NaN or infinity for 'b' \(1 of 2 terms"),
    ],
)
def test_what_are_no_vectors_of_the_texts(vectors, message):
    with pytest.raises(TermgaugeError, match=message):
        checked_vectors("toy", ["a", "b"], vectors)


def test_a_chunk_is_written_when_it_is_full_and_when_all_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(encoding, "CHUNK_ROWS", 3)
    store = EncodingStore(tmp_path)

    def written():
        store.refresh()
        return len(store)

    def parts():
        for text, expected in (("a", 0), ("b", 0), ("c", 0), ("d", 3)):
            assert written() == expected
            yield _part(text)
        raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        assert list(keep(store, parts())) == []
    assert written() == 4
    assert (store.find(text_hashes(["a", "b", "c", "d", "e"])) >= 0).tolist() == [True, True, True, True, False]


def test_a_chunk_is_written_after_a_while(tmp_path, monkeypatch):
    monkeypatch.setattr(encoding, "CHUNK_SECONDS", 0.0)
    store = EncodingStore(tmp_path)
    done = keep(store, [_part("a"), _part("b")])
    assert next(done) == 1
    store.refresh()
    assert len(store) == 1
