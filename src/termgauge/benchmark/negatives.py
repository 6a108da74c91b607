"""Negative pairs: for each positive pair one whose terms mean different things, drawn as the published program draws.

Python's random generator is the only source of chance and every draw is made in the published order, so the same
seed gives the same pairs. What depends on draws is a plain loop; what does not, the search for near terms, is done
ahead for many terms at a time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from termgauge.benchmark.lexicon import as_numbers, unordered_pair

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from termgauge.benchmark.candidates import CandidateTable, Exceptions
    from termgauge.benchmark.lexicon import Lexicon
    from termgauge.benchmark.nearest.search import Levels
    from termgauge.benchmark.positives import Rows

BATCH = 4096
"""Groups searched at a time; also the most by which the search can be ahead of the draws."""
_TRIES_BEFORE_DOUBT = 1000
_MOST_IN_VAIN, _TRIES_AT_LAST = 1_000_000, 10
"""After so many draws in vain, which only a concept of very many terms brings about, a row has a few tries left, and
none if no term is left for its first one."""
_MOST_REFUSED = 8
"""For the few terms that stand in many known pairs it is better to search again."""


@dataclass(frozen=True)
class Negatives:
    """Negative pairs, in the order made; fewer than positives where the set ran out of terms."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    first_concept: NDArray[np.int64]
    second_concept: NDArray[np.int64]

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

    `known` pairs, as :func:`~termgauge.benchmark.lexicon.unordered_pair`, are not made; `draw` is seeded for this set;
    `advance` is told how many rows were done. Of pairs that go `across` two languages or terminologies only second
    terms are matched.
    """
    columns = (rows.first.tolist(), rows.second.tolist())
    concepts = (rows.first_concept.tolist(), rows.second_concept.tolist())
    lowered = lexicon.lowered
    total = len(rows)
    sides = (1,) if across else (0, 1)
    made: set[int] = set()
    result: list[tuple[int, ...]] = []
    occurrences: Counter[int] = Counter()
    exhausted: set[int] = set()
    in_vain = 0
    for at, term in enumerate(columns[0]):
        tries = 0
        while in_vain < _MOST_IN_VAIN or (tries < _TRIES_AT_LAST and term not in exhausted):
            other = draw.randint(0, total - 1)
            side = draw.choice(sides)
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
                occurrences = occurrences or Counter(term for each in sides for term in columns[each])
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
    known: AbstractSet[int],
    made: AbstractSet[int],
) -> bool:
    """Tell whether there is any term left, in other rows, that a row's first term may be matched with."""
    return any(
        lowered[term] != lowered[match]
        and (pair := unordered_pair(term, match)) not in known
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
    from termgauge.benchmark.candidates import CandidateTable

    table = CandidateTable(rows.first, rows.second)
    terms = table.terms.tolist()
    first_terms = np.flatnonzero(table.group_sizes).tolist()
    queries = as_numbers(sorted(first_terms, key=lambda number: lexicon.texts[terms[number]]))
    start = len(np.unique(rows.first)) if across else 0
    search = _Search(table, [lexicon.lowered[term] for term in terms], _degrees(likely, table.terms), start)
    concept_of = np.concatenate([rows.first_concept, rows.second_concept])[table.usual_places]
    result: list[tuple[int, ...]] = []
    for start in range(0, len(queries), BATCH):
        batch = queries[start : start + BATCH]
        for query, ties in search.batch(batch):
            for row in table.group(query).tolist():
                match = _next_allowed(ties, query, terms, known, draw)
                if match < 0:
                    break
                search.made(query, match)
                result.append((terms[query], terms[match], int(rows.first_concept[row]), int(concept_of[match])))
        advance(len(batch))
    return Negatives(*np.array(result, dtype=np.int64).reshape(-1, 4).T.copy())


def _next_allowed(ties: _Ties, query: int, terms: list[int], known: AbstractSet[int], draw: random.Random) -> int:
    """Draw from the tie list until a pair is allowed; -1 if no term is left."""
    while True:
        if not ties.current and not ties.form_next():
            return -1
        drawn = ties.current.pop(draw.randint(0, len(ties.current) - 1))
        if unordered_pair(terms[query], terms[drawn]) not in known:
            return drawn


def _degrees(pairs: AbstractSet[int], terms: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return in how many of some pairs each term stands."""
    numbers = np.fromiter(pairs, dtype=np.int64, count=len(pairs))
    ends = np.concatenate([numbers >> 32, numbers & 0xFFFFFFFF])
    size = int(max(terms.max(initial=0), ends.max(initial=0))) + 1
    counts: NDArray[np.int64] = np.bincount(ends, minlength=size)[terms]
    return counts


class _Search:
    """Near terms for one group after the other, looked up a batch ahead."""

    def __init__(self, table: CandidateTable, lowered: list[str], refused: NDArray[np.int64], start: int) -> None:
        from termgauge.benchmark.nearest.search import NearestTerms

        self._table, self._lowered, self._refused = table, lowered, refused
        self._start, self._near = start, NearestTerms(lowered[start:])
        self._chosen_by: dict[int, list[int]] = {}

    def made(self, query: int, match: int) -> None:
        """Note that a pair was made: its reverse is no candidate any more."""
        self._chosen_by.setdefault(match, []).append(query)

    def chosen_by(self, query: int) -> list[int]:
        """Return the terms whose negative this one has become."""
        return self._chosen_by.get(query, [])

    def batch(self, queries: NDArray[np.int64]) -> Iterator[tuple[int, _Ties]]:
        """Yield each group's first term with its candidates, nearest first."""
        exceptions = self._table.exceptions(queries)
        wanted = self._table.group_sizes[queries] + np.minimum(self._refused[queries], _MOST_REFUSED)
        offsets, excluded = self._with_chosen(queries, exceptions)
        texts = [self._lowered[query] for query in queries.tolist()]
        levels = self._nearest(texts, wanted, offsets, excluded)
        found = [levels.of(at) for at in range(len(queries))]
        self._search_again(queries, wanted, (offsets, excluded), found)
        for at, query in enumerate(queries.tolist()):
            moved = slice(exceptions.moved_offsets[at], exceptions.moved_offsets[at + 1])
            places = dict(zip(exceptions.moved[moved].tolist(), exceptions.places[moved].tolist(), strict=True))
            left_out = exceptions.excluded[exceptions.excluded_offsets[at] : exceptions.excluded_offsets[at + 1]]
            yield query, _Ties(self, query, left_out=left_out, places=places, found=found[at])

    def _search_again(
        self,
        queries: NDArray[np.int64],
        wanted: NDArray[np.int64],
        excluded: tuple[NDArray[np.int64], NDArray[np.int64]],
        found: list[tuple[list[int], list[int], bool]],
    ) -> None:
        """Go further for those that will probably be left with too few.

        Near terms stand side by side in the alphabet and so in one batch: if the first takes the second, the second
        may not take the first. Which will be taken is not known yet, so nothing is excluded; more is asked for.
        """
        place = {query: at for at, query in enumerate(queries.tolist())}
        taken_by: Counter[int] = Counter()
        for at, (ids, distances, _exhausted) in enumerate(found):
            for number, distance in zip(ids, distances, strict=True):
                if distance != distances[0]:
                    break
                if place.get(number, -1) > at:
                    taken_by[place[number]] += 1
        short = [
            at
            for at, count in taken_by.items()
            if len(found[at][0]) - count < wanted[at] and count <= _MOST_REFUSED and not found[at][2]
        ]
        if not short:
            return
        offsets, numbers = excluded
        levels = self._nearest(
            [self._lowered[query] for query in queries[short].tolist()],
            wanted[short] + as_numbers([taken_by[at] for at in short]),
            np.concatenate([[0], np.cumsum(offsets[as_numbers(short) + 1] - offsets[short])]),
            np.concatenate([numbers[offsets[at] : offsets[at + 1]] for at in short]),
        )
        for again, at in enumerate(short):
            found[at] = levels.of(again)

    def more(self, query: int, wanted: int, left_out: NDArray[np.int64]) -> tuple[list[int], list[int], bool]:
        """Search again for one group, further out."""
        excluded = np.concatenate([left_out, as_numbers(self.chosen_by(query))])
        bounds = as_numbers([0, len(excluded)])
        return self._nearest([self._lowered[query]], as_numbers([wanted]), bounds, excluded).of(0)

    def _nearest(
        self, texts: list[str], wanted: NDArray[np.int64], offsets: NDArray[np.int64], excluded: NDArray[np.int64]
    ) -> Levels:
        """Search among the candidates, which are all terms, or those from a number on."""
        if not self._start:
            return self._near.search(texts, wanted, offsets, excluded)
        kept = excluded >= self._start
        offsets = np.concatenate([[0], np.cumsum(kept)])[offsets]
        levels = self._near.search(texts, wanted, offsets, excluded[kept] - self._start)
        return replace(levels, ids=levels.ids + self._start)

    def place(self, number: int) -> int:
        """Return where a candidate usually stands."""
        return int(self._table.usual_places[number])

    def _with_chosen(
        self, queries: NDArray[np.int64], exceptions: Exceptions
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Add to the excluded terms those whose negative a query has become so far."""
        chosen = [self.chosen_by(query) for query in queries.tolist()]
        counts = as_numbers([len(each) for each in chosen])
        if not counts.any():
            return exceptions.excluded_offsets, exceptions.excluded
        where = np.repeat(exceptions.excluded_offsets[1:], counts)
        added = as_numbers([term for each in chosen for term in each])
        offsets = exceptions.excluded_offsets + np.concatenate([[0], np.cumsum(counts)])
        return offsets, np.insert(exceptions.excluded, where, added)


class _Ties:
    """The candidates of one group: the tie list in use, and those at greater distances."""

    def __init__(
        self,
        search: _Search,
        query: int,
        *,
        left_out: NDArray[np.int64],
        places: dict[int, int],
        found: tuple[list[int], list[int], bool],
    ) -> None:
        self.current: list[int] = []
        self._search, self._query, self._left_out, self._places = search, query, left_out, places
        self._ids, self._distances, self._exhausted = found
        self._next = self._reached = 0
        # Pairs made within the batch came too late for the search.
        self._chosen_by = set(search.chosen_by(query))

    def form_next(self) -> bool:
        """Make the candidates at the next distance the tie list; return whether there are any."""
        while not self.current:
            if self._next == len(self._ids) and not self._search_on():
                return False
            self._reached = self._distances[self._next]
            end = bisect_right(self._distances, self._reached)  # they come in order
            level = self._ids[self._next : end]
            self._next = end
            if self._places and not self._places.keys().isdisjoint(level):
                level.sort(key=lambda each: self._places.get(each, self._search.place(each)))
            self.current = [each for each in level if each not in self._chosen_by]
        return True

    def _search_on(self) -> bool:
        """Search further out; all nearer terms come again and are passed over."""
        if self._exhausted:
            return False
        wanted = sum(each not in self._chosen_by for each in self._ids) + 1
        self._ids, self._distances, self._exhausted = self._search.more(self._query, wanted, self._left_out)
        self._next = bisect_right(self._distances, self._reached)
        return self._next < len(self._ids) or self._search_on()
