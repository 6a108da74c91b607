"""Terms as numbers: each distinct text once, with its lower-case form, so that pairs are pairs of integers."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import date
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.benchmark.nearest import edit_distances
from termgauge.benchmark.pairset import LONGEST_TERM
from termgauge.benchmark.sets import DIFFICULTIES, FSN_SYN, KINDS, REPLACEMENT_KINDS, SYN_SYN
from termgauge.exceptions import TermgaugeError
from termgauge.plurals import numbered, plural
from termgauge.terminology.model import COUNTED, FSN, SYNONYM
from termgauge.terminology.model import KINDS as TERM_KINDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from termgauge.benchmark.nearest import Flags, Ints, Ints32
    from termgauge.benchmark.options import BuildOptions
    from termgauge.terminology import Terminology

_SHIFT = 32


class Lexicon:
    """The distinct terms of a benchmark, numbered as they come."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.lowered: list[str] = []
        self._numbers: tuple[dict[str, int], dict[str, int]] = ({}, {})

    def __len__(self) -> int:
        return len(self.texts)

    def number(self, text: str, side: int = 0) -> int:
        """Return the number of a text, a new one if it is new.

        Where pairs go across two languages or terminologies, a text has a number of its own on each side, 0 or 1.
        """
        number = self._numbers[side].setdefault(text, len(self.texts))
        if number == len(self.texts):
            self.texts.append(text)
            self.lowered.append(text.lower())
        return number

    def distances(self, first: Ints, second: Ints) -> Ints32:
        """Return the Levenshtein distances of pairs of terms in lower case."""
        return edit_distances(*([self.lowered[term] for term in side.tolist()] for side in (first, second)))


def unordered(first: Ints, second: Ints) -> Ints:
    """Return one integer per pair of terms, the same for both orders."""
    return (np.minimum(first, second) << _SHIFT) | np.maximum(first, second)


def unordered_pair(first: int, second: int) -> int:
    """Return one integer for a pair of terms, the same for both orders: :func:`unordered` for a single pair."""
    return first << _SHIFT | second if first < second else second << _SHIFT | first


def as_numbers(values: Sequence[int]) -> Ints:
    """Return integers as an array."""
    return np.asarray(values, dtype=np.int64)


_BREAKS = r"[\t\r\n\x00]+"
_FOREIGN = "namespace"
_MOST_TERMS = 1500
"""Of one concept; real ones have some hundreds. The number of pairs grows with the square of it."""
_MARK = "[D]"
Pair = tuple[tuple[int, int], tuple[int, int], tuple[int, int]]
"""Two terms, their concepts, and the days on which they entered the terminology."""


@dataclass(frozen=True)
class Rows:
    """Pairs of terms, as numbers in a lexicon, with the concepts they stand for (places in the concept table)."""

    first: Ints
    second: Ints
    first_concept: Ints
    second_concept: Ints
    since: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    """The day on which the younger of the two terms entered the terminology, since 1970; -1 if unknown. Negative
    pairs have none."""

    def __len__(self) -> int:
        return len(self.first)

    def take(self, places: Ints | Flags) -> Rows:
        """Return some of the rows."""
        return Rows(*(getattr(self, column.name)[places] for column in fields(self)))


@dataclass(frozen=True)
class Positives:
    """The positive pairs of the ten sets, and what was seen on the way."""

    lexicon: Lexicon
    sets: dict[tuple[str, str], Rows]
    """By kind and difficulty."""
    known: set[int]
    """All positive pairs of the whole terminology but fsn-syn (which is inside syn-syn), in either order."""
    notes: tuple[str, ...]


def find_positives(terminology: Terminology, options: BuildOptions) -> Positives:
    """Find the positive pairs of a terminology."""
    vocabulary = Vocabulary(terminology, options)
    rows = {FSN_SYN: rows_of(vocabulary.name_and_synonym()), SYN_SYN: rows_of(vocabulary.synonyms())}
    within = set(unordered(rows[SYN_SYN].first, rows[SYN_SYN].second).tolist())
    pairs = set(within)
    for kind in REPLACEMENT_KINDS:
        rows[kind] = rows_of(vocabulary.replacements(kind, within))
        pairs.update(unordered(rows[kind].first, rows[kind].second).tolist())
    sets = _sets({kind: rows[kind] for kind in KINDS}, "second_concept", terminology, vocabulary.lexicon, options)
    return Positives(vocabulary.lexicon, sets, pairs, tuple(vocabulary.notes))


def find_positives_across(sides: Sequence[Terminology], links: pl.DataFrame, options: BuildOptions) -> Positives:
    """Find the positive pairs of two terminologies whose concepts ``first`` and ``second`` links."""
    lexicon = Lexicon()
    vocabularies = [Vocabulary(source, options, lexicon, side) for side, source in enumerate(sides)]
    first, second = (
        {at: (vocabulary.distinct(terms, days, named), named) for at, terms, days, named in vocabulary.groups}
        for vocabulary in vocabularies
    )
    places, lowered, alike = _places(links, sides), lexicon.lowered, 0

    def pairs(kind: str) -> Iterator[Pair]:
        nonlocal alike
        for here, there in places:
            if here not in first or there not in second:
                continue
            terms, named = first[here]
            chosen = terms[:named] if kind == FSN_SYN else terms[named:]
            for (one, day), (other, other_day) in product(chosen, second[there][0]):
                if lowered[one] == lowered[other]:
                    alike += 1
                else:
                    yield (one, other), (here, there), (day, other_day)

    rows = {kind: rows_of(pairs(kind)) for kind in (FSN_SYN, SYN_SYN)}
    sets = _sets(rows, "first_concept", sides[0], lexicon, options)
    notes = list(dict.fromkeys(note for vocabulary in vocabularies for note in vocabulary.notes))
    if alike:
        were = plural(alike, "was", "were")
        notes.append(f"{numbered(alike, 'pair')} written alike on both sides {were} left out.")
    return Positives(lexicon, sets, _spelt_alike(lexicon, rows.values()), tuple(notes))


def _places(links: pl.DataFrame, sides: Sequence[Terminology]) -> list[tuple[int, int]]:
    """Return links of ids as links of places in the tables of concepts."""
    for name, terminology in zip(("first", "second"), sides, strict=True):
        ids = terminology.concepts.select(pl.col("concept").alias(name)).with_row_index(f"{name}_at")
        links = links.join(ids, on=name, how="inner", maintain_order="left")
    return links.select("first_at", "second_at").rows()


def _spelt_alike(lexicon: Lexicon, tables: Collection[Rows]) -> set[int]:
    """Return all pairs that some concept joins, however their letters are cased."""
    first, second = (
        by_spelling(lexicon, {term for rows in tables for term in getattr(rows, side).tolist()})
        for side in ("first", "second")
    )
    return {
        unordered_pair(*pair)
        for rows in tables
        for one, other in zip(rows.first.tolist(), rows.second.tolist(), strict=True)
        for pair in product(first[lexicon.lowered[one]], second[lexicon.lowered[other]])
    }


def by_spelling(lexicon: Lexicon, terms: Iterable[int]) -> dict[str, list[int]]:
    """Return terms by how they are written in lower case."""
    spelt: dict[str, list[int]] = {}
    for term in terms:
        spelt.setdefault(lexicon.lowered[term], []).append(term)
    return spelt


def _sets(
    rows: Mapping[str, Rows], of: str, terminology: Terminology, lexicon: Lexicon, options: BuildOptions
) -> dict[tuple[str, str], Rows]:
    """Return the easy and the hard pairs of each kind, each pair once, of the days and the concepts that are wanted.

    The concepts are the first or the second ones of the pairs, as `of` says.
    """
    wanted, since = wanted_concepts(terminology, options), options.since_date
    sets: dict[tuple[str, str], Rows] = {}
    for kind, pairs in rows.items():
        if wanted is not None:
            pairs = pairs.take(wanted[getattr(pairs, of)])  # noqa: PLW2901
        if since is not None:
            pairs = pairs.take(pairs.since >= (since - date(1970, 1, 1)).days)  # noqa: PLW2901
        easy = lexicon.distances(pairs.first, pairs.second) <= options.split_distance
        for difficulty, part in zip(DIFFICULTIES, (pairs.take(easy), pairs.take(~easy)), strict=True):
            keys = unordered(part.first, part.second)
            sets[kind, difficulty] = part.take(np.sort(np.unique(keys, return_index=True)[1]))
    return sets


class Vocabulary:
    """The active names and synonyms of a terminology, ready to be paired; of two, each has a side of one lexicon."""

    def __init__(
        self, terminology: Terminology, options: BuildOptions, lexicon: Lexicon | None = None, side: int = 0
    ) -> None:
        if options.since and terminology.terms["since"].null_count() == terminology.terms.height:
            raise TermgaugeError(
                f"{terminology.identity.slug} has no history of its terms, so --since cannot be applied; it needs an "
                "RF2 release with Full files."
            )
        kinds_of_synonym = (SYNONYM, *(kind for kind in TERM_KINDS if kind in options.scope))
        self.lexicon = Lexicon() if lexicon is None else lexicon
        self.notes: list[str] = []
        self._side = side
        self._terminology = terminology
        self._concepts = terminology.concepts.select("concept", "name", counted=COUNTED).with_row_index("at")
        terms = (
            terminology.terms.lazy()
            .filter(pl.col("active") & pl.col("kind").is_in([FSN, *kinds_of_synonym]))
            .join(self._concepts.lazy(), on="concept", how="inner", maintain_order="left")
            .select(
                "at",
                "counted",
                pl.col("since").cast(pl.Int32).fill_null(-1),
                full="text",
                text=pl.when(pl.col("kind") == FSN).then("name").otherwise("text"),
                is_name=pl.col("kind") == FSN,
            )
            .collect()
        )
        self._terms = self._reasonable(self._without_breaks(terms))
        first_name = pl.col("is_name") & pl.struct("at", "is_name").is_first_distinct()
        self._names = self._terms.filter(first_name)
        if extra := self._terms.filter("is_name").height - self._names.height:
            self.notes.append(f"{extra} further names of concepts that have more than one were left out.")
        nameless = self._terms.filter("counted").join(self._names, on="at", how="anti")["at"].n_unique()
        if nameless:
            self.notes.append(f"{nameless} active concepts have no name; only their synonyms were paired.")
        self.groups = self._grouped()
        """For each concept that counts: its place, its terms, name first, their days, and whether it has a name."""

    def _without_breaks(self, terms: pl.DataFrame) -> pl.DataFrame:
        if broken := terms.filter(pl.col("text").str.contains(_BREAKS)).height:
            self.notes.append(f"{numbered(broken, 'term')} held tabs or line breaks, which became spaces.")
            terms = terms.with_columns(pl.col("text").str.replace_all(_BREAKS, " "))
        return terms

    def _reasonable(self, terms: pl.DataFrame) -> pl.DataFrame:
        """Leave out what no terminology has, and what would take for ever: terms and concepts without end."""
        if long := terms.filter(pl.col("text").str.len_chars() > LONGEST_TERM).height:
            self.notes.append(
                f"{numbered(long, 'term has', 'terms have')} more than {LONGEST_TERM:,} characters and "
                f"{plural(long, 'was', 'were')} left out."
            )
            terms = terms.filter(pl.col("text").str.len_chars() <= LONGEST_TERM)
        counts = terms.group_by("at").len().filter(pl.col("len") > _MOST_TERMS).sort("at")
        if counts.height:
            ids = self._concepts.join(counts, on="at", maintain_order="left", how="semi")["concept"].to_list()
            self.notes.append(
                f"{numbered(len(ids), 'concept has', 'concepts have')} more than {_MOST_TERMS:,} terms, such as "
                f"{ids[0]}, and {plural(len(ids), 'was', 'were')} left out."
            )
            terms = terms.join(counts, on="at", how="anti", maintain_order="left")
        return terms

    def _grouped(self) -> list[tuple[int, list[int], list[int], int]]:
        synonyms = self._terms.filter("counted", ~pl.col("is_name"))
        ordered = pl.concat([self._names.filter("counted"), synonyms]).sort("at", maintain_order=True)
        terms = [self.lexicon.number(text, self._side) for text in ordered["text"]]
        groups = ordered.with_columns(term=pl.Series(terms, dtype=pl.Int64)).group_by("at", maintain_order=True)
        return groups.agg("term", "since", pl.col("is_name").first().cast(pl.Int64)).rows()

    def name_and_synonym(self) -> Iterator[Pair]:
        """Pair each concept's name with each of its synonyms."""
        lowered = self.lexicon.lowered
        for at, terms, days, named in self.groups:
            for term, day in zip(terms[1:], days[1:], strict=True) if named else ():
                if lowered[term] != lowered[terms[0]]:
                    yield (terms[0], term), (at, at), (days[0], day)

    def synonyms(self) -> Iterator[Pair]:
        """Pair all terms of a concept with each other."""
        lowered = self.lexicon.lowered
        for at, terms, days, named in self.groups:
            for (one, one_day), (other, other_day) in combinations(self.distinct(terms, days, named), 2):
                if lowered[one] != lowered[other]:
                    yield (one, other), (at, at), (one_day, other_day)

    def distinct(self, terms: list[int], days: list[int], named: int) -> list[tuple[int, int]]:
        """Return the terms of a concept with their days, without synonyms that are written like its name."""
        lowered = self.lexicon.lowered
        name = lowered[terms[0]] if named else None
        return [
            (term, day)
            for index, (term, day) in enumerate(zip(terms, days, strict=True))
            if (named and index == 0) or lowered[term] != name
        ]

    def replacements(self, reason: str, within: Collection[int]) -> Iterator[Pair]:
        """Pair the names of retired concepts with those of the concepts that stand for them."""
        names = self._names.select("at", "text", "full", day="since").join(
            self._concepts.select("at", "concept"), on="at", maintain_order="left"
        )
        links = self._terminology.replacements.filter(pl.col("reason") == reason)
        pairs = links.join(names, left_on="old", right_on="concept", how="inner", maintain_order="left").join(
            names, left_on="new", right_on="concept", how="inner", maintain_order="left", suffix="_new"
        )
        if lost := links.height - pairs.height:
            self.notes.append(f"{lost} replacements ({reason}) have no name at one end and were left out.")
        columns = ("at", "text", "day", "at_new", "text_new", "day_new", "full_new")
        for at, text, day, at_new, text_new, day_new, full_new in pairs.select(columns).iter_rows():
            old, new = _without_marks(text), _without_marks(text_new)
            if _FOREIGN in full_new or old.lower() == new.lower():
                continue
            first, second = self.lexicon.number(old), self.lexicon.number(new)
            if unordered_pair(first, second) not in within:
                yield (first, second), (at, at_new), (day, day_new)


def rows_of(pairs: Iterable[Pair]) -> Rows:
    """Return pairs as columns."""
    numbers = ((*terms, *concepts, -1 if min(days) < 0 else max(days)) for terms, concepts, days in pairs)
    return Rows(*np.fromiter(numbers, np.dtype((np.int64, 5))).T.copy())


def _without_marks(name: str) -> str:
    """Cut the mark [D] at the start and at the end of a name, with the spaces beside it.

    Spaces of a name without the mark stay, as in the published sets.
    """
    if name.startswith(_MARK):
        name = name.removeprefix(_MARK).strip()
    return name.removesuffix(_MARK).strip() if name.endswith(_MARK) else name


def wanted_concepts(terminology: Terminology, options: BuildOptions) -> Flags | None:
    """Tell of each concept whether the options choose it (of replacements, the new one counts); None for all."""
    chosen = [] if options.under is None else [terminology.descendants(options.under)]
    chosen += [] if options.tag is None else [terminology.tagged(options.tag)]
    if not chosen:
        return None
    ids = terminology.concepts["concept"]
    wanted: Flags = np.logical_and.reduce([ids.is_in(concepts.implode()).to_numpy() for concepts in chosen])
    return wanted
