"""Counts of shared features against counting them one by one, and the bound that they give against real distances."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from termgauge.benchmark.nearest.term_bitmaps import (
    BLOCK,
    CODES,
    WORDS,
    bitmaps_of,
    feature_codes,
    keep_sharing,
    popcount,
)


def codes_of(text):
    codes, seen = np.empty((2, len(text) + 1), np.int64), np.zeros(CODES, np.uint16)
    feature_codes(np.frombuffer(text.encode(), np.uint8), seen, codes)
    assert not seen.any()
    return codes[0, : len(text)], codes[1]


@given(st.integers(0, 2**64 - 1))
def test_bits_are_counted(word):
    assert popcount(np.uint64(word)) == word.bit_count()


@given(st.text("abc", max_size=15), st.text("abc", max_size=15))
def test_near_texts_share_most_letters_and_pairs(one, two):
    distance = Levenshtein.distance(one, two)
    for own, others, cost in zip(codes_of(one), codes_of(two), (1, 2), strict=True):
        assert len(set(own)) == len(own)  # the n-th occurrence is a feature of its own
        shared = len(set(own.tolist()) & set(others.tolist()))
        assert shared >= max(len(own), len(others)) - cost * distance


@given(st.lists(st.text("abcd", max_size=10), min_size=1, max_size=40))
def test_a_bitmap_says_which_texts_hold_a_feature(texts):
    symbols = np.frombuffer("".join(texts).encode(), np.uint8)
    bitmaps = bitmaps_of(symbols, np.cumsum([0, *map(len, texts)]))
    for number, text in enumerate(texts):
        letters, pairs = codes_of(text)
        held = {*bitmaps.row_of[0, letters].tolist(), *bitmaps.row_of[1, pairs].tolist()}
        word, bit = divmod(number % BLOCK, 64)
        column = bitmaps.rows[number // BLOCK, :, word] >> np.uint64(bit) & np.uint64(1)
        assert set(np.flatnonzero(column).tolist()) == held


@given(st.integers(0, 12), st.integers(-3, 110), st.integers(0, 2**32))
def test_texts_that_stand_in_enough_rows_are_kept(groups, needed, seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2**63, (20, WORDS)).astype(np.uint64) | rng.integers(0, 2**63, (20, WORDS)).astype(np.uint64)
    chosen = rng.integers(0, 20, 8 * groups)
    kept = rng.integers(0, 2**63, WORDS).astype(np.uint64)
    before, totals = bits_of(kept), bits_of(rows).reshape(20, BLOCK)[chosen].sum(axis=0)
    keep_sharing(rows, chosen, needed, kept)
    np.testing.assert_array_equal(bits_of(kept), before & (totals >= needed))


def bits_of(words):
    return np.unpackbits(words.view(np.uint8), bitorder="little").astype(np.int64)
