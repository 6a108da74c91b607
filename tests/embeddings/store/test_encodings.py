from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings.store.encodings import EncodingStore, text_hashes


def test_hashes_of_texts_differ_and_end_in_no_zero():
    hashes = text_hashes([f"{number}" for number in range(5000)])
    assert len(np.unique(hashes)) == 5000
    assert {len(each) for each in hashes.tolist()} == {16}


def test_an_empty_store_finds_nothing(tmp_path):
    store = EncodingStore(tmp_path / "none")
    store.refresh()
    assert len(store) == 0
    assert store.dimension is None
    assert store.find(text_hashes(["a"])).tolist() == [-1]


@given(st.lists(st.lists(st.text(max_size=3), min_size=1, max_size=5, unique=True), max_size=4), st.data())
def test_a_store_finds_what_was_added_in_chunks(tmp_path_factory, chunks, data):
    folder = tmp_path_factory.mktemp("store")
    writer, reader = EncodingStore(folder), EncodingStore(folder)
    known = {}
    for chunk in chunks:
        vectors = np.array([[len(known) + at, len(text), 1] for at, text in enumerate(chunk)], np.float32)
        writer.add(text_hashes(chunk), vectors, np.array([len(text) > 2 for text in chunk]))
        known |= {text: vectors[at, 1:].tolist() for at, text in enumerate(chunk)}
    reader.refresh()
    assert len(reader) == len(known)
    asked = data.draw(st.lists(st.sampled_from([*known, "a text that nobody added"]), max_size=8))
    places = reader.find(text_hashes(asked))
    assert (places >= 0).tolist() == [text in known for text in asked]
    there = np.flatnonzero(places >= 0)
    if len(there):
        into = np.zeros((len(asked), 3), np.float32)
        reader.gather(places[there], into, there)
        assert into[there, 1:].tolist() == [known[asked[at]] for at in there]
        assert reader.cut(places[there]).tolist() == [len(asked[at]) > 2 for at in there]
