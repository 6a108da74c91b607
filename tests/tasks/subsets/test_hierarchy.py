"""Depths and senses: those that a walk over the relations finds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from termgauge.tasks.subsets.properties import depths, depths_of_texts, senses
from tests.domain.terminologies import terminology_of

edges = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25)


@given(edges)
def test_depths_are_those_of_a_walk_from_the_roots(pairs):
    links = {(f"c{one}", f"c{two}") for one, two in pairs if one != two}
    terminology = terminology_of({f"c{at}": [f"t{at}"] for at in range(10)}, [(one, "is_a", two) for one, two in links])
    level = {two for _one, two in links} - {one for one, _two in links}
    expected, depth = {}, 0
    while level:
        expected |= dict.fromkeys(level, float(depth))
        level = {one for one, two in links if two in level} - set(expected)
        depth += 1
    assert depths(terminology) == expected


def test_a_text_is_as_high_as_the_highest_concept_that_it_names():
    terminology = terminology_of(
        {"a": ["top"], "b": ["Flu", "grippe"], "c": ["flu"], "d": ["cold"]},
        [("b", "is_a", "a"), ("c", "is_a", "b"), ("d", "treats", "a")],
    )
    known = depths(terminology)
    assert known == {"a": 0, "b": 1, "c": 2}
    assert depths_of_texts(terminology, known) == {"top": 0, "flu": 1, "grippe": 1}
    assert senses(terminology) == {"top": 1, "flu": 2, "grippe": 1, "cold": 1}
