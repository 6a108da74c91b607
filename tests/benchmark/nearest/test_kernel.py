"""One group of queries, as the search hands it to the compiled part, against comparing everything."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from termgauge.benchmark.nearest.kernel import search_group
from termgauge.benchmark.nearest.search import NearestTerms

TEXTS = st.lists(st.text("ab", max_size=6), min_size=1, max_size=12)


@given(TEXTS, st.data())
def test_a_group_finds_whole_levels(texts, data):
    queries = data.draw(st.lists(st.text("abc", max_size=7), min_size=1, max_size=5))
    wanted = data.draw(st.lists(st.integers(0, 14), min_size=len(queries), max_size=len(queries)))
    excluded = [data.draw(st.sets(st.integers(0, len(texts) - 1), max_size=4)) for _ in queries]
    nearest = NearestTerms(texts)
    prepared = nearest.prepared(queries, np.array(wanted))
    offsets = np.cumsum([0, *map(len, excluded)])
    flat = np.array([number for numbers in excluded for number in sorted(numbers)], np.int64)
    hits = search_group(nearest.index, prepared._replace(excluded_starts=offsets, excluded=flat))
    for q, query in enumerate(queries):
        own = hits.numbers == q
        found = list(zip(hits.distances[own].tolist(), hits.ids[own].tolist(), strict=True))
        every = sorted(
            (Levenshtein.distance(query, text), number)
            for number, text in enumerate(texts)
            if text != query and number not in excluded[q]
        )
        reach = every[wanted[q] - 1][0] if 0 < wanted[q] <= len(every) else 99 if wanted[q] else 0
        assert sorted(found) == [entry for entry in every if entry[0] <= reach]
        assert (q in hits.exhausted) == (wanted[q] > 0 and len(found) == len(every))
    assert len(hits.numbers) == len(hits.ids) == len(hits.distances)
