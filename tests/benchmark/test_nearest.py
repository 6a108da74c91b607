"""The nearest-term search against brute force with an independent Levenshtein."""

from __future__ import annotations

import re
from importlib import resources

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from termgauge.benchmark.nearest import NearestTerms


def brute_force(texts, query, wanted, excluded):
    """Return [(distance, id)] and exhaustion by the definition."""
    every = sorted(
        (Levenshtein.distance(query, text), i) for i, text in enumerate(texts) if text != query and i not in excluded
    )
    if wanted <= 0:
        return [], False
    if len(every) <= wanted:
        return every, True
    reach = every[wanted - 1][0]
    found = [entry for entry in every if entry[0] <= reach]
    return found, len(found) == len(every)


def found_for(index, queries, wanted, excluded):
    offsets = np.cumsum([0, *(len(ids) for ids in excluded)])
    flat = np.array([i for ids in excluded for i in ids], np.int64)
    levels = index.search(queries, np.array(wanted, np.int64), offsets, flat)
    return [
        (
            list(
                zip(
                    levels.distances[levels.offsets[q] : levels.offsets[q + 1]].tolist(),
                    levels.ids[levels.offsets[q] : levels.offsets[q + 1]].tolist(),
                    strict=True,
                )
            ),
            bool(levels.exhausted[q]),
        )
        for q in range(len(queries))
    ]


def check(texts, queries, wanted, excluded):
    found = found_for(NearestTerms(texts), queries, wanted, excluded)
    for q, query in enumerate(queries):
        assert found[q] == brute_force(texts, query, wanted[q], set(excluded[q])), (query, wanted[q])


few_letters = st.text("ab", max_size=8)
words = st.lists(st.sampled_from(["acute ", "renal", " pain", "s", "-", "left "]), max_size=6).map("".join)
unicode_texts = st.text(
    st.one_of(st.characters(), st.sampled_from("\0a\u0301é😀𝔘\uffff\U0010ffff")), max_size=12
)
long_texts = st.builds(
    lambda unit, times, tail: (unit * times)[:400] + tail,
    st.text("abc", min_size=1, max_size=9),
    st.integers(0, 60),
    st.text("abc", max_size=5),
)


@st.composite
def searches(draw):
    texts = draw(st.lists(draw(st.sampled_from([few_letters, words, unicode_texts, long_texts])), max_size=30))
    other = st.one_of(few_letters, words, unicode_texts, long_texts)
    queries = draw(st.lists(st.one_of(st.sampled_from(texts), other) if texts else other, max_size=6))
    wanted = [draw(st.integers(0, len(texts) + 2)) for _ in queries]
    ids = st.lists(st.integers(0, len(texts) - 1), max_size=2 * len(texts)) if texts else st.just([])
    return texts, queries, wanted, [draw(ids) for _ in queries]


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(searches())
@example(([], [], [], []))
@example(([], ["a", ""], [1, 1], [[], []]))
@example((["", "", "a"], ["", "b"], [1, 5], [[], [0, 0, 1, 2]]))
def test_equals_brute_force(search):
    check(*search)
