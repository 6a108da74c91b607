"""What measuring categories gives: their terms, and how far each model keeps them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from termgauge.tasks.results import Finite, Record, Result, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.tasks.categories.members import Category

CATEGORIES = "ABC"


class CategorySummary(Record):
    """A category, and how large it is."""

    name: str
    terms: int
    """That were compared."""
    concepts: int
    all_terms: int = 0
    """That it has, of which some may have been drawn."""

    @classmethod
    def from_category(cls, category: Category) -> CategorySummary:
        """Say how large a category is."""
        terms, concepts = len(category.terms), len(category.concepts)
        return cls(name=category.name, terms=terms, concepts=concepts, all_terms=category.all_terms)


class Separation(Record):
    """How far a model keeps the categories apart, by one measure; None where something is undefined."""

    overlap: Finite
    """The share of triples with sim(a, b) <= sim(a, c): 0 is perfect, 1/2 is chance."""
    low: Finite
    high: Finite
    """The interval of the overlap over the concepts of A, B and C."""
    sizes: tuple[int, int, int]
    """How many terms of A, B and C it encodes."""
    means: dict[str, Finite]
    """Mean similarities between and within categories, within them over distinct pairs: AB, AC, AA, BB, CC."""
    triples: int
    undefined_triples: int
    """How many were left out because one of their similarities is undefined."""


Separations = dict[str, Separation]
"""By measure."""


class CategoryResult(Result):
    """How far models keep category C apart from A and B."""

    categories: dict[str, CategorySummary]
    """By letter: A and B are close, C is distant."""
    shared_terms: int
    """Terms that are in more than one category, before any were drawn."""
    models: dict[str, Separations]
    """On the terms that each model encodes."""
    on_shared: dict[str, Separations] = Field(default_factory=dict)
    """On the terms that all of these models encode; empty where they encode the same ones anyway."""
    too_few: list[str] = Field(default_factory=list)
    """Models that encode less than half of a category, and so do not decide what is shared."""

    def values(self) -> Iterator[Value]:
        """Yield the overlap by each measure, on a model's own terms and on those that all models encode."""
        for statistic, models in (("overlap", self.models), ("overlap_shared", self.on_shared)):
            for model, by_measure in models.items():
                for measure, own in by_measure.items():
                    ends = own.low, own.high
                    yield Value(model, statistic, own.overlap, *ends, own.triples, item=measure, better="lower")
