"""A leaderboard as a document: who leads, the values of all models on all sets, and which run each of them is from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Cell, Column, Document, Fact, Prose, Section, Table
from termgauge.reporting.numbers import number
from termgauge.reporting.words import bold, capitalised, counted, listed, plain
from termgauge.tasks.pairs.results import OWN, SHARED
from termgauge.tasks.pairs.sections.groups import group_sections
from termgauge.tasks.pairs.sections.heatmap import heatmap_section
from termgauge.tasks.pairs.sections.paper import paper_section
from termgauge.tasks.pairs.sections.standings import standings
from termgauge.tasks.pairs.sections.summary import summary
from termgauge.tasks.plain_section import section_of_values
from termgauge.tasks.registry import task_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.engine.leaderboard_values import Leaderboard


def leaderboard_values(board: Leaderboard) -> dict[str, Any]:
    """Return a leaderboard as JSON-like values."""
    return {
        "runs": list(board.runs),
        "alpha": board.alpha,
        "correction": board.correction,
        "standing": [each._asdict() for each in board.standing()],
        "models": {name: model.model_dump() for name, model in board.models.items()},
        "sets": {name: pairs.model_dump() for name, pairs in board.sets.items()},
        "results": board.results.to_dicts(),
        "sources": [
            {"set": name, "model": model, **source._asdict(), "tested": (name, model) not in board.untested}
            for (name, model), source in board.sources.items()
        ],
        "comparisons": board.comparison.as_dict()["models"],
        "tasks": [
            {"task": each.task, "name": each.name, "values": [value._asdict() for value in each.values]}
            for each in board.tasks
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
        *(section_of_values(task_of(each.task), each.values, each.name) for each in board.tasks),
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
        equal = [each.model for each in (first, *others) if each.mean_rank == first.mean_rank]
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
    standing = board.standing()
    columns = (
        Column("Place", numeric=True),
        Column("Model"),
        Column("Mean rank", numeric=True, note="1 is the best"),
        Column("better", numeric=True, group="Significantly", note="Over all sets: than how many others, together"),
        Column("worse", numeric=True, group="Significantly", note="Over all sets: than how many others, together"),
        Column("Sets", numeric=True, note="On which it has a rank"),
        Column("Runs"),
    )
    rows = tuple(
        (
            Cell.count(place),
            Cell(each.model),
            Cell.number(each.mean_rank, 2, best=each.mean_rank == standing[0].mean_rank),
            Cell.count(each.wins),
            Cell.count(each.losses),
            Cell(f"{each.sets} of {len(board.sets)}", each.sets),
            Cell(", ".join(board.models[each.model].runs)),
        )
        for place, each in enumerate(standing, 1)
    )
    over = "the sets that all models have" if board.common else "the sets that each model has, for no set has them all"
    note = (
        f"Mean ranks are over {over}. Better and worse: how many times a model is significantly better, or worse, than "
        "another, all sets taken together."
    )
    data = pl.DataFrame([each._asdict() for each in standing], infer_schema_length=None)
    return Table("overall", "All models, by their mean rank.", columns, rows, (note,), data)


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
    columns = (
        Column("Model"),
        Column("Kind"),
        Column("Scheme"),
        Column("Identity"),
        Column("Runs"),
        Column("Also called"),
    )
    rows = tuple(
        (
            Cell(model),
            Cell(about.kind),
            Cell(about.scheme),
            Cell(about.key[:12]),
            Cell(", ".join(about.runs)),
            Cell(", ".join(about.also)),
        )
        for model, about in board.models.items()
    )
    return Table("board-models", "Models, and the runs that they are from.", columns, rows)


def _sets(board: Leaderboard) -> Table:
    columns = (
        Column("Set"),
        Column("Pairs", numeric=True),
        Column("Models", numeric=True),
        Column("Hash"),
        Column("Runs"),
    )
    rows = tuple(
        (
            Cell(name),
            Cell.count(about.pairs),
            Cell.count(sum((name, model) in board.sources for model in board.models)),
            Cell(about.sha256[:12]),
            Cell("all" if len(about.runs) == len(board.runs) else ", ".join(about.runs)),
        )
        for name, about in board.sets.items()
    )
    return Table("board-sets", "Sets, and the runs that have them.", columns, rows)
