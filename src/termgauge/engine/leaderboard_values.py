"""What several runs together say: every model on every set, where each value comes from, and how models rank."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import polars as pl
from pydantic import Field

from termgauge.display import Showing
from termgauge.plurals import numbered
from termgauge.statistics.names import statistic_for
from termgauge.tasks.pairs.results import SHARED
from termgauge.tasks.records import ModelRecord, SetRecord

if TYPE_CHECKING:
    from termgauge.tasks.pairs.run_comparison import RunComparison
    from termgauge.tasks.results import Value


class BoardModel(ModelRecord):
    """A model on the board."""

    runs: list[str]
    also: list[str] = Field(default_factory=list, exclude_if=lambda names: not names)
    """What other runs call it."""


class BoardSet(SetRecord):
    """A set on the board."""

    runs: list[str]


class Source(NamedTuple):
    """Where a model's scores on a set come from."""

    run: str
    set: str
    """What the run calls it."""
    model: str


class TaskValues(NamedTuple):
    """What a task found of the models of all runs that asked it the same."""

    task: str
    name: str
    """What the first of these runs calls it."""
    values: tuple[Value, ...]
    """Of a model that several runs have measured, those of the first."""


@dataclass(frozen=True, repr=False)
class Leaderboard(Showing):
    """The models of several runs on the sets that some of them share."""

    shown_by = "termgauge.engine.leaderboard_document:leaderboard_document"

    runs: tuple[str, ...]
    """Folders, as they were given."""
    models: dict[str, BoardModel]
    """By the name on the board: its identity, and under ``runs`` which runs have it."""
    sets: dict[str, BoardSet]
    """By the name on the board: hash, pairs, whether it is graded, and under ``runs`` which runs have it."""
    results: pl.DataFrame
    """Tidy values, as those of a run, of the measure that stands for each model."""
    comparison: RunComparison
    sources: dict[tuple[str, str], Source]
    """By set and model."""
    untested: frozenset[tuple[str, str]]
    """Set and model, where only a run's results are left, and no scores."""
    alpha: float
    correction: str
    tasks: tuple[TaskValues, ...] = ()
    """What tasks beside the scores of pairs found."""
    statistic: str = "accuracy"
    """What sets are compared by, as ``Testing`` has it."""

    def _brief(self) -> str:
        size = f"{numbered(len(self.models), 'model')}, {numbered(len(self.sets), 'set')}"
        return f"leaderboard of {numbered(len(self.runs), 'run')}: {size}"

    def to_frame(self) -> pl.DataFrame:
        """Return the values: model, set, measure, statistic, value, low, high, n, subset."""
        return self.results

    @cached_property
    def ranks(self) -> dict[tuple[str, str], float]:
        """By set and model, its rank among those with a value on the pairs that all of them score; equal ones share."""
        by = [statistic_for(self.statistic, graded=graded) for graded in (True, False)]
        main = pl.col("statistic").is_in(by) & (pl.col("subset") == SHARED)
        ranked = self.results.filter(main & pl.col("value").is_not_null()).with_columns(
            rank=pl.col("value").rank("average", descending=True).over("set")
        )
        return {(name, model): rank for name, model, rank in ranked.select("set", "model", "rank").iter_rows()}

    @property
    def common(self) -> tuple[str, ...]:
        """The sets on which every model has a rank."""
        return tuple(name for name in self.sets if all((name, model) in self.ranks for model in self.models))

    def standing(self) -> list[Standing]:
        """Return the models from the best to the worst, by their mean rank on the sets that all of them have.

        Where there are none, each model's mean is over the sets that it has.
        """
        wins, losses = dict.fromkeys(self.models, 0), dict.fromkeys(self.models, 0)
        for each in self.comparison.models:
            for place, model in enumerate(each.comparison.names):
                wins[model] += each.comparison.wins[place]
                losses[model] += each.comparison.losses[place]
        standings = []
        for model in self.models:
            own = [name for name in self.sets if (name, model) in self.ranks]
            over = [self.ranks[name, model] for name in self.common or own]
            mean = sum(over) / len(over) if over else None
            standings.append(Standing(model, mean, len(over), wins[model], losses[model], len(own)))
        return sorted(standings, key=lambda each: (each.mean_rank is None, each.mean_rank or 0.0, -each.sets))


class Standing(NamedTuple):
    """A model among all."""

    model: str
    mean_rank: float | None
    over: int
    """How many sets the mean is over."""
    wins: int
    """How many times it is significantly better than another model on a set."""
    losses: int
    sets: int
    """How many sets it has a rank on."""
