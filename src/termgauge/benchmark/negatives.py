"""Negative pairs: for each positive pair one whose terms mean different things, drawn as the published program draws.

Python's random generator is the only source of chance and every draw is made in the published order, so the same seed
gives the same pairs. What does not depend on draws, the search for near terms, is done ahead for many terms at a time.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from termgauge.benchmark.nearest_neighbours import CandidateTable, NearestNeighbours
from termgauge.benchmark.positives import Rows, as_numbers, unordered_pair

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet

    from termgauge.benchmark.nearest import Ints
    from termgauge.benchmark.positives import Lexicon

BATCH = 2048
"""Rows done before progress is told, and groups searched at a time; see :mod:`.nearest_neighbours`."""
_TRIES_BEFORE_DOUBT = 1000
_MOST_IN_VAIN, _TRIES_AT_LAST = 1_000_000, 10
"""After so many draws in vain, which only a concept of very many terms brings about, a row has a few tries left, and
none if no term is left for its first one."""


def random_negatives(
    rows: Rows,
    lexicon: Lexicon,
    excluded: AbstractSet[int],
    draw: random.Random,
    advance: Callable[[float], None] = lambda _amount: None,
    *,
    across: bool = False,
) -> Rows:
    """Match the first term of each positive pair with a random term of another one.

    `known` pairs, as :func:`.unordered_pair`, are not made; `draw` is seeded for this set;
    `advance` is told how many rows were done. Of pairs that go `across` two languages or terminologies only second
    terms are matched.
    """
    columns = (rows.first.tolist(), rows.second.tolist())
    concepts = (rows.first_concept.tolist(), rows.second_concept.tolist())
    lowered = lexicon.lowered
    total = len(rows)
    sides = (1,) if across else (0, 1)
    below = draw.randrange
    made: set[int] = set()
    result: list[tuple[int, ...]] = []
    occurrences: Counter[int] = Counter()
    exhausted: set[int] = set()
    in_vain = 0
    for at, term in enumerate(columns[0]):
        tries = 0
        while in_vain < _MOST_IN_VAIN or (tries < _TRIES_AT_LAST and term not in exhausted):
            other, side = below(total), sides[below(len(sides))]
            drawn = columns[side][other]
            if other != at:
                pair = unordered_pair(term, drawn)
                if pair not in excluded and pair not in made and lowered[term] != lowered[drawn]:
                    made.add(pair)
                    result.append((term, drawn, concepts[0][at], concepts[side][other]))
                    break
            tries += 1
            in_vain += 1
            if tries % _TRIES_BEFORE_DOUBT == 0 or (in_vain >= _MOST_IN_VAIN and tries == _TRIES_AT_LAST):
                occurrences = occurrences or Counter(term for number in sides for term in columns[number])
                if not _any_left(term, columns[1][at], occurrences, lowered, excluded, made):
                    exhausted.add(term)
                    break
        if at % BATCH == BATCH - 1:
            advance(BATCH)
    advance(total % BATCH)
    return Rows(*np.array(result, dtype=np.int64).reshape(-1, 4).T.copy())


def _any_left(
    term: int,
    partner: int,
    occurrences: Mapping[int, int],
    lowered: list[str],
    pairs: AbstractSet[int],
    made: AbstractSet[int],
) -> bool:
    """Tell whether there is any term left, in other rows, that a row's first term may be matched with."""
    return any(
        lowered[term] != lowered[match]
        and (pair := unordered_pair(term, match)) not in pairs
        and pair not in made
        and (match != partner or count > 1)
        for match, count in occurrences.items()
    )


def levenshtein_negatives(
    rows: Rows,
    lexicon: Lexicon,
    excluded: AbstractSet[int],
    draw: random.Random,
    advance: Callable[[float], None] = lambda _amount: None,
    *,
    likely: AbstractSet[int] = frozenset(),
    across: bool = False,
) -> Rows:
    """Match the first term of each positive pair with one of the nearest terms of pairs that are not linked to it.

    It takes the same as :func:`random_negatives`, but `advance` is told how many groups were done, and `likely` are
    those of the known pairs that are likely to come up, since they are near: the search goes further for them at
    once. It changes the time that is taken, nothing else. Across two languages or terminologies, whose terms have
    different numbers, only second terms are candidates.
    """
    table = CandidateTable(rows.first, rows.second)
    terms = table.terms.tolist()
    first_terms = np.flatnonzero(table.group_sizes).tolist()
    queries = as_numbers(sorted(first_terms, key=lambda number: lexicon.texts[terms[number]]))
    start = len(np.unique(rows.first)) if across else 0
    search = NearestNeighbours(
        table, [lexicon.lowered[term] for term in terms], excluded, _degrees(likely, table.terms), start
    )
    concept_of = np.concatenate([rows.first_concept, rows.second_concept])[table.usual_places]
    made: list[tuple[int, int, int]] = []
    for pairs, groups in search.matches(queries, BATCH, draw):
        made += pairs
        advance(groups)
    query, match, row = np.array(made, dtype=np.int64).reshape(-1, 3).T
    return Rows(table.terms[query], table.terms[match], rows.first_concept[row], concept_of[match])


def _degrees(pairs: AbstractSet[int], terms: Ints) -> Ints:
    """Return in how many of some pairs each term stands."""
    numbers = np.fromiter(pairs, dtype=np.int64, count=len(pairs))
    ends = np.concatenate([numbers >> 32, numbers & 0xFFFFFFFF])
    size = int(max(terms.max(initial=0), ends.max(initial=0))) + 1
    counts: Ints = np.bincount(ends, minlength=size)[terms]
    return counts
