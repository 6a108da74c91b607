"""What dividing sets by a property gives: the value of each model in each band, trends, and differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, model_validator

from termgauge.tasks.results import DifferenceRecord, Ends, Finite, Record, Result, Value
from termgauge.tasks.subsets.bands import Band

if TYPE_CHECKING:
    from collections.abc import Iterator

_NONE: Ends = (None, None)


class Estimate(Record):
    """A value with its interval, and how many pairs it rests on."""

    value: Finite = None
    interval: Ends = _NONE
    n: int = 0


class ModelInBand(Estimate):
    """A model in a band: its value on the pairs that it can score."""

    shared: Estimate | None = None
    """The same on the pairs that all models can score; None for a model that scores too few pairs of the set."""


class BandRecord(Record):
    """A band of a set."""

    low: Finite = None
    high: Finite = None
    closed: Literal["left", "right"] = "left"
    """Which end is in the band."""
    label: str = ""
    """What a kind is called; empty for bands of numbers."""
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

    @property
    def band(self) -> Band:
        """The band itself."""
        return Band(self.low, self.high, self.closed, self.label)

    @property
    def title(self) -> str:
        """What people call it."""
        return self.band.title


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
    def _of_one(cls, given: Any) -> Any:  # noqa: ANN401
        """Take one set that stands by itself."""
        if not isinstance(given, dict) or "sets" in given or "bands" not in given:
            return given
        return {**given, "sets": {given["set"]: given}}

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        document = super().as_dict()
        sets = document.pop("sets")
        return {**next(iter(sets.values())), **document} if len(sets) == 1 else {"sets": sets, **document}

    def values(self) -> Iterator[Value]:
        """Yield the value of each model in each band, and how it changes over the bands."""
        for name, subsets in self.sets.items():
            for band in subsets.bands:
                for model, found in band.models.items():
                    item = f"{name}, {subsets.property}: {band.title}"
                    yield Value(model, subsets.statistic, found.value, *found.interval, found.n, item)
            for model, trend in subsets.trends.items():
                if subsets.ordered:
                    item = f"{name}, {subsets.property}"
                    yield Value(model, "change", trend.change, trend.low, trend.high, None, item, "")
