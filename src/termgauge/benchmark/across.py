"""Positive pairs across two languages, or two terminologies: a name of a concept here, and one of the same there.

``fsn-syn`` is the preferred name of the first with every name of the second, ``syn-syn`` every other name of the first
with every name of the second; each is split by edit distance into easy and hard.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from termgauge.benchmark.lexicon import Lexicon, unordered_pair
from termgauge.benchmark.positives import (
    Positives,
    Vocabulary,
    by_difficulty,
    require_history,
    rows_of,
    wanted_concepts,
)
from termgauge.benchmark.sets import FSN_SYN, SYN_SYN
from termgauge.plurals import numbered, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from termgauge.benchmark.options import BuildOptions
    from termgauge.benchmark.positives import Pair, Rows
    from termgauge.benchmark.subject import Subject

KINDS = (FSN_SYN, SYN_SYN)


def find_positives_across(subject: Subject, options: BuildOptions) -> Positives:
    """Find the positive pairs of two terminologies whose concepts are linked."""
    assert subject.links is not None
    sides = (subject.first, subject.second)
    lexicon = Lexicon()
    for terminology in sides:
        require_history(terminology, options)
    vocabularies = tuple(Vocabulary(each, options, lexicon, side) for side, each in enumerate(sides))
    pairing = _Pairing(vocabularies, _places(subject.links, sides))
    rows = {kind: rows_of(pairing.pairs(kind)) for kind in KINDS}
    wanted = wanted_concepts(subject.first, options)
    sets: dict[tuple[str, str], Rows] = {}
    for kind, own in rows.items():
        chosen = own if wanted is None else own.take(wanted[own.first_concept])
        sets |= by_difficulty(kind, chosen, lexicon, options)
    notes = [*subject.notes, *dict.fromkeys(note for each in vocabularies for note in each.notes)]
    if pairing.alike:
        were = plural(pairing.alike, "was", "were")
        notes.append(f"{numbered(pairing.alike, 'pair')} written alike on both sides {were} left out.")
    return Positives(lexicon, sets, _known(lexicon, rows), tuple(notes))


class _Pairing:
    """Names of linked concepts, paired."""

    def __init__(self, vocabularies: tuple[Vocabulary, ...], links: list[tuple[int, int]]) -> None:
        self._links = links
        self._lowered = vocabularies[0].lexicon.lowered
        self._named = [{at: named for at, _terms, _days, named in each.groups} for each in vocabularies]
        self._terms = [
            {at: each.distinct(terms, days, named) for at, terms, days, named in each.groups} for each in vocabularies
        ]
        self.alike = 0
        """How many pairs were left out so far because both terms are written alike."""

    def pairs(self, kind: str) -> Iterator[Pair]:
        """Yield the pairs of a kind."""
        for here, there in self._links:
            own, others = self._terms[0].get(here), self._terms[1].get(there)
            if own is None or others is None:
                continue
            named = self._named[0][here]
            for (one, day), (other, other_day) in product(own[:named] if kind == FSN_SYN else own[named:], others):
                if self._lowered[one] == self._lowered[other]:
                    self.alike += 1
                else:
                    yield (one, other), (here, there), (day, other_day)


def _places(links: pl.DataFrame, sides: tuple[object, ...]) -> list[tuple[int, int]]:
    """Return links of ids as links of places in the tables of concepts."""
    columns = []
    for name, terminology in zip(("first", "second"), sides, strict=True):
        concepts = terminology.concepts.select("concept").with_row_index("at")  # type: ignore[attr-defined]
        joined = links.select(name).join(concepts, left_on=name, right_on="concept", how="left", maintain_order="left")
        columns.append(joined["at"].to_list())
    return [(here, there) for here, there in zip(*columns, strict=True) if here is not None and there is not None]


def _known(lexicon: Lexicon, rows: dict[str, Rows]) -> set[int]:
    """Return all pairs that some concept joins, however their letters are cased."""
    first = {term for each in rows.values() for term in each.first.tolist()}
    second = {term for each in rows.values() for term in each.second.tolist()}
    spelt: list[dict[str, list[int]]] = [{}, {}]
    for own, terms in zip(spelt, (first, second), strict=True):
        for term in terms:
            own.setdefault(lexicon.lowered[term], []).append(term)
    return {
        unordered_pair(*pair)
        for each in rows.values()
        for one, other in zip(each.first.tolist(), each.second.tolist(), strict=True)
        for pair in product(spelt[0][lexicon.lowered[one]], spelt[1][lexicon.lowered[other]])
    }
