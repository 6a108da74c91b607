"""What several runs together say: every model on every set, where each value comes from, and how models rank."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl
from pydantic import Field

from termgauge.display import Showing
from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Cell, Column, Document, Fact, Prose, Section, Table
from termgauge.reporting.words import bold, capitalised, counted, listed, number, plain
from termgauge.statistics.inputs import statistic_for
from termgauge.tasks.pairs.results import OWN, SHARED
from termgauge.tasks.pairs.sections.groups import group_sections
from termgauge.tasks.pairs.sections.paper import paper_section
from termgauge.tasks.pairs.sections.sets import heatmap_section
from termgauge.tasks.pairs.sections.standings import standings
from termgauge.tasks.pairs.sections.summary import summary
from termgauge.tasks.records import ModelRecord, SetRecord
from termgauge.tasks.registry import task_of
from termgauge.tasks.shown import section_of_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.tasks.pairs.compare import RunComparison
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

    def _shown(self) -> Document:
        return leaderboard_document(self)

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
        for compared_set in self.comparison.models:
            for index, model in enumerate(compared_set.comparison.names):
                wins[model] += compared_set.comparison.wins[index]
                losses[model] += compared_set.comparison.losses[index]
        standings = []
        for model in self.models:
            ranked_sets = [name for name in self.sets if (name, model) in self.ranks]
            over = [self.ranks[name, model] for name in self.common or ranked_sets]
            mean = sum(over) / len(over) if over else None
            standings.append(Standing(model, mean, len(over), wins[model], losses[model], len(ranked_sets)))
        return sorted(standings, key=lambda entry: (entry.mean_rank is None, entry.mean_rank or 0.0, -entry.sets))


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


def leaderboard_values(board: Leaderboard) -> dict[str, Any]:
    """Return a leaderboard as JSON-like values."""
    return {
        "runs": list(board.runs),
        "alpha": board.alpha,
        "correction": board.correction,
        "standing": [standing._asdict() for standing in board.standing()],
        "models": {name: model.model_dump() for name, model in board.models.items()},
        "sets": {name: pairs.model_dump() for name, pairs in board.sets.items()},
        "results": board.results.to_dicts(),
        "sources": [
            {"set": name, "model": model, **source._asdict(), "tested": (name, model) not in board.untested}
            for (name, model), source in board.sources.items()
        ],
        "comparisons": board.comparison.as_dict()["models"],
        "tasks": [
            {"task": task.task, "name": task.name, "values": [value._asdict() for value in task.values]}
            for task in board.tasks
        ],
    }


def leaderboard_document(board: Leaderboard, *, title: str = "Leaderboard") -> Document:
    """Return a leaderboard as a document."""
    pairs = {name: about.pairs for name, about in board.sets.items()}
    placed = standings(_shown(board), board.models, board.sets, board.comparison, alpha=board.alpha)
    overall = Section("overall", "Overall", (_overall(board),))
    heat, paper = heatmap_section(placed), paper_section(placed, pairs)
    sections = [
        overall,
        *([heat] if heat else []),
        *group_sections(placed),
        *(section_of_values(task_of(task.task), task.values, task.name) for task in board.tasks),
        Section("sources", "Where it comes from", tuple(_sources(board))),
        *([paper] if paper else []),
    ]
    facts = (
        Fact("Runs", ", ".join(f"`{plain(run)}`" for run in board.runs)),
        Fact("Models", number(len(board.models))),
        Fact("Sets", number(len(board.sets))),
    )
    return Document(title, (*_lead(board), *summary(placed, pairs)), facts, tuple(sections))


def _shown(board: Leaderboard) -> pl.DataFrame:
    """Return the results, in which values that only a run's results have stand with those on shared pairs."""
    untested = pl.DataFrame(list(board.untested), schema={"set": pl.String, "model": pl.String}, orient="row")
    left = board.results.join(untested, on=["set", "model"], how="semi").filter(
        (pl.col("subset") == OWN) & (pl.col("statistic") != "coverage")
    )
    return pl.concat([board.results, left.with_columns(subset=pl.lit(SHARED))])


def _lead(board: Leaderboard) -> Iterator[str]:
    first, *others = board.standing()
    if others and first.mean_rank is not None and others[0].mean_rank is not None:
        equal = [standing.model for standing in (first, *others) if standing.mean_rank == first.mean_rank]
        leads = f"{listed(map(bold, equal))} {'leads' if len(equal) == 1 else 'lead together'}"
        common = f"the {counted(first.over, 'set')} that all models have" if board.common else "the sets that each has"
        yield f"{leads}, by a mean rank of {first.mean_rank:.2f} on {common}."
    partly = [name for name, about in board.sets.items() if len(about.runs) < len(board.runs)]
    if partly:
        yield f"{len(partly)} of {numbered(len(board.sets), 'set')} {plural(len(partly), 'is', 'are')} not in all runs."
    if board.untested:
        yield (
            f"{capitalised(counted(len(board.untested), 'value'))} could not be tested, because the run holds results "
            "but no scores; such values are on the pairs that the model itself can score."
        )


def _overall(board: Leaderboard) -> Table:
    standing, others = board.standing(), "Over all sets: than how many others, together"
    columns = (
        Column.count("Place"),
        "Model",
        Column.number("Mean rank", note="1 is the best"),
        Column.count("better", group="Significantly", note=others),
        Column.count("worse", group="Significantly", note=others),
        Column.count("Sets", note="On which it has a rank"),
        "Runs",
    )
    rows = (
        (
            position,
            entry.model,
            Cell.number(entry.mean_rank, 2, best=entry.mean_rank == standing[0].mean_rank),
            entry.wins,
            entry.losses,
            Cell(f"{entry.sets} of {len(board.sets)}", entry.sets),
            ", ".join(board.models[entry.model].runs),
        )
        for position, entry in enumerate(standing, 1)
    )
    over = "the sets that all models have" if board.common else "the sets that each model has, for no set has them all"
    note = (
        f"Mean ranks are over {over}. Better and worse: how many times a model is significantly better, or worse, than "
        "another, all sets taken together."
    )
    data = pl.DataFrame([entry._asdict() for entry in standing], infer_schema_length=None)
    return Table.from_rows("overall", "All models, by their mean rank.", columns, rows, [note], data=data)


def _sources(board: Leaderboard) -> Iterator[Prose | Table]:
    same = [model for model, about in board.models.items() if len(about.runs) > 1]
    text = (
        "Sets are the same if their pairs and labels or ratings are, and models are the same if all is equal that "
        "changes their vectors, whatever they are called. All models are measured anew on the pairs that all of them "
        "can score."
    )
    if same:
        text += f" {listed(map(bold, same))} {plural(len(same), 'is', 'are')} in several runs and counted once."
    yield Prose((text,))
    yield _models(board)
    yield _sets(board)


def _models(board: Leaderboard) -> Table:
    rows = (
        (model, about.kind, about.scheme, about.key[:12], ", ".join(about.runs), ", ".join(about.also))
        for model, about in board.models.items()
    )
    columns = ("Model", "Kind", "Scheme", "Identity", "Runs", "Also called")
    return Table.from_rows("board-models", "Models, and the runs that they are from.", columns, rows)


def _sets(board: Leaderboard) -> Table:
    rows = (
        (
            name,
            about.pairs,
            sum((name, model) in board.sources for model in board.models),
            about.sha256[:12],
            "all" if len(about.runs) == len(board.runs) else ", ".join(about.runs),
        )
        for name, about in board.sets.items()
    )
    columns = ("Set", Column.count("Pairs"), Column.count("Models"), "Hash", "Runs")
    return Table.from_rows("board-sets", "Sets, and the runs that have them.", columns, rows)
