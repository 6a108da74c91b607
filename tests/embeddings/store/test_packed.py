from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings.store.vocabulary import PackedWords, equal_words

LISTS = st.lists(st.binary(max_size=5), max_size=12)


@given(LISTS, LISTS)
def test_words_come_back_joined_and_in_parts(one, two):
    joined = PackedWords.joined([PackedWords.from_words(one), PackedWords.from_words([]), PackedWords.from_words(two)])
    words = one + two
    assert [joined.raw(row) for row in range(len(joined))] == words
    for start, chunk in joined.chunks(3):
        assert [chunk.raw(row) for row in range(len(chunk))] == words[start : start + 3]
    turned = PackedWords.joined([joined.part(len(one), len(words)), joined.part(0, len(one))])
    assert [turned.raw(row) for row in range(len(turned))] == two + one


@given(LISTS)
def test_a_hash_depends_on_the_word_alone(words):
    hashes = PackedWords.from_words(words).hashes()
    for word, value in zip(words, hashes, strict=True):
        assert PackedWords.from_words([word]).hashes()[0] == value
    assert len(set(hashes.tolist())) == len(set(words))


@given(LISTS, LISTS)
def test_equal_words_are_the_same_bytes(one, two):
    first, second = (rows.ravel() for rows in np.mgrid[: len(one), : len(two)])
    same = equal_words(PackedWords.from_words(one), first, PackedWords.from_words(two), second)
    assert same.tolist() == [one[i] == two[j] for i, j in zip(first, second, strict=True)]


def test_what_is_no_text_is_shown_all_the_same():
    assert PackedWords.from_words([b"caf\xe9"]).text(0) == "caf\ufffd"
