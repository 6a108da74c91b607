"""Means over groups of sets: a small table to look at, and below it all statistics with intervals and ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from termgauge.reporting.blocks import Cell, Column, Interval, Prose, Section, Table
from termgauge.reporting.set_names import SHORT_STATISTICS, STATISTICS
from termgauge.reporting.words import capitalised
from termgauge.statistics.inputs import statistic_for
from termgauge.tasks.pairs.result import group_means

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.tasks.pairs.sections.standings import Standings

_ABOUT = (
    "A mean is over the sets of a group on which all models have a value. How far the sets of a group depend on each "
    "other is not known, so the ends of an interval are the means of the sets' own ends: it is right where the sets "
    "tell the same, and too wide where each tells something new. A rank is that among all models on a set, 1 being the "
    "best."
)


def group_means_section(standings: Standings, own: Sequence[str] = ()) -> Section | None:
    """Return the mean of each model over each group of sets; None if no group has two sets."""
    means = group_means(standings, own)
    if means.is_empty():
        return None
    tables = (means_table(standings, means), _all_values(means))
    return Section("group-means", "Means over groups of sets", (Prose((_ABOUT,)), *tables))


def means_section(means: pl.DataFrame) -> Section:
    """Return the means of all statistics, with intervals and mean ranks."""
    table = replace(_all_values(means), folded=False)
    return Section("group-means", "Means over groups of sets", (Prose((_ABOUT,)), table))


def means_table(standings: Standings, means: pl.DataFrame) -> Table:
    """Return a row for each model and a column for each group, by what its sets are compared by."""
    by = {each.graded: each.statistic for each in standings.sets}
    wanted = [by.get(graded, statistic_for("", graded=graded)) for graded in (True, False)]
    main = means.filter(pl.col("statistic").is_in(wanted))
    groups = list(dict.fromkeys(main.select("group", "statistic").iter_rows()))
    values = {(row["group"], row["statistic"], row["model"]): row["value"] for row in main.iter_rows(named=True)}
    models = [model for model in standings.ranked(standings.sets) if model in set(main["model"])]
    best = {key: max(values[*key, model] for model in models if (*key, model) in values) for key in groups}
    rows = tuple(
        (
            Cell(model),
            *(
                Cell.number(value, best=value == best[key]) if (value := values.get((*key, model))) is not None
                else Cell.number(None)
                for key in groups
            ),
        )
        for model in models
    )  # fmt: skip
    columns = (
        Column(group, numeric=True, note=capitalised(STATISTICS[statistic]), group=SHORT_STATISTICS[statistic])
        for group, statistic in groups
    )
    caption = "Mean of each model over the sets of a group."
    return Table("group-means", caption, (Column("Model"), *columns), rows, tuple(_left_out(main)), data=main)


def _left_out(means: pl.DataFrame) -> Iterator[str]:
    for group, names in (
        means.filter(pl.col("left_out") != "").select("group", "left_out").unique().sort("group").rows()
    ):
        yield f"Left out of {group}, because not all models have a value: {names}."


def _all_values(means: pl.DataFrame) -> Table:
    columns = (
        Column("Group"),
        Column("Statistic"),
        Column("Model"),
        Column("Mean", numeric=True),
        Column("Mean rank", numeric=True, note="1 is the best"),
        Column("Sets", numeric=True),
    )
    rows = tuple(
        (
            Cell(row["group"]),
            Cell(STATISTICS[row["statistic"]]),
            Cell(row["model"]),
            Cell.number(row["value"], interval=Interval.known(row["low"], row["high"])),
            Cell.number(row["mean_rank"], 2),
            Cell.count(row["sets"]),
        )
        for row in means.iter_rows(named=True)
    )
    caption = "Means of all statistics over groups of sets, with intervals and mean ranks."
    return Table("group-values", caption, columns, rows, data=means, folded=True)
