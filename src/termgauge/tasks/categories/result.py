"""What measuring categories gives: their terms, and how far each model keeps them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.tasks.categories.overlap import CATEGORIES
from termgauge.tasks.contract import Finite, Record, Result, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from termgauge.tasks.categories.members import Members
    from termgauge.tasks.categories.overlap import CategorySeparation


class CategorySummary(Record):
    """A category, and how large it is."""

    name: str
    terms: int
    concepts: int


class Separation(Record):
    """How far a model keeps the categories apart, by one measure; None where something is undefined."""

    overlap: Finite
    low: Finite
    high: Finite
    sizes: tuple[int, int, int]
    """How many terms of A, B and C it encodes."""
    means: dict[str, Finite]
    """Mean similarities between and within categories: AB, AC, AA, BB, CC."""
    triples: int
    undefined_triples: int

    @classmethod
    def of(cls, counted: CategorySeparation) -> Separation:
        """Keep what was counted."""
        return cls.model_validate(counted._asdict())


Separations = dict[str, Separation]
"""By measure."""


class CategoryResult(Result):
    """How far models keep category C apart from A and B."""

    categories: dict[str, CategorySummary]
    """By letter: A and B are close, C is distant."""
    shared_terms: int
    """Terms that are in more than one category."""
    models: dict[str, Separations]

    @classmethod
    def of(cls, members: Members, models: Mapping[str, Separations]) -> CategoryResult:
        """Say what the categories are, and what was found of each model."""
        summaries = {
            letter: CategorySummary(name=each.name, terms=len(each.terms), concepts=len(each.concepts))
            for letter, each in zip(CATEGORIES, members.categories, strict=True)
        }
        return cls(categories=summaries, shared_terms=members.shared, models=dict(models))

    def values(self) -> Iterator[Value]:
        """Yield the overlap by each measure."""
        for model, by_measure in self.models.items():
            for measure, own in by_measure.items():
                ends = own.low, own.high
                yield Value(model, "overlap", own.overlap, *ends, own.triples, item=measure, better="lower")
