from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings.store.vocabulary import PackedWords, Vocabulary

word_lists = st.lists(st.binary(max_size=6) | st.sampled_from([b"fever", b"cough", b""]), max_size=60)


def first_rows(words):
    rows = {}
    for row, word in enumerate(words):
        rows.setdefault(word, row)
    return rows


@given(word_lists, word_lists)
def test_finds_what_a_dictionary_finds(words, queries):
    vocabulary = Vocabulary.from_words(words)
    rows = first_rows(words)
    found = vocabulary.find(PackedWords.from_words([*queries, *words]))
    assert found.tolist() == [rows.get(word, -1) for word in [*queries, *words]]
    assert len(vocabulary) == len(rows)
    assert vocabulary.rows.tolist() == sorted(rows.values())
    assert vocabulary.repeated.tolist() == [row for row, word in enumerate(words) if rows[word] != row]


@given(word_lists, word_lists)
def test_different_words_with_one_hash_are_told_apart(words, queries):
    original = PackedWords.hashes
    PackedWords.hashes = lambda self: original(self) % np.uint64(3)
    try:
        vocabulary = Vocabulary.from_words(words)
        found = vocabulary.find(PackedWords.from_words(queries))
        assert found.tolist() == [first_rows(words).get(word, -1) for word in queries]
        assert len(vocabulary) == len(set(words))
    finally:
        PackedWords.hashes = original


def test_many_words_over_several_chunks():
    words = [f"w{number}" for number in range(600_000)]
    vocabulary = Vocabulary.from_words(words)
    assert len(vocabulary) == len(words)
    assert (vocabulary.find(words[::-1]) == np.arange(len(words))[::-1]).all()
    assert (vocabulary.find([f"x{number}" for number in range(1000)]) == -1).all()


@given(st.lists(st.text(max_size=8), max_size=20))
def test_text_comes_back(words):
    packed = PackedWords.from_words(words)
    expected = [word.encode("utf-8", "surrogatepass").decode("utf-8", "replace") for word in words]
    assert [packed.text(row) for row in range(len(packed))] == expected
    joined = PackedWords.joined([packed.part(0, len(words) // 2), packed.part(len(words) // 2, len(words))])
    assert [joined.raw(row) for row in range(len(joined))] == [packed.raw(row) for row in range(len(packed))]


def test_an_empty_vocabulary_finds_nothing():
    assert Vocabulary.from_words([]).find(["fever"]).tolist() == [-1]
    assert list(Vocabulary.from_words(["b", "a", "b"])) == ["b", "a"]
