"""Speed of the nearest-term search on real terms, beside what a user would do instead: RapidFuzz's ``cdist``.

Both answer the same questions, on all processors, in one run; the answers are compared. Prints milliseconds for a
query, the ratio, and how the time grows with the number of terms.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from benchmarks.real_terms import load_terms
from termgauge.benchmark.nearest.search import Levels, NearestTerms

if TYPE_CHECKING:
    from numpy.typing import NDArray

TERMS = 700_000
SIZES = (87_500, 175_000, 350_000, 700_000)
QUERIES = 6_000
CDIST_QUERIES = 120
ROUNDS = 6
WANTED = (1, 2, 4)


def _lowered(limit: int) -> list[str]:
    """Return up to ``limit`` terms that differ in lower case."""
    return list(dict.fromkeys(term.lower() for term in load_terms(2 * limit)))[:limit]


def _search(index: NearestTerms, queries: list[str], wanted: int) -> tuple[Levels, float]:
    """Return the nearest terms and the milliseconds that one query took."""
    nothing = np.zeros(len(queries) + 1, np.int64)
    start = time.perf_counter()
    levels = index.search(queries, np.full(len(queries), wanted), nothing, nothing[:0])
    return levels, (time.perf_counter() - start) * 1000 / len(queries)


def _by_cdist(terms: list[str], queries: list[str], wanted: int) -> tuple[list[NDArray[np.int64]], float]:
    """Return for each query the ids that the search must return, and the milliseconds that one query took."""
    start = time.perf_counter()
    distances = cdist(queries, terms, scorer=Levenshtein.distance, workers=os.cpu_count() or 1, dtype=np.uint16)
    seconds = time.perf_counter() - start
    found = []
    for row in distances:
        reach = np.partition(row[row > 0], wanted - 1)[wanted - 1]
        ids = np.flatnonzero((row > 0) & (row <= reach))
        found.append(ids[np.argsort(row[ids], kind="stable")])
    return found, seconds * 1000 / len(queries)


def _compare(index: NearestTerms, terms: list[str], queries: list[str], wanted: int) -> tuple[float, float]:
    """Return the milliseconds of a query, ours and ``cdist``'s, measured in turns so that both see the same load."""
    ours, theirs = [], []
    for part in range(ROUNDS):
        own = queries[part::ROUNDS]
        levels, milliseconds = _search(index, own, wanted)
        ours.append(milliseconds)
        expected, milliseconds = _by_cdist(terms, own[: CDIST_QUERIES // ROUNDS], wanted)
        theirs.append(milliseconds)
        for q, ids in enumerate(expected):
            if not np.array_equal(levels.ids[levels.offsets[q] : levels.offsets[q + 1]], ids):
                raise SystemExit(f"different answers for {own[q]!r}")
    return float(np.mean(ours)), float(np.mean(theirs))


def main() -> None:
    """Measure and print."""
    terms = _lowered(TERMS)
    chosen = np.random.default_rng(0).choice(len(terms), min(QUERIES, len(terms)), replace=False)
    queries = [terms[i] for i in chosen]
    start = time.perf_counter()
    index = NearestTerms(terms)
    print(f"index of {len(terms):,} terms: {time.perf_counter() - start:.1f} s")
    _search(index, queries[:2], 1)  # compile
    for wanted in WANTED:
        ours, theirs = _compare(index, terms, queries, wanted)
        print(
            f"{wanted} wanted: {ours:.3f} ms a query ({len(queries):,} queries), cdist {theirs:.1f} ms "
            f"({CDIST_QUERIES} queries, same answers), {theirs / ours:.0f} times faster"
        )
    print("terms     " + "".join(f"{wanted} wanted   " for wanted in WANTED))
    for size in SIZES:
        part = terms[:size]
        own = [part[i] for i in np.random.default_rng(0).choice(len(part), min(QUERIES, len(part)), replace=False)]
        smaller = NearestTerms(part)
        print(f"{len(part):<9,} " + "".join(f"{_search(smaller, own, wanted)[1]:.3f} ms   " for wanted in WANTED))


if __name__ == "__main__":
    main()
