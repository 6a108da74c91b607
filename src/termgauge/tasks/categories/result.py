"""What measuring categories gives: their terms, and how far each model keeps them apart."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from termgauge.statistics.compare import SetOutcomes, compare, estimated
from termgauge.statistics.covariance import NO_UNIT, Units
from termgauge.statistics.estimators import ratio
from termgauge.tasks.categories.measure import CATEGORIES, separations
from termgauge.tasks.results import Finite, Record, Result, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from termgauge.statistics.estimators import Estimates
    from termgauge.tasks.categories.measure import Counted, ModelSeparations
    from termgauge.tasks.categories.members import Category, Members
    from termgauge.tasks.categories.task import CategoryInputs, CategoryOptions

    Matrix = NDArray[np.float64]

_LEAST_SHARE = 0.5
"""Of each category, that a model must encode to decide which terms are shared."""


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

    @classmethod
    def of(cls, counted: Counted, owners: NDArray[np.int64], alpha: float) -> Separation:
        """Add the interval to what was counted; `owners` are the concepts of the terms, by number."""
        found = estimated(outcomes_of({"": counted}, owners), alpha)[""]
        return cls(
            overlap=counted.overlap,
            low=1 - found.high,
            high=1 - found.low,
            sizes=counted.sizes,
            means=counted.means,
            triples=counted.total,
            undefined_triples=math.prod(counted.sizes) - counted.total,
        )


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


def outcomes_of(counted: Mapping[str, Counted], owners: NDArray[np.int64]) -> SetOutcomes:
    """Return the share of triples that are kept apart; the units of terms are their concepts, by number.

    Without a term the triples with it are left out, so all that a term contributes is how often these are kept apart.
    """
    sizes = next(iter(counted.values())).sizes
    values = {name: np.stack([each.triples - each.overlapping, each.triples], -1) for name, each in counted.items()}

    category = np.repeat(np.arange(len(sizes)), sizes)

    def separation(values: Matrix, _truth: Matrix) -> Estimates:
        apart, triples = values[:, :, 0], values[:, :, 1]
        kept, total = (each.sum(axis=1, keepdims=True) / len(sizes) for each in (apart, triples))
        return replace(ratio(apart, triples, (kept, total)), classes=category)

    label = "separation (1 − overlap)"
    units = Units(owners, np.full(len(owners), NO_UNIT))
    return SetOutcomes("", "ratio", units, np.zeros(0), values, label=label, estimator=separation)


def _owners(members: Members, found: ModelSeparations) -> NDArray[np.int64]:
    """Return the concept of each term that a model encodes, or of each concept, as a number."""
    by_concept = found.kind == "concepts"
    owners = [own for each in members.categories for own in (each.concepts if by_concept else each.owners)]
    return np.asarray(np.unique(owners, return_inverse=True)[1][found.encoded])


def _separations(found: ModelSeparations, members: Members, alpha: float) -> Separations:
    owners = _owners(members, found)
    return {measure: Separation.of(counted, owners, alpha) for measure, counted in found.counted.items()}


def combined(
    measured: Mapping[str, ModelSeparations], inputs: CategoryInputs, options: CategoryOptions
) -> CategoryResult:
    """Compare models by their first measures, on the terms that all of them encode."""
    members, testing = inputs.members, inputs.testing
    terms, names, too_few = shared_terms(measured, members)
    shared = {
        name: separations(inputs.models[name](), members, options.measures, only=terms)
        if (measured[name].encoded != terms).any()
        else measured[name]
        for name in names
    }
    again = any(shared[name] is not measured[name] for name in names)
    first = {name: next(iter(found.counted.values())) for name, found in shared.items()}
    outcomes = [outcomes_of(first, _owners(members, shared[name])) for name in names[:1]]
    return CategoryResult(
        categories=dict(zip(CATEGORIES, map(CategorySummary.from_category, members.categories), strict=True)),
        shared_terms=members.shared,
        models={name: _separations(found, members, testing.alpha) for name, found in measured.items()},
        on_shared={name: _separations(found, members, testing.alpha) for name, found in shared.items() if again},
        too_few=too_few,
        joint=compare(outcomes, alpha=testing.alpha, margin=testing.margin, min_coverage=0.0).main,
    )


def shared_terms(
    models: Mapping[str, ModelSeparations], members: Members
) -> tuple[NDArray[np.bool_], list[str], list[str]]:
    """Return the terms that models share that encode enough, which models these are, and which encode too few.

    Models of concepts, which encode no terms, are not among them; those that encode less than half of a category are
    too few, and where nothing of a category is shared there is nobody to be compared.
    """
    bounds = np.cumsum([0, *(len(category.terms) for category in members.categories)]).tolist()
    parts = [slice(*ends) for ends in pairwise(bounds)]
    encoded = {name: own.encoded for name, own in models.items() if own.kind != "concepts"}
    names = [name for name, there in encoded.items() if min(there[part].mean() for part in parts) >= _LEAST_SHARE]
    terms = np.logical_and.reduce([np.ones(bounds[-1], np.bool_), *(encoded[name] for name in names)])
    too_few = [name for name in encoded if name not in names]
    empty = not all(terms[part].any() for part in parts)
    return terms, [] if empty else names, too_few if len(encoded) > 1 else []
