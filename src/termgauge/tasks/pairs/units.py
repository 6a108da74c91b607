"""What pairs share and depend through: concepts where they are known, else the words of the pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.statistics.covariance import Units

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet


def units_of(pairs: PairSet) -> Units:
    """Return the two units of each pair, as numbers that are the same in all sets: its concepts, or else its terms.

    A pair that lacks a concept has its term in lower case instead.
    """
    return Units(*(_numbers(_texts(pairs, place)) for place in (1, 2)))


def _texts(pairs: PairSet, place: int) -> pl.Series:
    terms = pairs.frame[f"term_{place}"].str.to_lowercase()
    if pairs.concepts is None:
        return terms
    concepts = pairs.concepts[f"concept_{place}"]
    known = concepts.is_not_null() & (concepts != "")
    return ("concept " + concepts.fill_null("")).zip_with(known, terms)


def _numbers(texts: pl.Series) -> NDArray[np.int64]:
    return (texts.hash(seed=0).to_numpy() >> np.uint64(1)).astype(np.int64)


def alone(pairs: int) -> Units:
    """Return the units of pairs that are taken as independent, as published."""
    return Units(np.arange(pairs), np.full(pairs, -1))


def first_concepts(pairs: PairSet) -> NDArray[np.int64] | None:
    """Return a number for the first concept of each pair, in the order in which they appear; None if none is known.

    A pair without one shares it with no other.
    """
    if pairs.concepts is None:
        return None
    numbers: dict[object, int] = {}
    column = pairs.concepts["concept_1"].to_list()
    return np.array([numbers.setdefault(each or object(), len(numbers)) for each in column], np.int64)
