"""Related pairs of 5,000 words in an ontology of 50,000 terms, beside comparing all pairs of words.

The ontology is made: terms with a synonym or two under a few thousand parents, half of them words of the pool. Both
ways must find the same pairs. Prints seconds, the ratio, and pairs in a second.
"""

from __future__ import annotations

import time
from collections import defaultdict
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING

from benchmarks.measure import Row, below, noted, print_table, quick
from termgauge.corpus.pools import Pool
from termgauge.corpus.relations import SIBLING, SYNONYM, VARIANT, ontology_relations, text_frame

if TYPE_CHECKING:
    import polars as pl

TERMS, WORDS, PARENTS = 50_000, 5_000, 3_000
SECONDS = 5.0


def _made(terms: int, words: int, parents: int) -> tuple[pl.DataFrame, pl.DataFrame, Pool]:
    """Make the names of terms and their parents, and a pool of words of which it knows all."""
    rng = Random(1)
    pool = [f"word{place:05}" for place in range(words)]
    others = [f"other{place:05}" for place in range(words)]
    names = {(term, rng.choice(rng.choice((pool, others)))) for term in range(terms) for _ in range(rng.randint(1, 3))}
    links = {(term, rng.randrange(parents)) for term in range(terms) for _ in range(rng.randint(1, 2))}
    named = text_frame(("term", "word"), [(str(term), word) for term, word in sorted(names)])
    linked = text_frame(("term", "parent"), [(str(term), f"p{parent}") for term, parent in sorted(links)])
    return named, linked, Pool("noun", "biomedical", tuple(pool))


def _all_pairs(names: pl.DataFrame, links: pl.DataFrame, pool: Pool) -> tuple[int, int]:
    """Count synonyms and siblings by asking for each pair of words whether they share a term or a parent."""
    terms: defaultdict[str, set[str]] = defaultdict(set)
    parents: defaultdict[str, set[str]] = defaultdict(set)
    for term, parent in links.iter_rows():
        parents[term].add(parent)
    for term, word in names.iter_rows():
        terms[word].add(term)
    above = {word: set[str]().union(*(parents[term] for term in own)) for word, own in terms.items()}
    nothing: set[str] = set()
    synonyms = siblings = 0
    for a, b in combinations(pool.words, 2):
        if not terms.get(a, nothing).isdisjoint(terms.get(b, nothing)):
            synonyms += 1
        elif not above.get(a, nothing).isdisjoint(above.get(b, nothing)):
            siblings += 1
    return synonyms, siblings


def main() -> None:
    """Print what both ways take."""
    terms, words, parents = (2_000, 300, 150) if quick() else (TERMS, WORDS, PARENTS)
    names, links, pool = _made(terms, words, parents)
    start = time.perf_counter()
    found = ontology_relations(names, links).related(pool, text_frame(VARIANT))
    ours = time.perf_counter() - start
    counts = found.filter(relation=SYNONYM).height, found.filter(relation=SIBLING).height
    start = time.perf_counter()
    expected = _all_pairs(names, links, pool)
    theirs = time.perf_counter() - start
    if counts != expected:
        raise SystemExit(f"different pairs: {counts} and {expected}")
    what = f"{terms:,} terms, {words:,} words: {counts[0]:,} synonyms, {counts[1]:,} siblings"
    rows = [
        Row(what, f"{ours:.2f} s", f"{theirs:.2f} s", theirs / ours),
        below("seconds for an ontology of 50,000 terms", ours, SECONDS, "s"),
        noted("pairs found in a second", f"{sum(counts) / ours:,.0f}"),
    ]
    print_table("Related pairs of words in an ontology", rows, theirs="every pair asked")
