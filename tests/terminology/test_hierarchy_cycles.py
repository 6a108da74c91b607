"""Cycles in hierarchies, beside a plain definition."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from termgauge.terminology.check import cycles_of

EDGES = st.lists(st.tuples(st.sampled_from("abcdefg"), st.sampled_from("abcdefg")), max_size=18)


def reachable(start, edges):
    """Return what a concept leads to."""
    found, frontier = set(), {start}
    while frontier:
        frontier = {target for source, target in edges if source in frontier} - found
        found |= frontier
    return found


@given(EDGES)
def test_every_part_that_goes_in_circles_is_told_once(edges):
    leads_to = {concept: reachable(concept, edges) for concept in "abcdefg"}
    parts = {
        frozenset(other for other in leads_to[concept] if concept in leads_to[other])
        for concept in "abcdefg"
        if concept in leads_to[concept]
    }
    cycles = cycles_of(edges)
    assert {part for part in parts if any(set(cycle) <= part for cycle in cycles)} == parts
    assert len(cycles) == len(parts)
    for cycle in cycles:
        assert cycle[0] == cycle[-1]
        assert set(pairwise(cycle)) <= set(edges)
        assert len(set(cycle)) == len(cycle) - 1


def test_a_long_chain_and_a_long_cycle():
    size = 30_000
    chain = [(str(at), str(at + 1)) for at in range(size)]
    assert cycles_of(chain) == []
    (cycle,) = cycles_of([*chain, (str(size), "0")])
    assert len(cycle) == size + 2
