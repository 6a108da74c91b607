"""What the bitmaps leave to be compared: never fewer texts than lie within reach."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from termgauge.benchmark.nearest.kernel import collect, grown, load_features, new_group, sift, texts_of_lengths
from termgauge.benchmark.nearest.search import NearestTerms
from termgauge.benchmark.nearest.term_bitmaps import BLOCK, WORDS

TEXTS = st.lists(st.text("abc", max_size=9), min_size=1, max_size=30, unique=True)


@given(TEXTS, st.text("abcd", max_size=9), st.integers(0, 6), st.integers(1, 6))
def test_two_passes_leave_out_no_text_within_reach_and_see_none_twice(texts, query, halfway, further):
    nearest = NearestTerms(texts)
    index = nearest.index
    queries = nearest.prepared([query], np.array([1]))
    group = new_group(index, 1, len(query))
    load_features(index, queries, group)
    passes = []
    for done, ceiling in ((-1, halfway), (halfway, halfway + further)):
        group.done[0], group.ceilings[0] = done, ceiling
        spans = np.array([texts_of_lengths(index, len(query) - ceiling, len(query) + ceiling)])
        sift(index, group, spans)
        candidates, count = collect(group.marks[0], spans[0], np.empty(2 * BLOCK, np.int32))
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
    candidates, count = collect(marks, np.array([0, 3 * BLOCK]), np.empty(2 * BLOCK, np.int32))
    assert candidates[:count].tolist() == sorted(set(marked))
    assert collect(marks, np.array([5, 5]), np.empty(2 * BLOCK, np.int32))[1] == 0


def test_room_doubles_and_keeps_what_is_there():
    assert grown(np.array([1, 2, 3]))[:3].tolist() == [1, 2, 3]
    assert len(grown(np.array([1, 2, 3]))) == 6


def test_a_first_pass_without_any_text_marks_none():
    """Lengths in reach, and texts before them in the same block: nothing is marked, whatever was in memory before."""
    nearest = NearestTerms(["a", "b" * 9])
    queries = nearest.prepared(["b" * 5], np.array([1]))
    for _ in range(50):
        np.full((1, 1, WORDS), ~np.uint64(0))  # leaves something behind
        group = new_group(nearest.index, 1, 5)
        load_features(nearest.index, queries, group)
        for done, ceiling in ((-1, 2), (2, 5)):
            group.done[0], group.ceilings[0] = done, ceiling
            spans = np.array([texts_of_lengths(nearest.index, 5 - ceiling, 5 + ceiling)])
            sift(nearest.index, group, spans)
        assert collect(group.marks[0], spans[0], np.empty(2 * BLOCK, np.int32))[1] == 2
