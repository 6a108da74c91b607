"""The comparison of a run: its verdict, means over groups of sets, and in full all models and measures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Interval, Prose, Section, Table, WinsLosses, block_id
from termgauge.reporting.set_names import SHORT_STATISTICS, STATISTICS, groups_of, titled
from termgauge.reporting.standard import joint_blocks
from termgauge.reporting.words import capitalised, corrected, counted, decimal
from termgauge.statistics.inputs import BINARY, GRADED, statistic_for
from termgauge.tasks.pairs.result import group_means
from termgauge.tasks.pairs.results import SHARED
from termgauge.tasks.pairs.sections.groups import group_table, own_table, reading
from termgauge.tasks.pairs.sections.sets import shared_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.reporting.set_names import SetGroup
    from termgauge.statistics.comparison import SetComparison
    from termgauge.tasks.pairs.compare import ComparedSet, MeasureComparison, RunComparison
    from termgauge.tasks.pairs.sections.standings import Standings

_ABOUT = (
    "A mean is over the sets of a group on which all models have a value. Its interval allows for concepts that sets "
    "share. A rank is that among all models on a set, 1 being the best."
)
_CHOSEN = (
    "The measure of each model is the one that is best on these very pairs, so no difference is marked and there is no "
    "verdict."
)


def verdict_section(comparison: RunComparison) -> Section:
    """Return the verdict of a run, the ranking of its models and their differences."""
    found = joint_blocks(comparison.main, "pairs") if comparison.main else [Prose((_CHOSEN,))] * bool(comparison.models)
    problems = [Prose(tuple(comparison.problems.values()))] if comparison.problems else []
    return Section("verdict", "Verdict", (*found, *problems))


def group_means_section(
    standings: Standings, comparison: RunComparison | None = None, own: Sequence[str] = ()
) -> Section | None:
    """Return the mean of each model over each group of sets; None if no group has two sets."""
    means = group_means(standings, comparison, own)
    return None if means.is_empty() else means_section(means, means_table(standings, means))


def means_section(means: pl.DataFrame, *brief: Table) -> Section:
    """Return the means of all statistics, with intervals and mean ranks, folded below a brief table of them."""
    columns = (
        "Group",
        "Statistic",
        "Model",
        Column.number("Mean"),
        Column.number("Mean rank", 2, "1 is the best"),
        Column.count("Sets"),
    )
    rows = (
        (
            row["group"],
            STATISTICS[row["statistic"]],
            row["model"],
            Cell.number(row["value"], interval=Interval.known(row["low"], row["high"])),
            row["mean_rank"],
            row["sets"],
        )
        for row in means.iter_rows(named=True)
    )
    caption = "Means of all statistics over groups of sets, with intervals and mean ranks."
    table = Table.from_rows("group-values", caption, columns, rows, data=means, folded=bool(brief))
    return Section("group-means", "Means over groups of sets", (Prose((_ABOUT,)), *brief, table))


def means_table(standings: Standings, means: pl.DataFrame) -> Table:
    """Return a row for each model and a column for each group, by what its sets are compared by."""
    by = {each.graded: each.statistic for each in standings.sets}
    wanted = [by.get(graded, statistic_for("", graded=graded)) for graded in (True, False)]
    main = means.filter(pl.col("statistic").is_in(wanted))
    groups = list(dict.fromkeys(main.select("group", "statistic").iter_rows()))
    values = {(row["group"], row["statistic"], row["model"]): row["value"] for row in main.iter_rows(named=True)}
    models = [model for model in standings.ranked(standings.sets) if model in set(main["model"])]
    best = {key: max(values[*key, model] for model in models if (*key, model) in values) for key in groups}
    rows = []
    for model in models:
        own = [(values.get((*key, model)), best[key]) for key in groups]
        rows.append((model, *(Cell.number(value, best=value == highest) for value, highest in own)))
    columns = (
        Column.number(group, 3, capitalised(STATISTICS[statistic]), SHORT_STATISTICS[statistic])
        for group, statistic in groups
    )
    lacking = main.filter(pl.col("left_out") != "").select("group", "left_out").unique().sort("group").iter_rows()
    notes = (f"Left out of {group}, because not all models have a value: {names}." for group, names in lacking)
    caption = "Mean of each model over the sets of a group."
    return Table.from_rows("group-means", caption, ("Model", *columns), rows, notes, data=main)


def value_section(
    standings: Standings,
    pairs: Mapping[str, int],
    comparison: RunComparison | None = None,
    groups: Sequence[str] = (),
) -> Section:
    """Return the value of each model on each set, the means over groups of sets, and how many pairs there are."""
    both = (make(standings, group) for group in standings.groups for make in (group_table, own_table))
    tables = (table for table in both if table)
    sizes = shared_table(standings, pairs)
    means = group_means(standings, comparison, groups)
    shown = [] if means.is_empty() else [means_table(standings, means)]
    blocks: tuple[Block, ...] = (Prose(reading(standings)), *tables, *shown, sizes)
    return Section("values", "Values", blocks)


def comparison_sections(comparison: RunComparison) -> Iterator[Section]:
    """Yield everything: the verdict, the best of each set, then models and measures in order on each set."""
    yield verdict_section(comparison)
    if comparison.models:
        compared = {each.set: each for each in comparison.models}
        sets = [titled(name, graded=each.comparison.statistic in GRADED) for name, each in compared.items()]
        tables = [_best(group, compared) for group in groups_of(sets)]
        yield Section("best", "The best model of each set", tuple(tables))
    for each in comparison.models:
        notes = []
        if not math.isnan(each.comparison.detectable):
            least, statistic = decimal(each.comparison.detectable, 3), each.comparison.statistic
            notes.append(f"Minimum detectable difference in {SHORT_STATISTICS[statistic]} (80 % power): {least}.")
        if each.guessing is not None and each.comparison.statistic != "auc":
            notes.append(f"Guessing gives {decimal(each.guessing, 3)}.")
        yield _ranked(each.set, "Model", each.comparison, each, notes)
    for one in comparison.measures:
        yield _ranked(f"{one.model} on {one.set}", "Measure", one.comparison, None, [])
    yield Section("superscripts", "", (Prose((_legend(comparison),)),))


def _legend(comparison: RunComparison) -> str:
    return (
        "Superscripts: how many others it is significantly better (+) and worse (−) than, at alpha "
        f"{comparison.whole.alpha:g}, on each set {corrected(comparison.whole.correction)}. Intervals are each alone. "
        "MDD: the minimum detectable difference (80 % power). CV: the same accuracy, cross-validated."
    )


def _ranked(title: str, heading: str, found: SetComparison, of: ComparedSet | None, notes: Sequence[str]) -> Section:
    about = f"{numbered(found.n, 'pair')}, {counted(len(found.differences), 'comparison')} by {found.test}."
    crossed = of.cross_validated if of else {}
    rows = []
    for name in found.ranking:
        value = found.by_model[name]
        against, interval = WinsLosses(*found.counts[name]), Interval.known(value.low, value.high)
        cell = Cell.number(value.value, against=against, interval=interval)
        rows.append((name, *([of.measures[name]] if of else []), cell, *([crossed[name]] if crossed else [])))
    columns = (
        heading,
        *(["Measure"] if of else []),
        Column.number(SHORT_STATISTICS[found.statistic]),
        *([Column.number("Cross-validated")] if crossed else []),
    )
    table = Table.from_rows(block_id("ranked", title), about, columns, rows, notes)
    return Section(block_id("compared", title), title, (table,))


_MOST_NAMED = 3


def _best(group: SetGroup, compared: dict[str, ComparedSet]) -> Table:
    crossed = all(compared[each.id].cross_validated for each in group.sets)
    rows = []
    for each in group.sets:
        one = compared[each.id].comparison
        best, *even = one.top or ("",)
        value, more = one.by_model[best].value if best else None, len(even) - _MOST_NAMED
        rows.append(
            (
                Cell(f"{each.over}, {each.brief.lower()}" if each.over else each.brief, note=each.id),
                one.n,
                best,
                value,
                *([compared[each.id].cross_validated[best]] if crossed else []),
                Cell(", ".join(even[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "") or "none"),
                one.detectable,
            )
        )
    columns = (
        "Set",
        Column.count("Pairs"),
        "Best",
        Column.number(SHORT_STATISTICS[compared[group.sets[0].id].comparison.statistic]),
        *([Column.number("CV", note="Cross-validated")] if crossed else []),
        "Not told apart",
        Column.number("MDD", note="Minimum detectable difference"),
    )
    return Table.from_rows(block_id("best", group.id), f"{group.title}.", columns, rows)


_WHAT = {**dict.fromkeys(BINARY, "labelled"), **dict.fromkeys(GRADED, "rated")}
_MANY_ROWS = 24
_ABOUT_MEASURES = (
    "A model's vectors can be compared in several ways. Values are on the pairs that all models can score; a mean is "
    "over the sets on which all measures of the model have a value."
)
_NOTES_OF_MEASURES = (
    "Bold: the best mean of the model.",
    "Wins and losses are between measures of the same model, corrected for their number on each set.",
)


def measure_section(standings: Standings, compared: Sequence[MeasureComparison] = ()) -> Section | None:
    """Return how the measures of each model compare; None if no model has more than one."""
    values = _values_of_measures(standings)
    if values.is_empty():
        return None
    return Section(
        "measures",
        "Measures of similarity compared",
        (Prose((_ABOUT_MEASURES,)), _table_of_measures(standings, values, compared)),
    )


def _values_of_measures(standings: Standings) -> pl.DataFrame:
    """Return the values of models with several measures, on the sets where all their measures have one."""
    main = pl.col("statistic").is_in([each.statistic for each in standings.sets])
    shared = standings.results.filter(main & (pl.col("subset") == SHARED)).with_columns(
        measures=pl.col("measure").n_unique().over("model")
    )
    whole = pl.len().over("statistic", "model", "set") == pl.col("measures")
    valued = shared.filter(pl.col("value").is_not_null() & (pl.col("measures") > 1))
    return valued.filter(whole).select("statistic", "model", "set", "measure", "value")


def _means_of_measures(values: pl.DataFrame) -> dict[str, dict[str, float]]:
    """Return by model the mean of each measure over sets."""
    means: dict[str, dict[str, float]] = {}
    by = values.group_by("model", "measure", maintain_order=True).agg(pl.col("value").mean())
    for model, measure, value in by.iter_rows():
        means.setdefault(model, {})[measure] = value
    return means


def _table_of_measures(standings: Standings, values: pl.DataFrame, compared: Sequence[MeasureComparison]) -> Table:
    """Return a row for each model and measure: its means, and how it does against the model's other measures."""
    statistics = [each for each in _WHAT if each in set(values["statistic"])]
    means = {each: _means_of_measures(values.filter(statistic=each)) for each in statistics}
    columns = [Column.number(f"Mean {STATISTICS[each]}", note=f"Over {_WHAT[each]} sets") for each in statistics]
    if compared:
        columns += [
            Column.count("Better than", "Significant wins over other measures of the model, over all sets"),
            Column.count("Worse than", "Significant losses against other measures, over all sets"),
            Column.count("At the top", "Sets on which it is best or not significantly worse"),
        ]
    tests = {model: [each.comparison for each in compared if each.model == model] for model in standings.models}
    rows: list[list[Any]] = []
    for model in standings.ranked(standings.sets):
        own = [means[each].get(model, {}) for each in statistics]
        for measure in dict.fromkeys(name for each in own for name in each):
            cells = [Cell.number(each.get(measure), best=bool(each) and each.get(measure) == max(each.values()))
                     for each in own]  # fmt: skip
            counts = [test.counts.get(measure, (0, 0)) for test in tests[model]]
            top = sum(measure in test.top for test in tests[model])
            tally = [sum(wins for wins, _ in counts), sum(losses for _, losses in counts), top] if compared else []
            rows.append([model, measure, *cells, *tally])
    return Table.from_rows(
        "measures",
        "Measures of each model over all sets.",
        ("Model", "Measure", *columns),
        rows,
        notes=_NOTES_OF_MEASURES if compared else _NOTES_OF_MEASURES[:1],
        folded=len(rows) > _MANY_ROWS,
    )
