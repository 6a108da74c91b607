"""The values of a run and which differences are real, in brief and in full, and the means over groups of sets."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Interval, Prose, Section, Table, WinsLosses, block_id
from termgauge.reporting.set_names import SHORT_STATISTICS, STATISTICS, groups_of, titled
from termgauge.reporting.words import capitalised, corrected, counted, decimal, listed
from termgauge.statistics.inputs import GRADED, statistic_for
from termgauge.tasks.pairs.result import group_means
from termgauge.tasks.pairs.sections.groups import detectable_in_words, group_table, open_note, own_table, reading
from termgauge.tasks.pairs.sections.sets import shared_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.reporting.set_names import SetGroup
    from termgauge.statistics.significance import Comparison
    from termgauge.tasks.pairs.compare import RunComparison, SetComparison
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
    rows = []
    for model in models:
        own = [(values.get((*key, model)), best[key]) for key in groups]
        rows.append((model, *(Cell.number(value, best=value == highest) for value, highest in own)))
    columns = (
        Column.number(group, 3, capitalised(STATISTICS[statistic]), SHORT_STATISTICS[statistic])
        for group, statistic in groups
    )
    caption = "Mean of each model over the sets of a group."
    return Table.from_rows("group-means", caption, ("Model", *columns), rows, _left_out(main), data=main)


def _left_out(means: pl.DataFrame) -> Iterator[str]:
    for group, names in (
        means.filter(pl.col("left_out") != "").select("group", "left_out").unique().sort("group").rows()
    ):
        yield f"Left out of {group}, because not all models have a value: {names}."


def _all_values(means: pl.DataFrame) -> Table:
    ranks = Column.number("Mean rank", 2, "1 is the best")
    columns = ("Group", "Statistic", "Model", Column.number("Mean"), ranks, Column.count("Sets"))
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
    return Table.from_rows("group-values", caption, columns, rows, data=means, folded=True)


def value_section(standings: Standings, pairs: Mapping[str, int], groups: Sequence[str] = ()) -> Section:
    """Return the value of each model on each set, the means over groups of sets, and how many pairs there are."""
    both = (make(standings, group) for group in standings.groups for make in (group_table, own_table))
    tables = (table for table in both if table)
    sizes = replace(shared_table(standings, pairs), folded=False)
    means = group_means(standings, groups)
    shown = [] if means.is_empty() else [means_table(standings, means)]
    blocks: tuple[Block, ...] = (Prose(reading(standings)), *tables, *shown, sizes)
    return Section("values", "Values", blocks)


def comparison_sections(comparison: RunComparison) -> Iterator[Section]:
    """Yield a section for each set with the models in order, then for each model and set with its measures."""
    for each in comparison.models:
        notes = []
        if each.detectable is not None:
            least, statistic = detectable_in_words(each.detectable.difference), each.comparison.statistic
            notes.append(f"Minimum detectable difference in {SHORT_STATISTICS[statistic]} (80 % power): {least}.")
        if each.guessing is not None and each.comparison.statistic != "auc":
            notes.append(f"Guessing gives {decimal(each.guessing, 3)}.")
        yield _ranked(each.set, "Model", each.comparison, each.measures, notes)
    for one in comparison.measures:
        yield _ranked(f"{one.model} on {one.set}", "Measure", one.comparison, {}, [])
    legend = "Superscripts: how many others it is significantly better (+) and worse (−) than"
    tested = next(iter(comparison.comparisons), None)
    legend += f", at alpha {tested.alpha:g}, on each set {corrected(tested.correction)}." if tested else "."
    yield Section("superscripts", "", (Prose((legend,)),))


def _ranked(title: str, heading: str, comparison: Comparison, measures: Mapping[str, str], notes: list[str]) -> Section:
    about = f"{numbered(comparison.n, 'pair')}, {counted(comparison.comparisons, 'comparison')} by {comparison.test}."
    undecided, crossed = comparison.open.sum(axis=1).tolist(), comparison.cross_validated
    rows = []
    for place in comparison.ranking:
        name, value = comparison.names[place], comparison.values[place]
        against = WinsLosses(comparison.wins[place], comparison.losses[place], undecided[place])
        cell = Cell.number(value.value, against=against, interval=Interval.known(value.low, value.high))
        beside = [crossed[place]] if crossed else []
        rows.append((name, *([measures[name]] if measures else []), cell, *beside))
    columns = (
        heading,
        *(["Measure"] if measures else []),
        Column.number(SHORT_STATISTICS[comparison.statistic]),
        *([Column.number("Cross-validated")] if crossed else []),
    )
    table = Table.from_rows(block_id("ranked", title), about, columns, rows, (*notes, *open_note(undecided)))
    return Section(block_id("compared", title), title, (table,))


_MOST_NAMED = 3


def overview_sections(comparison: RunComparison) -> Iterator[Section]:
    """Yield what is to be known of a comparison, a line for each set and for each model."""
    first = next(iter(comparison.comparisons), None)
    if first is None:
        return
    said = [f"Differences are tested at alpha {first.alpha:g}, on each set {corrected(first.correction)}."]
    if comparison.models:
        compared = {each.set: each for each in comparison.models}
        sets = [titled(name, graded=each.comparison.statistic in GRADED) for name, each in compared.items()]
        tables = [_best(group, compared) for group in groups_of(sets)]
        yield Section("best", "The best model of each set", tuple(tables))
        yield Section("wins", "How often models beat each other", (_wins(comparison),))
        if any(each.detectable is not None for each in comparison.models):
            said.append("MDD: the minimum detectable difference (80 % power).")
        if any(each.comparison.cross_validated for each in comparison.models):
            said.append("CV: the same accuracy, cross-validated.")
        said += open_note(int(each.comparison.open.sum()) for each in comparison.models)
    if comparison.measures:
        yield Section("measures", "Measures of each model", (_measures(comparison),))
    yield Section("compared", "", (Prose((" ".join(said),)),))


def _best(group: SetGroup, compared: dict[str, SetComparison]) -> Table:
    powered = any(compared[each.id].detectable is not None for each in group.sets)
    crossed = all(compared[each.id].comparison.cross_validated for each in group.sets)
    rows = []
    for each in group.sets:
        one = compared[each.id].comparison
        best = one.ranking[0]
        value = one.values[best]
        others = [place for place in one.ranking[1:] if not math.isnan(one.values[place].value)]
        even = [
            one.names[place] + ("?" if one.open[best, place] else "")
            for place in others
            if not one.significant[best, place]
        ]
        detectable = compared[each.id].detectable
        # An infinite one: by the estimate, no difference has that power.
        least = detectable.difference if detectable is not None else math.inf
        rows.append(
            (
                Cell(f"{each.over}, {each.brief.lower()}" if each.over else each.brief, note=each.id),
                one.n,
                one.names[best],
                value.value,
                *([one.cross_validated[best]] if crossed else []),
                Cell(_named(even), note=", ".join(even)),
                *([Cell("none") if math.isinf(least) else least] if powered else []),
            )
        )
    columns = (
        "Set",
        Column.count("Pairs"),
        "Best",
        Column.number(SHORT_STATISTICS[compared[group.sets[0].id].comparison.statistic]),
        *([Column.number("CV", note="Cross-validated")] if crossed else []),
        "Not told apart",
        *([Column.number("MDD", note="Minimum detectable difference")] if powered else []),
    )
    return Table.from_rows(block_id("best", group.id), f"{group.title}.", columns, rows)


def _named(names: list[str]) -> str:
    """Return names, the first few of many."""
    more = len(names) - _MOST_NAMED
    if not names:
        return "none"
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:_MOST_NAMED])} and {more} more"


def _wins(comparison: RunComparison) -> Table:
    """Return on how many sets the model of a row is significantly better than that of a column."""
    models = list(dict.fromkeys(name for each in comparison.models for name in each.comparison.names))
    tests = [each.comparison for each in comparison.models]
    beaten = Counter(
        (test.names[winner], test.names[loser])
        for test in tests
        for winner, loser in zip(*np.nonzero(test.significant & (test.differences > 0)), strict=True)
    )
    total = {model: sum(beaten[model, other] for other in models) for model in models}
    models.sort(key=lambda model: -total[model])
    rows = (
        (f"{at}. {model}", *(None if other == model else beaten[model, other] for other in models), total[model])
        for at, model in enumerate(models, 1)
    )
    columns = (Column.count(str(at), model) for at, model in enumerate(models, 1))
    about = f"On how many of the {numbered(len(comparison.models), 'set')} the model of a row is significantly better."
    return Table.from_rows("wins", about, ("Better than model", *columns, Column.count("All")), rows)


def _measures(comparison: RunComparison) -> Table:
    """Return on how many sets no other measure of a model is significantly better than the one of a column."""
    models = list(dict.fromkeys(each.model for each in comparison.measures))
    measures = list(dict.fromkeys(name for each in comparison.measures for name in each.comparison.names))
    rows = []
    for model in models:
        own = [each.comparison for each in comparison.measures if each.model == model]
        unbeaten = {name: [0, 0] for name in measures}
        for one in own:
            for name, losses in zip(one.names, one.losses, strict=True):
                unbeaten[name][0] += losses == 0
                unbeaten[name][1] += 1
        most = max(good for good, _of in unbeaten.values())
        kept = [name for name, (good, _of) in unbeaten.items() if good == most]
        worst = [name for name, (good, of) in unbeaten.items() if of and good < most]
        fewest = sorted(worst, key=lambda name: unbeaten[name][0])[:_MOST_NAMED]
        shown = [f"{name} ({unbeaten[name][0]})" for name in fewest]
        rows.append((model, len(own), listed(kept), most, ", ".join(shown)))
    columns = "Model", Column.count("Sets"), "Least often beaten", Column.count("Unbeaten"), "Most often beaten"
    about = "Unbeaten: on how many sets no other measure of the model is significantly better."
    return Table.from_rows("unbeaten", about, columns, rows)
