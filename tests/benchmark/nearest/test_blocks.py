"""Blocks at an executor against the search itself, and what the second search of a batch adds."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from termgauge.benchmark.nearest.search import (
    MOST_REFUSED,
    NearestTerms,
    artifact_of,
    index_in,
    search_batch,
    search_block,
)
from termgauge.executor import in_order
from tests.common.executors import SmallExecutor

TEXTS = st.text("ab", max_size=6) | st.text("aé\u4e00😀", max_size=4) | st.text("ab", min_size=60, max_size=90)


@st.composite
def batches(draw):
    texts = draw(st.lists(TEXTS, min_size=1, max_size=25))
    ids = draw(st.lists(st.integers(0, len(texts) - 1), min_size=1, max_size=12, unique=True))
    wanted = np.array([draw(st.integers(1, 4)) for _ in ids])
    excluded = [draw(st.lists(st.integers(0, len(texts) - 1), max_size=3)) for _ in ids]
    offsets = np.cumsum([0, *map(len, excluded)])
    return texts, np.array(ids), wanted, offsets, np.array([each for own in excluded for each in own], np.int64)


def by_hand(nearest, texts, ids, wanted, offsets, excluded):
    """Search, look who is among the nearest of those before, and ask for so many more."""
    queries = [texts[number] for number in ids]
    found = nearest.search(queries, wanted, offsets, excluded)
    for at, number in enumerate(ids.tolist()):
        taken = sum(
            number
            in (nearer for nearer, distance in zip(*found.of_query(before)[:2], strict=True) if distance == first)
            for before in range(at)
            for first in found.of_query(before)[1][:1]
        )
        own, exclusions = found.of_query(at), excluded[offsets[at] : offsets[at + 1]]
        if 0 < taken <= MOST_REFUSED and len(own[0]) - taken < wanted[at] and not own[2]:
            bounds = np.array([0, len(exclusions)])
            own = nearest.search([queries[at]], wanted[at : at + 1] + taken, bounds, exclusions).of_query(0)
        yield own


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(batch=batches())
def test_a_batch_goes_further_for_those_that_others_take(batch):
    texts, ids, wanted, offsets, excluded = batch
    nearest = NearestTerms(texts)
    prepared = nearest.prepared([texts[number] for number in ids], wanted)
    levels = search_batch(nearest.index, prepared, ids, offsets, excluded)
    assert [levels.of_query(at) for at in range(len(ids))] == list(by_hand(nearest, *batch))


@pytest.fixture
def terms():
    rng = np.random.default_rng(1)
    words = ["acute", "pain", "of", "left", "renal", "knee", "é", "\u4e00😀", "x" * 70]
    return list(dict.fromkeys(" ".join(rng.choice(words, size)) for size in rng.integers(1, 6, 900)))


def test_blocks_are_searched_as_at_home(terms, tmp_path):
    place, nearest = SmallExecutor(tmp_path), NearestTerms(terms)
    artifact = artifact_of(nearest.index, place)
    todo, expected = [], []
    for start in range(0, len(terms), 100):
        ids = np.arange(start, min(start + 100, len(terms)))
        prepared = nearest.prepared([terms[number] for number in ids], 1 + ids % 3)
        block = (prepared, ids, np.arange(len(ids) + 1), np.roll(ids, 1))
        todo.append((artifact, *block))
        expected.append(search_batch(nearest.index, *block))
    found = list(in_order(place.map(search_block, todo, label="search", inputs=[artifact])))
    assert len(found) == len(expected) > 2
    for one, other in zip(found, expected, strict=True):
        for own, wanted in zip(astuple(one), astuple(other), strict=True):
            np.testing.assert_array_equal(own, wanted)
            assert own.dtype == wanted.dtype


def test_arrays_that_cannot_be_written_need_no_other_kernel(terms, tmp_path):
    """Some ways of sending give arrays that are read only, of which the compiler makes a type of their own."""
    from termgauge.benchmark.nearest.kernel import _compare_all as kernel

    nearest = NearestTerms(terms)
    prepared, ids = nearest.prepared(terms[:5], np.ones(5, np.int64)), np.arange(5)
    none = np.zeros(6, np.int64)
    search_batch(nearest.index, prepared, ids, none, none[:0])
    compiled = len(kernel.signatures)
    for each in (*prepared, ids, none):
        each.setflags(write=False)
    search_block(artifact_of(nearest.index, SmallExecutor(tmp_path)), prepared, ids, none, none[:0])
    assert len(kernel.signatures) == compiled


def test_the_last_indexes_stay_at_hand(tmp_path):
    index_in.cache_clear()
    place = SmallExecutor(tmp_path)
    one, two, three = (artifact_of(NearestTerms([text, "other"]).index, place) for text in ("a", "bb", "ccc"))
    first, second = index_in(one), index_in(two)
    assert index_in(one) is first
    index_in(three)
    assert index_in(one) is first
    assert index_in(two) is not second
