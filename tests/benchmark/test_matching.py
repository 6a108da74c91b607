"""Compiled draws against lists that are drawn from and popped."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from termgauge.benchmark.negatives import Chosen, Cursor, Found, chosen_by, draw_matches, taken_over

TERMS = 8
numbers = st.integers(0, TERMS - 1)
groups = st.lists(
    st.tuples(
        st.integers(0, 5),  # rows
        st.lists(st.tuples(st.integers(1, 3), numbers, st.booleans()), max_size=7, unique_by=lambda each: each[1]),
        st.booleans(),  # whether there are no others
        st.dictionaries(numbers, st.integers(0, 100).filter(lambda place: place % 10), max_size=3),
    ),
    max_size=TERMS,
)


def sensible(given_groups):
    """Say whether no group has its own term among its candidates, and no two terms have one place."""
    usual = {10 * term for term in range(TERMS)}
    return all(
        all(query != term for _distance, term, _refused in entries)
        and len({*moved.values()} | usual) == len(moved) + TERMS
        for query, (_rows, entries, _exhausted, moved) in enumerate(given_groups)
    )


def as_found(given_groups):
    entries = [sorted(each[1], key=lambda entry: entry[:2]) for each in given_groups]
    flat = [entry for own in entries for entry in own]
    moved = [place for each in given_groups for place in each[3].items()]
    return Found(
        np.arange(len(given_groups)),
        np.cumsum([0, *map(len, entries)]),
        np.array([entry[1] for entry in flat], np.int64),
        np.array([entry[0] for entry in flat], np.int32),
        np.array([entry[2] for entry in flat], np.bool_),
        np.array([each[2] for each in given_groups], np.bool_),
        np.cumsum([0, *(len(each[3]) for each in given_groups)]),
        np.array([term for term, _place in moved], np.int64),
        np.array([place for _term, place in moved], np.int64),
    )


def plainly(given_groups, draw):
    """Draw until a group has not enough; return the pairs, and for it how many candidates are wanted."""
    chose: dict[int, set[int]] = {}
    pairs, row = [], 0
    for query, (rows, entries, exhausted, moved) in enumerate(given_groups):
        usable = [entry for entry in entries if entry[1] not in chose.get(query, ())]
        levels = [
            sorted((entry for entry in usable if entry[0] == at), key=lambda entry: moved.get(entry[1], 10 * entry[1]))
            for at in (1, 2, 3)
        ]
        for own in range(row, row + rows):
            match = None
            while match is None and any(levels):
                ties = next(level for level in levels if level)
                _distance, drawn, refused = ties.pop(draw.randint(0, len(ties) - 1))
                match = None if refused else drawn
            if match is None:
                if exhausted:
                    break
                return pairs, (query, own - row, 1 + len(usable))
            chose.setdefault(match, set()).add(query)
            pairs.append((query, match, own))
        row += rows
    return pairs, None


@given(groups.filter(sensible), st.integers(0, 2**32))
def test_matches_are_those_of_lists(given_groups, seed):
    sizes = [each[0] for each in given_groups] + [0] * (TERMS - len(given_groups))
    offsets, rows = np.cumsum([0, *sizes]), np.arange(sum(sizes))
    pairs, chosen = np.zeros((sum(sizes), 3), np.int64), Chosen.none(TERMS, sum(sizes))
    places = 10 * np.arange(TERMS)
    draw = random.Random(seed)
    state = taken_over(draw)
    cursor, wanted = draw_matches(as_found(given_groups), (offsets, rows), places, chosen, state, Cursor(), pairs)
    expected, stopped = plainly(given_groups, draw)
    assert list(map(tuple, pairs[: cursor.made].tolist())) == expected
    assert (None if not wanted else (cursor.group, cursor.row, wanted)) == stopped
    counts, by = chosen_by(chosen, np.arange(TERMS))
    found = np.split(by, np.cumsum(counts)[:-1])
    assert [sorted(own.tolist()) for own in found] == [
        sorted(query for query, match, _row in expected if match == term) for term in range(TERMS)
    ]
    assert taken_over(draw).tolist() == state.tolist()


def test_a_group_goes_on_with_what_was_found_since():
    """Five rows, two candidates: the third row waits for more, and takes none of those that it had."""
    places, rows = np.arange(6), (np.array([0, 5, 5, 5, 5, 5, 5]), np.arange(5))
    pairs, chosen, state = np.zeros((5, 3), np.int64), Chosen.none(6, 5), taken_over(random.Random(1))
    one = as_found([(5, [(1, 1, False), (1, 2, False)], False, {})])
    cursor, wanted = draw_matches(one, rows, places, chosen, state, Cursor(), pairs)
    assert (cursor, wanted) == (Cursor(0, 2, 1, 2), 3)
    more = as_found([(5, [(1, 1, False), (1, 2, False), (2, 3, True), (2, 4, False), (2, 5, False)], True, {})])
    cursor, wanted = draw_matches(more, rows, places, chosen, state, cursor, pairs)
    assert (cursor, wanted) == (Cursor(1, 0, 0, 4), 0)
    assert {match for _query, match, _row in pairs[:4].tolist()} == {1, 2, 4, 5}
