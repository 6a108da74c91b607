"""One page from several runs: models that were scored on the same sets, whoever scored them, side by side.

Sets are the same if their pairs are, by hash; models are the same if their identities are. Every run keeps its scores,
so all models of all runs are measured anew on the pairs that all of them score, and compared as the models of one run
are.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import polars as pl
from pydantic import Field

from termgauge.display import Showing
from termgauge.engine.run_folder import RunFolder, open_run
from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.options import also_called, several
from termgauge.plurals import numbered, plural
from termgauge.progress import track
from termgauge.reporting.blocks import Cell, Column, Document, Fact, Prose, Section, Table
from termgauge.reporting.standard import differences_table, headlined
from termgauge.reporting.words import bold, listed, plain
from termgauge.similarity.measures import USUAL, check_default_measure, default_measure
from termgauge.statistics.inputs import statistic_for
from termgauge.tasks.contract import Testing
from termgauge.tasks.pairs.compare import PreparedSet, RunComparison, compare_models
from termgauge.tasks.pairs.results import SHARED, set_results
from termgauge.tasks.pairs.scored import SCHEMA
from termgauge.tasks.pairs.sections.groups import group_sections
from termgauge.tasks.pairs.sections.paper import paper_section
from termgauge.tasks.pairs.sections.sets import heatmap_section
from termgauge.tasks.pairs.sections.standings import standings
from termgauge.tasks.records import ModelRecord, SetRecord
from termgauge.tasks.registry import all_tasks, load_results, task_of
from termgauge.tasks.shown import section_of_values

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from termgauge.tasks.pairs.scored import ScoredSets
    from termgauge.tasks.results import Record, Value

_Record = TypeVar("_Record", bound="Record")


class BoardModel(ModelRecord):
    """A model on the board."""

    runs: list[str]
    also: list[str] = Field(default_factory=list, exclude_if=lambda names: not names)
    """What other runs call it."""
    names: dict[str, str] = Field(default_factory=dict, exclude=True)
    """What each run calls it."""


class BoardSet(SetRecord):
    """A set on the board."""

    runs: list[str]
    names: dict[str, str] = Field(default_factory=dict, exclude=True)
    """What each run calls it."""


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
    testing: Testing
    """How differences were tested."""
    tasks: tuple[TaskValues, ...] = ()
    """What tasks beside the scores of pairs found."""

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
        by = [statistic_for(self.testing.statistic, graded=graded) for graded in (True, False)]
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
        standings = []
        for model in self.models:
            ranked_sets = [name for name in self.sets if (name, model) in self.ranks]
            over = [self.ranks[name, model] for name in self.common or ranked_sets]
            mean = sum(over) / len(over) if over else None
            counts = [compared.comparison.counts.get(model, (0, 0)) for compared in self.comparison.models]
            wins, losses = (sum(count[at] for count in counts) for at in (0, 1))
            standings.append(Standing(model, mean, len(over), wins, losses, len(ranked_sets)))
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
        "alpha": board.testing.alpha,
        "correction": board.testing.correction,
        "joint": board.comparison.main and board.comparison.main.as_dict(),
        "standing": [standing._asdict() for standing in board.standing()],
        "models": {name: model.model_dump() for name, model in board.models.items()},
        "sets": {name: pairs.model_dump() for name, pairs in board.sets.items()},
        "results": board.results.to_dicts(),
        "sources": [
            {"set": name, "model": model, **source._asdict(), "tested": True}
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
    placed = standings(board.results, board.models, board.sets, board.comparison, board.testing)
    main, heat, paper = board.comparison.main, heatmap_section(placed), paper_section(placed)
    sections = [
        *([Section("differences", "Differences", (differences_table(main),))] if main else []),
        Section("overall", "Overall", (_overall(board),)),
        *([heat] if heat else []),
        *group_sections(placed),
        *(section_of_values(task_of(task.task), task.values, task.name) for task in board.tasks),
        Section("sources", "Where it comes from", tuple(_sources(board))),
        *([paper] if paper else []),
    ]
    told = numbered(len(board.models), "model"), numbered(len(board.sets), "set")
    named = [f"{title} of {listed(f'`{plain(run)}`' for run in board.runs)}"]
    facts = tuple(Fact("", text) for text in (*named, *told))
    partly = sum(len(about.runs) < len(board.runs) for about in board.sets.values())
    lacking = f"{partly} of {numbered(len(board.sets), 'set')} {plural(partly, 'is', 'are')} not in all runs."
    document = Document(title, (lacking,) if partly else (), facts, tuple(sections))
    return headlined(document, main, items="pairs") if main else document


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
    rows: Iterable[tuple[object, ...]] = (
        (model, about.kind, about.scheme, about.key[:12], ", ".join(about.runs), ", ".join(about.also))
        for model, about in board.models.items()
    )
    columns: tuple[object, ...] = ("Model", "Kind", "Scheme", "Identity", "Runs", "Also called")
    yield Table.from_rows("board-models", "Models, and the runs that they are from.", columns, rows)
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
    yield Table.from_rows("board-sets", "Sets, and the runs that have them.", columns, rows)


@also_called(set="sets")
def leaderboard(
    runs: Iterable[str | os.PathLike[str] | RunFolder],
    *,
    sets: str | Sequence[str] = (),
    **testing: Any,  # noqa: ANN401
) -> Leaderboard:
    """Bring the models of several runs together.

    Parameters
    ----------
    runs
        Run folders. Of a model that several have scored on a set, the scores of the first count.
    sets
        Only these, by what the first run that has them calls them; all if none is named.
    **testing
        How differences are tested: ``alpha``, ``correction``, ``measure`` (not ``best``) and the others that
        :class:`~termgauge.tasks.contract.Testing` declares.

    Raises
    ------
    TermgaugeError
        If a folder holds no run, or there is nothing to show.

    Examples
    --------
    >>> board = leaderboard(["run-of-may", "run-of-june"])  # doctest: +SKIP
    >>> board.results.filter(statistic="auc", subset="shared")  # doctest: +SKIP
    """
    chosen_testing = Testing().asked(**testing)
    check_default_measure(chosen_testing.measure, USUAL)
    once = {(opened := open_run(run)).path.resolve(): opened for run in several(runs)}
    if not once:
        raise TermgaugeError("No run was named; name the folders of one or more.")
    short = Counter(path.name for path in once)
    labels = {path: path.name if short[path.name] == 1 else str(run.path) for path, run in once.items()}
    entries = {labels[path]: run.scored() for path, run in once.items()}
    by_name = _together(BoardSet, {label: entry.sets for label, entry in entries.items()}, "sha256")
    models = _together(BoardModel, {label: entry.models for label, entry in entries.items()}, "key")
    for name in (sets := several(sets)):
        if name not in by_name:
            raise TermgaugeError(f"No run has a set '{name}'.{did_you_mean(name, by_name)}")
    chosen = {name: about for name, about in by_name.items() if not sets or name in sets}
    kinds: dict[str, str] = {name: model.kind for name, model in models.items()}
    parts = [pl.DataFrame(schema=SCHEMA)]
    prepared: list[PreparedSet] = []
    problems: dict[str, str] = {}
    sources: dict[tuple[str, str], Source] = {}
    with track("Ranking", total=sum(about.pairs for about in chosen.values()), unit="pairs") as advance:
        for name, about in chosen.items():
            scores: dict[tuple[str, str], NDArray[np.float64]] = {}
            for model, measure, source, values in _scored(entries, about, models, chosen_testing.measure):
                scores[model, measure], sources[name, model] = values, source
            if scores:
                first, set_id = next(iter(about.names.items()))
                pairs = entries[first].read_set(set_id)
                parts.append(set_results(pairs, scores, chosen_testing).with_columns(set=pl.lit(name)))
                try:
                    prepared.append(PreparedSet.of(name, pairs, scores, kinds, chosen_testing))
                except TermgaugeError as error:
                    problems[name] = str(error)
                    warn(str(error))
            advance(about.pairs)
    results = pl.concat(parts)
    tasks = tuple(_task_values(entries, models))
    if results.is_empty() and not tasks:
        raise TermgaugeError("The runs hold no scores and no results; make them with termgauge evaluate.")
    whole, compared = compare_models(
        prepared, chosen_testing, [name for name, model in models.items() if model.baseline]
    )
    there = {*results["model"].to_list(), *(value.model for task in tasks for value in task.values)}
    folders = tuple(str(entry.path) for entry in entries.values())
    return Leaderboard(
        folders,
        {name: model for name, model in models.items() if name in there},
        chosen,
        results,
        RunComparison(", ".join(folders), whole, compared, (), problems),
        sources,
        chosen_testing,
        tasks,
    )


def _task_values(entries: Mapping[str, ScoredSets], models: Mapping[str, BoardModel]) -> Iterator[TaskValues]:
    """Yield what tasks other than the scores of pairs found; results of the same inputs, by hash, come together."""
    names: dict[str, dict[str, str]] = {}
    values: dict[tuple[str, str], dict[str, list[Value]]] = {}
    for label, entry in entries.items():
        titles = {model.names[label]: title for title, model in models.items() if label in model.names}
        for task, name, result in load_results(entry):
            if not task.keeps:
                continue
            inputs, named = str(result.identity.get("inputs", label)), names.setdefault(task.name, {})
            named.setdefault(inputs, f"{name} ({label})" if name in named.values() else name)
            by_title: dict[str, list[Value]] = {}
            for value in result.values():
                title = titles.get(value.model, value.model)
                by_title.setdefault(title, []).append(value._replace(model=title))
            former = values.setdefault((task.name, inputs), {})
            former |= {**by_title, **former}
    for task in all_tasks().values():
        for inputs, name in names.get(task.name, {}).items():
            if every := tuple(value for some in values[task.name, inputs].values() for value in some):
                yield TaskValues(task.name, name if task.repeated else "", every)


def _together(kind: type[_Record], runs: Mapping[str, Mapping[str, Record]], identity: str) -> dict[str, _Record]:
    """Return the sets or models of all runs, each once, by what the first run calls it; told apart where that is taken.

    Which are the same is said by a field, the `identity`; what has none is like no other.
    """
    by_identity: dict[str, dict[str, str]] = {}
    for label, records in runs.items():
        for name, record in records.items():
            by_identity.setdefault(getattr(record, identity) or f"{label}/{name}", {}).setdefault(label, name)
    firsts = Counter(next(iter(names.values())) for names in by_identity.values())
    board: dict[str, _Record] = {}
    for key, names in by_identity.items():
        label, name = next(iter(names.items()))
        mark = label if kind is BoardModel else key[:8]
        title = name if firsts[name] == 1 else f"{name} ({mark})"
        title = f"{name} ({key[:8]})" if title in board else title
        more = {"runs": list(names), "also": sorted({*names.values()} - {name}), "names": names}
        board[title] = kind(**runs[label][name].model_dump(), **more)
    return board


def _scored(
    entries: Mapping[str, ScoredSets], about: BoardSet, models: Mapping[str, BoardModel], measure: str
) -> Iterator[tuple[str, str, Source, NDArray[np.float64]]]:
    """Yield of each model its scores on a set by the measure that stands for it, from the first run that has them."""
    for title, model in models.items():
        for label, set_id in about.names.items():
            if (name := model.names.get(label)) is not None:
                scores = entries[label].readable_scores(name, set_id, "leaderboard")
                if (standing := default_measure(scores, model.kind, measure)) is not None:
                    yield title, standing, Source(label, set_id, name), scores[standing]
                    break
