"""Negative pairs: for each positive pair one whose terms mean different things, drawn as the published program draws.

Python's random generator is the only source of chance and every draw is made in the published order, so the same seed
gives the same pairs. What does not depend on draws, the search for near terms, is done ahead for many terms at a time.
Draws are compiled: the generator's state is taken over, drawn from, and given back. The Mersenne twister is our own
because the published sets depend on every draw of :mod:`random`, which compiled code cannot call (whole numbers below a
limit are drawn by rejection of the highest bits; NumPy rejects the lowest).

Of the nearest terms, those at the same distance are a tie list, in the order of their places; each draw takes one out
of it, allowed or not, and when it is empty the next distance follows. Where a group needs terms that were not searched
for, the kernel stops and says how many it wants.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.benchmark.positives import as_numbers, unordered_pair
from termgauge.compiled import njit

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from termgauge.benchmark.nearest import Flags, Ints, Ints32
    from termgauge.benchmark.positives import Lexicon, Rows

    State = NDArray[np.uint32]

_WORDS, _AHEAD = 624, 397
_HIGHEST, _OTHERS = np.uint32(0x80000000), np.uint32(0x7FFFFFFF)
_MATRIX = np.uint32(0x9908B0DF)
_MASKS = np.uint32(0x9D2C5680), np.uint32(0xEFC60000)
_BITS = 32


def taken_over(draw: random.Random) -> State:
    """Return the state of a generator: its words, and how many of them are used up."""
    return np.array(draw.getstate()[1], np.uint32)


def give_back(draw: random.Random, state: State) -> None:
    """Let a generator go on where compiled code stopped."""
    version, _words, pending = draw.getstate()
    draw.setstate((version, tuple(state.tolist()), pending))


@njit()
def _renew(state: State) -> None:
    for i in range(_WORDS):
        joined = (state[i] & _HIGHEST) | (state[(i + 1) % _WORDS] & _OTHERS)
        state[i] = state[(i + _AHEAD) % _WORDS] ^ (joined >> np.uint32(1)) ^ (_MATRIX if joined & 1 else np.uint32(0))
    state[_WORDS] = 0


@njit()
def _word(state: State) -> np.uint32:
    """Draw 32 bits."""
    if state[_WORDS] >= _WORDS:
        _renew(state)
    word = state[state[_WORDS]]
    state[_WORDS] += np.uint32(1)
    word ^= word >> np.uint32(11)
    word ^= (word << np.uint32(7)) & _MASKS[0]
    word ^= (word << np.uint32(15)) & _MASKS[1]
    return np.uint32(word ^ (word >> np.uint32(18)))


@njit()
def below(state: State, limit: int) -> int:
    """Draw a whole number from zero on, below a limit of one or more and less than 2 ** 32.

    >>> import random
    >>> draw = random.Random(42)
    >>> state = taken_over(draw)
    >>> [below(state, 10) for _ in range(3)] == [draw.randint(0, 9) for _ in range(3)]
    True
    """
    bits = 1
    while limit >> bits:
        bits += 1
    while True:
        drawn = int(_word(state) >> np.uint32(_BITS - bits))
        if drawn < limit:
            return drawn


@njit()
def shuffled(state: State, size: int) -> Ints:
    """Return the whole numbers below a size in the order in which :meth:`random.Random.shuffle` leaves them."""
    numbers = np.arange(size)
    for last in range(size - 1, 0, -1):
        drawn = below(state, last + 1)
        numbers[last], numbers[drawn] = numbers[drawn], numbers[last]
    return numbers


class Found(NamedTuple):
    """Candidates of some groups, named by their first terms: group i has the entries from ``offsets[i]`` on.

    They come by distance. A `refused` one may be drawn, but makes no pair. `exhausted` tells that there are no others.
    Terms `moved`, of group i from ``moved_offsets[i]`` on, stand at another place than usual.
    """

    queries: Ints
    offsets: Ints
    ids: Ints
    distances: Ints32
    refused: Flags
    exhausted: Flags
    moved_offsets: Ints
    moved: Ints
    places: Ints


class Chosen(NamedTuple):
    """By which terms each term was chosen, as chains: ``last[term]`` is the latest entry, ``before`` it another."""

    last: Ints
    before: Ints
    by: Ints
    size: Ints
    """Entries so far."""

    @classmethod
    def none(cls, terms: int, rows: int) -> Chosen:
        """Make room for the choices of so many rows."""
        empty = np.zeros(rows, np.int64)
        return cls(np.full(terms, -1, np.int64), empty, empty.copy(), np.zeros(1, np.int64))


class Cursor(NamedTuple):
    """Where drawing is: in which group, at which of its rows, up to which distance; and how many pairs were made."""

    group: int = 0
    row: int = 0
    reached: int = 0
    made: int = 0


@njit()
def pushed(array: Ints, size: int, value: int) -> tuple[Ints, int]:
    """Append to a growing array."""
    if size == len(array):
        bigger = np.empty(2 * len(array), dtype=np.int64)
        for i in range(size):  # what NumPy does in one line takes the compiler seconds
            bigger[i] = array[i]
        array = bigger
    array[size] = value
    return array, size + 1


@njit()
def chosen_by(chosen: Chosen, terms: Ints) -> tuple[Ints, Ints]:
    """Return how often each of some terms was chosen, and by which, one after the other."""
    counts, choosers = np.zeros(len(terms), np.int64), np.empty(16, np.int64)
    size = 0
    for i in range(len(terms)):
        entry = chosen.last[terms[i]]
        while entry >= 0:
            choosers, size = pushed(choosers, size, chosen.by[entry])
            counts[i] += 1
            entry = chosen.before[entry]
    return counts, choosers[:size]


@njit()
def _holds(chosen: Chosen, term: int, other: int) -> bool:
    """Tell whether a term was chosen by another one."""
    entry = chosen.last[term]
    while entry >= 0:
        if chosen.by[entry] == other:
            return True
        entry = chosen.before[entry]
    return False


@njit()
def _choose(chosen: Chosen, term: int, by: int) -> None:
    entry = chosen.size[0]
    chosen.before[entry], chosen.by[entry] = chosen.last[term], by
    chosen.last[term] = entry
    chosen.size[0] += 1


@njit()
def _tie_list(neighbours: Found, usual_places: Ints, chosen: Chosen, group: int, entries: tuple[int, int]) -> Ints:
    """Return the entries of one distance in the order of their places, without terms that chose the query."""
    start, stop = entries
    first, last = neighbours.moved_offsets[group], neighbours.moved_offsets[group + 1]
    ties, places = np.empty(stop - start, np.int64), np.empty(stop - start, np.int64)
    size = 0
    for entry in range(start, stop):
        if _holds(chosen, neighbours.queries[group], neighbours.ids[entry]):
            continue
        position = usual_places[neighbours.ids[entry]]
        for m in range(first, last):
            if neighbours.moved[m] == neighbours.ids[entry]:
                position = neighbours.places[m]
        at = size  # entries come in the usual order, so that only moved ones have to be put in between
        while at and places[at - 1] > position:
            ties[at], places[at] = ties[at - 1], places[at - 1]
            at -= 1
        ties[at], places[at] = entry, position
        size += 1
    return ties[:size]


@njit()
def _wanted(neighbours: Found, chosen: Chosen, group: int) -> int:
    """Return how many candidates to ask for in order to get one more distance."""
    count = 1
    for entry in range(neighbours.offsets[group], neighbours.offsets[group + 1]):
        count += not _holds(chosen, neighbours.queries[group], neighbours.ids[entry])
    return count


@njit()
def draw_matches(
    found: Found,
    groups: tuple[Ints, Ints],
    usual_places: Ints,
    chosen: Chosen,
    state: State,
    cursor: Cursor,
    pairs: Ints,
) -> tuple[Cursor, int]:
    """Make pairs, each a query, its match and a row, from a cursor on.

    Return where it stopped, and how many candidates the group there wants before it can go on: none at the end.
    `groups` are the offsets and rows of each term's group.
    """
    group, row, reached, made = cursor
    while group < len(found.queries):
        query = found.queries[group]
        rows = groups[1][groups[0][query] : groups[0][query + 1]]
        stop, end = found.offsets[group], found.offsets[group + 1]
        while stop < end and found.distances[stop] <= reached:
            stop += 1
        ties, left = np.empty(0, np.int64), 0
        while row < len(rows):
            if left:
                drawn = below(state, left)
                entry = ties[drawn]
                left -= 1
                for i in range(drawn, left):
                    ties[i] = ties[i + 1]
                if not found.refused[entry]:
                    _choose(chosen, found.ids[entry], query)
                    pairs[made, 0], pairs[made, 1], pairs[made, 2] = query, found.ids[entry], rows[row]
                    made += 1
                    row += 1
            elif stop < end:
                start, reached = stop, int(found.distances[stop])
                while stop < end and found.distances[stop] == reached:
                    stop += 1
                ties = _tie_list(found, usual_places, chosen, group, (start, stop))
                left = len(ties)
            elif found.exhausted[group]:
                break
            else:
                return Cursor(group, row, reached, made), _wanted(found, chosen, group)
        group, row, reached = group + 1, 0, 0
    return Cursor(group, row, reached, made), 0


BATCH = 2048
"""Rows done before progress is told, and groups searched at a time; see :mod:`.nearest_neighbours`."""
_TRIES_BEFORE_DOUBT = 1000
_MOST_IN_VAIN, _TRIES_AT_LAST = 1_000_000, 10
"""After so many draws in vain, which only a concept of very many terms brings about, a row has a few tries left, and
none if no term is left for its first one."""


@dataclass(frozen=True)
class Negatives:
    """Negative pairs, in the order made; fewer than positives where the set ran out of terms."""

    first: Ints
    second: Ints
    first_concept: Ints
    second_concept: Ints

    def __len__(self) -> int:
        return len(self.first)


def random_negatives(
    rows: Rows,
    lexicon: Lexicon,
    known: AbstractSet[int],
    draw: random.Random,
    advance: Callable[[float], None] = lambda _amount: None,
    *,
    across: bool = False,
) -> Negatives:
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
                if pair not in known and pair not in made and lowered[term] != lowered[drawn]:
                    made.add(pair)
                    result.append((term, drawn, concepts[0][at], concepts[side][other]))
                    break
            tries += 1
            in_vain += 1
            if tries % _TRIES_BEFORE_DOUBT == 0 or (in_vain >= _MOST_IN_VAIN and tries == _TRIES_AT_LAST):
                occurrences = occurrences or Counter(term for number in sides for term in columns[number])
                if not _any_left(term, columns[1][at], occurrences, lowered, known, made):
                    exhausted.add(term)
                    break
        if at % BATCH == BATCH - 1:
            advance(BATCH)
    advance(total % BATCH)
    return Negatives(*np.array(result, dtype=np.int64).reshape(-1, 4).T.copy())


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
    known: AbstractSet[int],
    draw: random.Random,
    advance: Callable[[float], None] = lambda _amount: None,
    *,
    likely: AbstractSet[int] = frozenset(),
    across: bool = False,
) -> Negatives:
    """Match the first term of each positive pair with one of the nearest terms of pairs that are not linked to it.

    It takes the same as :func:`random_negatives`, but `advance` is told how many groups were done, and `likely` are
    those of the known pairs that are likely to come up, since they are near: the search goes further for them at
    once. It changes the time that is taken, nothing else. Across two languages or terminologies, whose terms have
    different numbers, only second terms are candidates.
    """
    from termgauge.benchmark.nearest_neighbours import CandidateTable, NearestNeighbours

    table = CandidateTable(rows.first, rows.second)
    terms = table.terms.tolist()
    first_terms = np.flatnonzero(table.group_sizes).tolist()
    queries = as_numbers(sorted(first_terms, key=lambda number: lexicon.texts[terms[number]]))
    start = len(np.unique(rows.first)) if across else 0
    search = NearestNeighbours(
        table, [lexicon.lowered[term] for term in terms], known, _degrees(likely, table.terms), start
    )
    concept_of = np.concatenate([rows.first_concept, rows.second_concept])[table.usual_places]
    made = [np.empty((0, 3), np.int64)]
    for pairs, groups in search.matches(queries, BATCH, draw):
        made.append(pairs)
        advance(groups)
    query, match, row = np.concatenate(made).T
    return Negatives(table.terms[query], table.terms[match], rows.first_concept[row], concept_of[match])


def _degrees(pairs: AbstractSet[int], terms: Ints) -> Ints:
    """Return in how many of some pairs each term stands."""
    numbers = np.fromiter(pairs, dtype=np.int64, count=len(pairs))
    ends = np.concatenate([numbers >> 32, numbers & 0xFFFFFFFF])
    size = int(max(terms.max(initial=0), ends.max(initial=0))) + 1
    counts: Ints = np.bincount(ends, minlength=size)[terms]
    return counts
