"""Blocks at an executor against the search itself."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest

from termgauge.benchmark.nearest.search import (
    NearestTerms,
    artifact_of,
    index_in,
    search_block,
    search_index,
)
from termgauge.executor import in_order
from tests.common.executors import SmallExecutor


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
        block = (prepared, np.arange(len(ids) + 1), np.roll(ids, 1))
        todo.append((artifact, *block))
        expected.append(search_index(nearest.index, *block))
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
    prepared = nearest.prepared(terms[:5], np.ones(5, np.int64))
    none = np.zeros(6, np.int64)
    search_index(nearest.index, prepared, none, none[:0])
    compiled = len(kernel.signatures)
    for each in (*prepared, none):
        each.setflags(write=False)
    search_block(artifact_of(nearest.index, SmallExecutor(tmp_path)), prepared, none, none[:0])
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
