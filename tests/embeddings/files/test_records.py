"""The kernels against plain Python on the same bytes."""

from __future__ import annotations

import struct

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings.files.kernels import cut_records, subword_buckets
from termgauge.embeddings.store.vocabulary import PackedWords

WORDS = st.lists(st.text("abé疲", min_size=1, max_size=6), max_size=8)


def room(buffer, count):
    return np.empty(len(buffer) + 1, np.uint8), np.zeros(count + 1, np.int64)


@given(WORDS, st.integers(1, 3), st.sampled_from([b"", b"\n"]), st.integers(0, 30))
def test_records_are_cut_where_they_are_whole(words, width, end, lost):
    vectors = np.random.default_rng(0).integers(0, 256, (len(words), 4 * width)).astype(np.uint8)
    records = [word.encode() + b" " + row.tobytes() for word, row in zip(words, vectors, strict=True)]
    ends_of = np.cumsum([len(record) for record in records], dtype=np.int64) + len(end) * np.arange(len(records))
    data = end.join(records)
    data = data[: max(0, len(data) - lost)]
    expected = int((ends_of <= len(data)).sum())
    cut, (packed, ends) = np.zeros_like(vectors), room(data, len(words))
    count, place = cut_records(np.frombuffer(data, np.uint8), ord(" "), cut, packed, ends)
    assert (count, place) == (expected, ends_of[expected - 1] if expected else 0)
    np.testing.assert_array_equal(cut[:count], vectors[:count])
    assert [PackedWords(packed, ends).text(row) for row in range(count)] == words[:count]


@given(WORDS, st.integers(0, 15))
def test_entries_of_a_dictionary(words, lost):
    entries = [word.encode() + struct.pack("<xqb", 7, at % 2) for at, word in enumerate(words)]
    data = b"".join(entries)
    data = data[: max(0, len(data) - lost)]
    sizes = np.cumsum([len(entry) for entry in entries], dtype=np.int64)
    expected = int((sizes <= len(data)).sum())
    tails, (packed, ends) = np.zeros((len(words), 9), np.uint8), room(data, len(words))
    count, place = cut_records(np.frombuffer(data, np.uint8), 0, tails, packed, ends)
    assert (count, place) == (expected, sizes[expected - 1] if expected else 0)
    assert [PackedWords(packed, ends).text(row) for row in range(count)] == words[:count]
    assert tails[:count, -1].tolist() == [at % 2 for at in range(count)]


def hashed(text, buckets):
    """FNV-1a with bytes as signed characters, as fastText has it."""
    value = 2166136261
    for byte in text.encode():
        value = ((value ^ (byte | 0xFFFFFF00 if byte >= 128 else byte)) * 16777619) & 0xFFFFFFFF
    return value % buckets


@given(WORDS, st.integers(1, 3), st.integers(0, 3))
def test_subwords_are_those_of_the_definition(words, least, more):
    most = least + more
    bordered = [f"<{word}>" for word in words]
    packed = PackedWords.from_words(bordered)
    buckets, ends = subword_buckets(packed.data, packed.offsets, least, most, 1000)
    for row, word in enumerate(bordered):
        expected = [
            hashed(word[start : start + size], 1000)
            for start in range(len(word))
            for size in range(least, most + 1)
            if start + size <= len(word) and not (size == 1 and start in (0, len(word) - 1))
        ]
        assert buckets[ends[row] : ends[row + 1]].tolist() == expected
