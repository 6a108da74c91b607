"""What two runs differ in: settings, models, sets, and every value that both have, with a test of its change."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from termgauge.display import Showing, shortened
from termgauge.plurals import numbered
from termgauge.tasks.results import finite

if TYPE_CHECKING:
    import polars as pl

    from termgauge.tasks.changes import ModelChange, SetChange, ValueChange


@dataclass(frozen=True)
class Change:
    """A setting or version; None where a run does not say."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, repr=False)
class RunDiff(Showing):
    """What two runs differ in."""

    shown_by = "termgauge.engine.diff_document:diff_document"

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

    def _brief(self) -> str:
        one, other = (shortened(run, 20) for run in self.runs)
        return (
            f"difference of '{one}' and '{other}': {numbered(len(self.values), 'value')}, {len(self.changed)} changed, "
            f"{len(self.better)} better, {len(self.worse)} worse"
        )

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each value that both runs have."""
        from termgauge.engine.diff_document import frame_of_changes

        return frame_of_changes(self.values)

    @property
    def changed(self) -> tuple[ValueChange, ...]:
        """The values that are others: significant ones first, then by the size of their change."""
        changes = [value for value in self.values if value.changed]
        return tuple(sorted(changes, key=lambda each: (not each.significant, -abs(_or_zero(each.difference)))))

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
        values = [
            {**asdict(value), "measure": value.measure, "difference": value.difference, "verdict": value.verdict}
            for value in self.values
        ]
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
