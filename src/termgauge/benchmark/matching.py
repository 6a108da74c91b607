"""Draws among near terms, compiled: for each row of a group one of the nearest terms that is allowed.

Candidates at the same distance are a tie list, in the order of their places; each draw takes one out of it, allowed or
not, and when it is empty the next distance follows. Where a group needs terms that were not searched for, the kernel
stops and says how many it wants. Chance is Python's generator, whose state is taken over, drawn from, and given back:
the Mersenne twister is our own because the published sets depend on every draw of :mod:`random`, which compiled code
cannot call (whole numbers below a limit are drawn by rejection of the highest bits; NumPy rejects the lowest).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
    import random

    from numpy.typing import NDArray

_WORDS, _AHEAD = 624, 397
_HIGHEST, _OTHERS = np.uint32(0x80000000), np.uint32(0x7FFFFFFF)
_MATRIX = np.uint32(0x9908B0DF)
_MASKS = np.uint32(0x9D2C5680), np.uint32(0xEFC60000)
_BITS = 32


def taken_over(draw: random.Random) -> NDArray[np.uint32]:
    """Return the state of a generator: its words, and how many of them are used up."""
    return np.array(draw.getstate()[1], np.uint32)


def give_back(draw: random.Random, state: NDArray[np.uint32]) -> None:
    """Let a generator go on where compiled code stopped."""
    version, _words, pending = draw.getstate()
    draw.setstate((version, tuple(state.tolist()), pending))


@njit()
def _renew(state: NDArray[np.uint32]) -> None:
    for i in range(_WORDS):
        joined = (state[i] & _HIGHEST) | (state[(i + 1) % _WORDS] & _OTHERS)
        state[i] = state[(i + _AHEAD) % _WORDS] ^ (joined >> np.uint32(1)) ^ (_MATRIX if joined & 1 else np.uint32(0))
    state[_WORDS] = 0


@njit()
def _word(state: NDArray[np.uint32]) -> np.uint32:
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
def below(state: NDArray[np.uint32], limit: int) -> int:
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
def shuffled(state: NDArray[np.uint32], size: int) -> NDArray[np.int64]:
    """Return the whole numbers below a size in the order in which :meth:`random.Random.shuffle` leaves them."""
    numbers = np.arange(size)
    for last in range(size - 1, 0, -1):
        drawn = below(state, last + 1)
        numbers[last], numbers[drawn] = numbers[drawn], numbers[last]
    return numbers


@njit()
def drawn_below(state: NDArray[np.uint32], limits: tuple[int, int], times: int) -> NDArray[np.int64]:
    """Draw below one limit and below another, in turns."""
    drawn = np.empty((times, 2), np.int64)
    for i in range(times):
        drawn[i, 0] = below(state, limits[0])
        drawn[i, 1] = below(state, limits[1])
    return drawn


class Found(NamedTuple):
    """Candidates of some groups, named by their first terms: group i has the entries from ``offsets[i]`` on.

    They come by distance. A `refused` one may be drawn, but makes no pair. `exhausted` tells that there are no others.
    Terms `moved`, of group i from ``moved_offsets[i]`` on, stand at another place than usual.
    """

    queries: NDArray[np.int64]
    offsets: NDArray[np.int64]
    ids: NDArray[np.int64]
    distances: NDArray[np.int32]
    refused: NDArray[np.bool_]
    exhausted: NDArray[np.bool_]
    moved_offsets: NDArray[np.int64]
    moved: NDArray[np.int64]
    places: NDArray[np.int64]


class Chosen(NamedTuple):
    """By which terms each term was chosen, as chains: ``last[term]`` is the latest entry, ``before`` it another."""

    last: NDArray[np.int64]
    before: NDArray[np.int64]
    by: NDArray[np.int64]
    size: NDArray[np.int64]
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
def pushed(array: NDArray[np.int64], size: int, value: int) -> tuple[NDArray[np.int64], int]:
    """Append to a growing array."""
    if size == len(array):
        bigger = np.empty(2 * len(array), dtype=np.int64)
        for i in range(size):  # what NumPy does in one line takes the compiler seconds
            bigger[i] = array[i]
        array = bigger
    array[size] = value
    return array, size + 1


@njit()
def chosen_by(chosen: Chosen, terms: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how often each of some terms was chosen, and by which, one after the other."""
    counts, found = np.zeros(len(terms), np.int64), np.empty(16, np.int64)
    size = 0
    for i in range(len(terms)):
        entry = chosen.last[terms[i]]
        while entry >= 0:
            found, size = pushed(found, size, chosen.by[entry])
            counts[i] += 1
            entry = chosen.before[entry]
    return counts, found[:size]


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
def _tie_list(
    found: Found, usual_places: NDArray[np.int64], chosen: Chosen, group: int, entries: tuple[int, int]
) -> NDArray[np.int64]:
    """Return the entries of one distance in the order of their places, without terms that chose the query."""
    start, stop = entries
    first, last = found.moved_offsets[group], found.moved_offsets[group + 1]
    ties, places = np.empty(stop - start, np.int64), np.empty(stop - start, np.int64)
    size = 0
    for entry in range(start, stop):
        if _holds(chosen, found.queries[group], found.ids[entry]):
            continue
        place = usual_places[found.ids[entry]]
        for m in range(first, last):
            if found.moved[m] == found.ids[entry]:
                place = found.places[m]
        at = size  # entries come in the usual order, so that only moved ones have to be put in between
        while at and places[at - 1] > place:
            ties[at], places[at] = ties[at - 1], places[at - 1]
            at -= 1
        ties[at], places[at] = entry, place
        size += 1
    return ties[:size]


@njit()
def _wanted(found: Found, chosen: Chosen, group: int) -> int:
    """Return how many candidates to ask for in order to get one more distance."""
    count = 1
    for entry in range(found.offsets[group], found.offsets[group + 1]):
        count += not _holds(chosen, found.queries[group], found.ids[entry])
    return count


@njit()
def draw_matches(
    found: Found,
    groups: tuple[NDArray[np.int64], NDArray[np.int64]],
    usual_places: NDArray[np.int64],
    chosen: Chosen,
    state: NDArray[np.uint32],
    cursor: Cursor,
    pairs: NDArray[np.int64],
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
