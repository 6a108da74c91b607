"""What measuring categories gives: their terms, and how far each model keeps them apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from termgauge.tasks.categories.overlap import CATEGORIES, CategorySeparation


@dataclass(frozen=True)
class Category:
    """The terms of a category, and the ids of its concepts."""

    name: str
    """As it was named: a concept id, a tag, or ``@file``."""
    terms: tuple[str, ...]
    concepts: tuple[str, ...]
    """Empty for terms from a file."""

    def drawn(self, most: int, seed: int) -> Category:
        """Return it with so many terms, and so many concepts, at most, drawn with a seed and kept in order."""
        return Category(self.name, _drawn(self.terms, most, seed), _drawn(self.concepts, most, seed))


@dataclass(frozen=True)
class CategoryReport:
    """How far models keep category C apart from A and B."""

    categories: tuple[Category, Category, Category]
    shared: int
    """Terms that are in more than one category."""
    models: dict[str, dict[str, CategorySeparation]]
    """By model and measure."""

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-like values."""
        return {
            "categories": {
                letter: {"name": category.name, "terms": len(category.terms), "concepts": len(category.concepts)}
                for letter, category in zip(CATEGORIES, self.categories, strict=True)
            },
            "shared_terms": self.shared,
            "models": {
                model: {measure: _document(found) for measure, found in by_measure.items()}
                for model, by_measure in self.models.items()
            },
        }


def _drawn(items: tuple[str, ...], most: int, seed: int) -> tuple[str, ...]:
    if len(items) <= most:
        return items
    places = np.sort(np.random.default_rng(seed).choice(len(items), most, replace=False))
    return tuple(items[place] for place in places.tolist())


def _document(found: CategorySeparation) -> dict[str, Any]:
    """Return what was found as JSON-like values, null where it is undefined."""
    numbers = {"overlap": found.overlap, "low": found.low, "high": found.high}
    finite = {name: value if np.isfinite(value) else None for name, value in numbers.items()}
    means = {pair: value if np.isfinite(value) else None for pair, value in found.means.items()}
    counts = {"triples": found.triples, "undefined_triples": found.undefined_triples}
    return {**finite, "sizes": list(found.sizes), "means": means, **counts}
