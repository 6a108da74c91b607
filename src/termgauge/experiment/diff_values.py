"""What two runs differ in: settings, models, sets, and every value that both have, with a test of its change."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from termgauge.statistics.json_values import finite

SAME, RENAMED, CHANGED, ONLY_FIRST, ONLY_SECOND = (
    "same",
    "renamed",
    "changed",
    "only in the first run",
    "only in the second run",
)


@dataclass(frozen=True)
class Change:
    """A setting or version; None where a run does not say."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class ModelChange:
    """A model of the first run and what stands for it in the second."""

    name: str
    other: str
    state: str
    parts: tuple[str, ...] = ()
    """What of its identity is not the same."""
    rescored: tuple[str, ...] = ()
    """Sets on which its scores differ though its identity is the same."""


@dataclass(frozen=True)
class SetChange:
    """A set of the first run and the one of the second that has its contents, or else its name."""

    name: str
    other: str
    state: str
    pairs: tuple[int, ...] = ()
    """In the first run, and in the second."""


@dataclass(frozen=True)
class ValueChange:
    """A value that both runs have."""

    model: str
    set: str
    measure: str
    statistic: str
    before: float
    after: float
    n: int
    """Pairs that both runs score, on which both values are; of a set that has changed, the fewer of the two."""
    coverage: tuple[float, float]
    """Share of the set's pairs that the model can score, before and after."""
    paired: bool
    """Whether the set is the same in both runs; else each value is on its own pairs, and nothing is tested."""
    identical: bool
    """Whether all scores are the same."""
    test: str = ""
    low: float = math.nan
    high: float = math.nan
    """The interval of the difference at the corrected level."""
    p_value: float = math.nan
    adjusted_p: float = math.nan
    significant: bool = False

    @property
    def difference(self) -> float:
        """The second run's value less the first's."""
        return self.after - self.before

    @property
    def changed(self) -> bool:
        """Whether the value is another."""
        return not (self.before == self.after or (math.isnan(self.before) and math.isnan(self.after)))

    @property
    def verdict(self) -> str:
        """What to make of it, in a word or two."""
        if not self.changed:
            return "unchanged"
        if not self.paired:
            return "other pairs"
        if not self.significant:
            return "not significant"
        return "better" if self.difference > 0 else "worse"


@dataclass(frozen=True)
class RunDiff:
    """What two runs differ in."""

    runs: tuple[str, str]
    alpha: float
    correction: str
    tests: int
    """How many changes were tested: those of values whose scores differ."""
    settings: tuple[Change, ...]
    models: tuple[ModelChange, ...]
    sets: tuple[SetChange, ...]
    values: tuple[ValueChange, ...]
    missing: tuple[tuple[str, str, str], ...]
    """Model, set, and which run alone has scores of them."""

    @property
    def changed(self) -> tuple[ValueChange, ...]:
        """The values that are others: significant ones first, then by the size of their change."""
        found = [value for value in self.values if value.changed]
        return tuple(sorted(found, key=lambda each: (not each.significant, -abs(_or_zero(each.difference)))))

    @property
    def better(self) -> tuple[ValueChange, ...]:
        """The values that are significantly better in the second run."""
        return tuple(value for value in self.changed if value.verdict == "better")

    @property
    def worse(self) -> tuple[ValueChange, ...]:
        """The values that are significantly worse in the second run."""
        return tuple(value for value in self.changed if value.verdict == "worse")

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-like values."""
        values = [{**asdict(value), "difference": value.difference, "verdict": value.verdict} for value in self.values]
        return {
            "runs": list(self.runs),
            "alpha": self.alpha,
            "correction": self.correction,
            "tests": self.tests,
            "compared": len(self.values),
            "changed": len(self.changed),
            "better": len(self.better),
            "worse": len(self.worse),
            "settings": [asdict(change) for change in self.settings],
            "models": [asdict(change) for change in self.models],
            "sets": [asdict(change) for change in self.sets],
            "missing": [{"model": model, "set": name, "state": state} for model, name, state in self.missing],
            "values": [{key: finite(item) for key, item in value.items()} for value in values],
        }


def _or_zero(value: float) -> float:
    return 0.0 if math.isnan(value) else value
