"""What dividing sets by a property gives: the value of each model in each band, trends, and differences."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from termgauge.tasks.results import DifferenceRecord, Ends, Finite, Record, Result, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from termgauge.statistics import comparison

NOWHERE = -1
"""The band of a pair that is in none."""


class Band(Record):
    """An interval of a property, or one of its kinds."""

    low: Finite = None
    high: Finite = None
    closed: Literal["left", "right"] = "left"
    """Which end is in it."""
    label: str = ""
    """What a kind is called; empty for intervals."""

    @property
    def title(self) -> str:
        """What people call it.

        >>> bands = Band(high=5), Band(low=5, high=70), Band(low=1, high=2, closed="right"), Band(label="synonym")
        >>> [band.title for band in bands]
        ['under 5', '5 to under 70', 'over 1 to 2', 'synonym']
        """
        if self.label:
            return self.label
        low, high = (None if end is None else _plain(end) for end in (self.low, self.high))
        if low == high:  # what differs must not look the same
            low, high = (None if end is None else f"{end:.12g}" for end in (self.low, self.high))
        left = self.closed == "left"
        if low is None:
            return "all" if high is None else f"under {high}" if left else f"up to {high}"
        if high is None:
            return f"{low} or more" if left else f"over {low}"
        return f"{low} to under {high}" if left else f"over {low} to {high}"

    @property
    def short(self) -> str:
        """What stands below an axis.

        >>> bands = Band(high=5), Band(low=5, high=70), Band(low=70), Band(low=2, closed="right")
        >>> [band.short for band in bands]
        ['< 5', '5–70', '≥ 70', '> 2']
        """
        if self.label or (self.low is None and self.high is None):
            return self.title
        left = self.closed == "left"
        if self.low is None or self.high is None:
            sign = ("<" if left else "≤") if self.low is None else "≥" if left else ">"
            return f"{sign} {_plain(self.high if self.low is None else self.low)}"  # type: ignore[arg-type]
        return f"{_plain(self.low)}–{_plain(self.high)}"

    def holds(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Say which values are in it; NaN never is."""
        low = -np.inf if self.low is None else self.low
        high = np.inf if self.high is None else self.high
        if self.closed == "right":
            return (values > low) & (values <= high)
        return (values >= low) & (values < high if self.high is not None else ~np.isnan(values))


def _plain(number: float) -> str:
    return f"{number:,.0f}" if number == round(number) else f"{number:.4g}"


def given_bands(limits: Sequence[float]) -> list[Band]:
    """Return the bands between limits that ascend, and the one from the last limit up.

    >>> [band.title for band in given_bands([0, 1000, 10000])]
    ['0 to under 1,000', '1,000 to under 10,000', '10,000 or more']
    """
    return [Band(low=low, high=high) for low, high in pairwise([*limits, None])]


def tertiles(values: NDArray[np.float64], of: Literal["words", "pairs"]) -> list[Band]:
    """Return three bands; two where both limits are the same value.

    Limits of words, given the value of each distinct one, are values that occur. Those of pairs are interpolated, and
    each belongs to the band below it.

    >>> [band.title for band in tertiles(np.array([1.0, 9.0, 2.0, 2.0, 5.0, 7.0]), "words")]
    ['under 2', '2 to under 7', '7 or more']
    >>> [band.title for band in tertiles(np.array([0.0, 1.0, 2.0, 3.0]), "pairs")]
    ['up to 1', 'over 1 to 2', 'over 2']
    """
    defined = np.sort(values[~np.isnan(values)])
    if not len(defined):
        return []
    occurring = defined[[len(defined) // 3, 2 * len(defined) // 3]]
    limits: list[float] = (occurring if of == "words" else np.quantile(defined, [1 / 3, 2 / 3])).tolist()
    kept = limits[of == "pairs" :][:1] if math.isclose(*limits) else limits
    closed: Literal["left", "right"] = "left" if of == "words" else "right"
    return [Band(low=low, high=high, closed=closed) for low, high in pairwise([None, *kept, None])]


class Banded(NamedTuple):
    """The bands of a set that hold something, and in which of them each pair lies."""

    bands: tuple[Band, ...]
    of_pair: NDArray[np.int64]
    """The place of the band of each pair; -1 if it is in none."""
    empty: tuple[Band, ...]
    """Those that hold no word, or no pair of a property of pairs."""
    unknown: int
    """Pairs without a value, or with a word that has none."""

    @property
    def outside(self) -> int:
        """How many pairs are in no band."""
        return int(np.count_nonzero(self.of_pair == NOWHERE))


def banded(bands: Sequence[Band], one: NDArray[np.float64], two: NDArray[np.float64] | None = None) -> Banded:
    """Divide pairs by their value; or by the values of their two words, which must both be in a band."""
    two = one if two is None else two
    first, second = _places(bands, one), _places(bands, two)
    held = np.isin(np.arange(len(bands)), [first, second])
    number = np.append(np.where(held, np.cumsum(held) - 1, NOWHERE), NOWHERE)
    return Banded(
        tuple(band for band, there in zip(bands, held, strict=True) if there),
        np.where(first == second, number[first], NOWHERE),
        tuple(band for band, there in zip(bands, held, strict=True) if not there),
        int((np.isnan(one) | np.isnan(two)).sum()),
    )


def _places(bands: Sequence[Band], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the place of the band of each value; -1, which is also the last place, if it is in none."""
    places = np.full(len(values), NOWHERE, np.int64)
    for at, band in enumerate(bands):
        places[values == at if band.label else band.holds(values)] = at
    return places


_NONE: Ends = (None, None)


class Estimate(Record):
    """A value with its interval, and how many pairs it rests on."""

    value: Finite = None
    interval: Ends = _NONE
    n: int = 0

    @classmethod
    def of(cls, estimate: comparison.Estimate, **more: Any) -> Self:  # noqa: ANN401
        """Return an estimate as results name its parts."""
        return cls(value=estimate.value, interval=(estimate.low, estimate.high), n=estimate.n, **more)


class ModelInBand(Estimate):
    """A model in a band: its value on the pairs that it can score."""

    shared: Estimate | None = None
    """The same on the pairs that all models can score; None for a model that scores too few pairs of the set."""


class BandRecord(Band):
    """A band of a set."""

    pairs: int
    spread: Finite = None
    """The mean sample standard deviation of the ratings of its pairs, where ratings are known."""
    score: Finite = None
    """The mean score of its pairs; None of sets with labels."""
    positives: int | None = None
    """How many of its pairs have label 1; None of rated sets."""
    models: dict[str, ModelInBand]
    differences: list[DifferenceRecord] = Field(default_factory=list)
    """Between any two models, on the pairs that all models can score."""


class TrendRecord(Record):
    """Whether the value of a model rises or falls over the bands; of kinds, whether it differs between them at all."""

    change: Finite = None
    """From the first band to the last, on the straight line through all of them; None of kinds."""
    low: Finite = None
    high: Finite = None
    p_value: Finite = None
    adjusted_p: Finite = None
    significant: bool = False


class SetSubsets(Record):
    """A set in bands of a property."""

    set: str
    property: str
    meaning: str
    """What the property is, and where its values come from."""
    of: Literal["words", "pairs"]
    statistic: str
    """`spearman`, `auc` or `accuracy`."""
    pairs: int
    measures: dict[str, str]
    """The measure that stands for each model."""
    bands: list[BandRecord]
    outside: int
    """Pairs that are in no band."""
    unknown: int
    """How many of these have no value, or a word that has none."""
    spread: Finite = None
    """The mean of the bands' mean standard deviations, each band counting alike."""
    trends: dict[str, TrendRecord]
    ordered: bool = True
    """Whether the bands have an order; kinds have none."""
    notes: list[str] = Field(default_factory=list)


class SubsetsResult(Result):
    """Sets in bands of a property.

    As JSON, one set stands by itself, with its `bands` at the top; several stand by their names under `sets`.
    """

    sets: dict[str, SetSubsets]
    alpha: float
    correction: str
    skipped: dict[str, str] = Field(default_factory=dict)
    """Sets that cannot be divided, each with the reason."""

    @model_validator(mode="before")
    @classmethod
    def _of_one(cls, data: Any) -> Any:  # noqa: ANN401
        """Take one set that stands by itself."""
        if not isinstance(data, dict) or "sets" in data or "bands" not in data:
            return data
        return {**data, "sets": {data["set"]: data}}

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        document = super().as_dict()
        sets = document.pop("sets")
        return {**next(iter(sets.values())), **document} if len(sets) == 1 else {"sets": sets, **document}

    def values(self) -> Iterator[Value]:
        """Yield the value of each model in each band, and how it changes over the bands."""
        for name, subsets in self.sets.items():
            for band in subsets.bands:
                for model, in_band in band.models.items():
                    item = f"{name}, {subsets.property}: {band.title}"
                    yield Value(model, subsets.statistic, in_band.value, *in_band.interval, in_band.n, item)
            for model, trend in subsets.trends.items():
                if subsets.ordered:
                    item = f"{name}, {subsets.property}"
                    yield Value(model, "change", trend.change, trend.low, trend.high, None, item, "")
