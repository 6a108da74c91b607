"""What the bitmaps leave to be compared: never fewer texts than lie within reach."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from termgauge.benchmark.nearest.kernel import collect, load_queries, new_group, sift, texts_of_lengths
from termgauge.benchmark.nearest.search import NearestTerms
from termgauge.benchmark.nearest.term_bitmaps import BLOCK, WORDS

TEXTS = st.lists(st.text("abc", max_size=9), min_size=1, max_size=30, unique=True)


@given(TEXTS, st.text("abcd", max_size=9), st.integers(0, 6), st.integers(0, 6))
def test_two_passes_leave_out_no_text_within_reach_and_see_none_twice(texts, query, halfway, further):
    nearest = NearestTerms(texts)
    index = nearest.index
    queries = nearest.prepared([query], np.array([1]))
    group, spans = new_group(index, 1, len(query)), np.zeros((1, 2), np.int64)
    load_queries(index, queries, group)
    passes = []
    for ceiling in (halfway, halfway + further):
        group.ceilings[0] = ceiling
        sift(index, group, spans)
        candidates = np.empty(BLOCK, np.int32)
        count = collect(group.marks[0], spans[0], candidates)
        passes.append({texts[index.ids[index.id_starts[number]]] for number in candidates[:count].tolist()})
    distances = {text: Levenshtein.distance(query, text) for text in texts}
    assert {text for text, distance in distances.items() if distance <= halfway} <= passes[0]
    assert {text for text, distance in distances.items() if distance <= halfway + further} <= passes[0] | passes[1]
    assert not passes[0] & passes[1]


@given(TEXTS, st.integers(-3, 12), st.integers(-3, 12))
def test_texts_of_lengths_are_a_range(texts, low, high):
    index = NearestTerms(texts).index
    first, last = texts_of_lengths(index, low, high)
    lengths = np.diff(index.starts)
    assert set(range(first, last)) == set(np.flatnonzero((lengths >= low) & (lengths <= high)).tolist())


@given(st.lists(st.integers(0, 3 * BLOCK - 1), max_size=60))
def test_marked_texts_are_collected_in_order(marked):
    marks = np.zeros((3, WORDS), np.uint64)
    for number in marked:
        marks[number // BLOCK, number % BLOCK // 64] |= np.uint64(1) << np.uint64(number % 64)
    candidates = np.empty(3 * BLOCK, np.int32)
    count = collect(marks, np.array([0, 3 * BLOCK]), candidates)
    assert candidates[:count].tolist() == sorted(set(marked))
    assert collect(marks, np.array([5, 5]), candidates) == 0
