"""The comparison of a run: its verdict, means over groups of sets, and in full all models and measures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Interval, Prose, Section, Table, WinsLosses, block_id
from termgauge.reporting.set_names import SHORT_STATISTICS, STATISTICS
from termgauge.reporting.standard import joint_blocks
from termgauge.reporting.words import capitalised, corrected, counted, decimal
from termgauge.tasks.pairs.result import group_means
from termgauge.tasks.pairs.results import SHARED
from termgauge.tasks.pairs.sections.groups import group_tables, reading
from termgauge.tasks.pairs.sections.sets import shared_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.statistics.comparison import SetComparison
    from termgauge.tasks.pairs.compare import ComparedSet, RunComparison
    from termgauge.tasks.pairs.sections.standings import Standings

_CHOSEN = (
    "The measure of each model is the one that is best on these very pairs, so no difference is marked and there is no "
    "verdict."
)


def verdict_section(comparison: RunComparison) -> Section:
    """Return the verdict of a run, the ranking of its models and their differences."""
    chosen = [Prose((_CHOSEN,))] if comparison.models else []
    blocks = joint_blocks(comparison.main, "pairs") if comparison.main else chosen
    problems = [Prose(tuple(comparison.problems.values()))] if comparison.problems else []
    return Section("verdict", "Verdict", (*blocks, *problems))


def means_section(standings: Standings) -> Section | None:
    """Return the mean of each model over each group of sets; None if there are none.

    The table has the means of what sets are compared by; its data have those of all statistics, with mean ranks.
    """
    means = group_means(standings)
    main = means.filter(pl.col("statistic").is_in({entry.statistic for entry in standings.sets}))
    if main.is_empty():
        return None
    groups = list(dict.fromkeys(main.select("group", "statistic").iter_rows()))
    by_key = {(row["group"], row["statistic"], row["model"]): row for row in main.iter_rows(named=True)}
    best = {key: max(row["value"] for other, row in by_key.items() if other[:2] == key) for key in groups}
    rows = []
    for model in standings.ranked(standings.sets):
        values = [(by_key.get((*key, model)), best[key]) for key in groups]
        cells = [
            Cell.number(row["value"], interval=Interval.known(row["low"], row["high"]), best=row["value"] == highest)
            if row
            else None
            for row, highest in values
        ]
        rows += [(model, *cells)] if any(cells) else []
    columns = (
        Column.number(group, 3, capitalised(STATISTICS[statistic]), SHORT_STATISTICS[statistic])
        for group, statistic in groups
    )
    lacking = main.filter(pl.col("left_out") != "").select("group", "left_out").unique().sort("group").iter_rows()
    notes = [f"Left out of {group}, because not all models have a value: {names}." for group, names in lacking]
    notes.append(
        "A mean is over the sets on which all models have a value; intervals allow for concepts that sets share."
    )
    caption = "Mean of each model over the sets of a group."
    table = Table.from_rows("group-means", caption, ("Model", *columns), rows, notes, data=means)
    return Section("group-means", "Means over groups of sets", (table,))


def value_section(standings: Standings) -> Section:
    """Return the value of each model on each set, the means over groups of sets, and how many pairs there are."""
    tables = [table for group in standings.groups for table in group_tables(standings, group)]
    means = means_section(standings)
    blocks = (*tables, *(means.blocks if means else ()), shared_table(standings))
    return Section("values", "Values", (Prose(reading(standings)), *blocks))


def comparison_sections(comparison: RunComparison) -> Iterator[Section]:
    """Yield everything: the verdict, then models and measures in order on each set."""
    yield verdict_section(comparison)
    for entry in comparison.models:
        yield _ranked(entry.set, "Model", entry.comparison, entry)
    for one in comparison.measures:
        yield _ranked(f"{one.model} on {one.set}", "Measure", one.comparison)
    legend = (
        "Superscripts: how many others it is significantly better (+) and worse (−) than, at alpha "
        f"{comparison.whole.alpha:g}, on each set {corrected(comparison.whole.correction)}. Bold: the best, and what "
        "cannot be told from it. Intervals are each alone."
    )
    yield Section("superscripts", "", (Prose((legend,)),))


def _ranked(title: str, heading: str, comparison: SetComparison, of: ComparedSet | None = None) -> Section:
    about = (
        f"{numbered(comparison.n, 'pair')}, {counted(len(comparison.differences), 'comparison')} by {comparison.test}."
    )
    statistic, crossed = SHORT_STATISTICS[comparison.statistic], of.cross_validated if of else {}
    notes = []
    if of and not math.isnan(comparison.detectable):
        least = decimal(comparison.detectable, 3)
        notes.append(f"Minimum detectable difference in {statistic} (80 % power): {least}.")
    if of and of.guessing is not None and comparison.statistic != "auc":
        notes.append(f"Guessing gives {decimal(of.guessing, 3)}.")
    columns: list[object] = [heading, *(["Measure"] if of else []), Column.number(statistic)]
    columns += [Column.number("Cross-validated")] if crossed else []
    rows = []
    for name in comparison.ranking:
        value = comparison.by_model[name]
        against, interval = WinsLosses(*comparison.counts[name]), Interval.known(value.low, value.high)
        cell = Cell.number(value.value, against=against, interval=interval, best=name in comparison.top)
        rows.append((name, *([of.measures[name]] if of else []), cell, *([crossed[name]] if crossed else [])))
    table = Table.from_rows(block_id("ranked", title), about, columns, rows, notes)
    return Section(block_id("compared", title), title, (table,))


def measure_section(standings: Standings) -> Section | None:
    """Return how the measures of each model compare; None if no model has more than one.

    Means are over the sets on which all measures of a model have a value; wins and losses are over all sets.
    """
    main = {entry.statistic: "rated" if entry.graded else "labelled" for entry in standings.sets}
    shared = standings.results.filter(pl.col("statistic").is_in([*main]), subset=SHARED).with_columns(
        measures=pl.col("measure").n_unique().over("model")
    )
    valued = shared.filter(pl.col("value").is_not_null(), pl.col("measures") > 1)
    whole = valued.filter(pl.len().over("model", "set") == pl.col("measures"))
    means = whole.group_by("model", "measure", "statistic").agg(pl.col("value").mean()).rows()
    if not means:
        return None
    values = {(model, measure, statistic): value for model, measure, statistic, value in means}
    best = {(key[0], key[2]): max(v for other, v in values.items() if other[::2] == key[::2]) for key in values}
    statistics = [name for name in main if any(key[2] == name for key in values)]
    compared = standings.measures
    tests = {model: [one.comparison for one in compared if one.model == model] for model in standings.models}
    rows = []
    for model in standings.ranked(standings.sets):
        for measure in whole.filter(model=model)["measure"].unique(maintain_order=True):
            shown = [(values.get((model, measure, name)), best.get((model, name))) for name in statistics]
            counts = [test.counts.get(measure, (0, 0)) for test in tests[model]]
            tally = [*map(sum, zip(*counts, strict=True)), sum(measure in test.top for test in tests[model])]
            cells = (Cell.number(value, best=value is not None and value == highest) for value, highest in shown)
            rows.append((model, measure, *cells, *((tally if counts else [0, 0, 0]) if compared else ())))
    columns = [Column.number(f"Mean {STATISTICS[name]}", note=f"Over {main[name]} sets") for name in statistics]
    if compared:
        notes = {
            "Better than": "Significant wins over other measures of the model, over all sets",
            "Worse than": "Significant losses against other measures, over all sets",
            "At the top": "Sets on which it is best or not significantly worse",
        }
        columns += [Column.count(heading, note) for heading, note in notes.items()]
    caption = "Measures of each model over all sets, on the pairs that all models can score. Bold: its best mean."
    table = Table.from_rows("measures", caption, ("Model", "Measure", *columns), rows, folded=len(rows) > 24)
    return Section("measures", "Measures of similarity compared", (table,))
