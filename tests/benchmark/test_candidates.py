from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from termgauge.benchmark.nearest_neighbours import CandidateTable
from tests.benchmark.plain_builder import candidates_of

pairs = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda row: row[0] != row[1]), min_size=1, max_size=25
)


@given(pairs)
def test_exceptions_leave_the_candidates_of_the_protocol_in_its_order(rows):
    first, second = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    table = CandidateTable(first, second)
    queries = np.flatnonzero(table.group_sizes).astype(np.int64)
    exceptions = table.exceptions(queries)
    for at, query in enumerate(queries.tolist()):
        excluded = set(exceptions.excluded[slice(*exceptions.excluded_offsets[at : at + 2])].tolist())
        moved = slice(*exceptions.moved_offsets[at : at + 2])
        places = dict(zip(exceptions.moved[moved].tolist(), exceptions.places[moved].tolist(), strict=True))
        left = [number for number in range(len(table.terms)) if number not in excluded]
        left.sort(key=lambda number: places.get(number, int(table.usual_places[number])))
        group, expected = candidates_of(int(table.terms[query]), rows)
        assert [int(table.terms[number]) for number in left] == expected
        assert len(group) == table.group_sizes[query]


@given(pairs)
def test_groups_hold_the_rows_of_their_first_term_in_order(rows):
    first, second = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    table = CandidateTable(first, second)
    offsets, members = table.groups
    for number, term in enumerate(table.terms.tolist()):
        assert members[offsets[number] : offsets[number + 1]].tolist() == [
            at for at, row in enumerate(rows) if row[0] == term
        ]
