"""The values of a run, and which differences are real: what evaluating and comparing show."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from termgauge.plurals import numbered
from termgauge.reporting.blocks import Cell, Column, Interval, Prose, Section, Table, WinsLosses, block_id
from termgauge.reporting.set_names import SHORT_STATISTICS
from termgauge.reporting.words import corrected, counted, decimal
from termgauge.tasks.pairs.result import group_means
from termgauge.tasks.pairs.sections.group_means import means_table
from termgauge.tasks.pairs.sections.groups import detectable_in_words, group_table, open_note, own_table, reading
from termgauge.tasks.pairs.sections.scored_pairs import shared_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.statistics.significance import Comparison
    from termgauge.tasks.pairs.run_comparison import RunComparison
    from termgauge.tasks.pairs.sections.standings import Standings


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
        notes = [] if each.detectable is None else [_detectable(each.detectable.difference, each.comparison.statistic)]
        if each.guessing is not None and each.comparison.statistic != "auc":
            notes.append(f"Guessing gives {decimal(each.guessing, 3)}.")
        yield _ranked(each.set, "Model", each.comparison, each.measures, notes)
    for one in comparison.measures:
        yield _ranked(f"{one.model} on {one.set}", "Measure", one.comparison, {}, [])
    legend = "Superscripts: how many others it is significantly better (+) and worse (−) than"
    every = [each.comparison for each in comparison.models] + [each.comparison for each in comparison.measures]
    tested = next(iter(every), None)
    legend += f", at alpha {tested.alpha:g}, on each set {corrected(tested.correction)}." if tested else "."
    yield Section("superscripts", "", (Prose((legend,)),))


def _ranked(title: str, heading: str, comparison: Comparison, measures: Mapping[str, str], notes: list[str]) -> Section:
    about = f"{numbered(comparison.n, 'pair')}, {counted(comparison.comparisons, 'comparison')} by {comparison.test}."
    undecided, crossed = comparison.open.sum(axis=1).tolist(), comparison.cross_validated
    rows = []
    for place in comparison.ranking:
        name, value = comparison.names[place], comparison.values[place]
        against = WinsLosses(comparison.wins[place], comparison.losses[place], undecided[place])
        cells = [Cell.number(value.value, against=against, interval=Interval.known(value.low, value.high))]
        cells += [Cell.number(crossed[place])] if crossed else []
        rows.append((Cell(name), *([Cell(measures[name])] if measures else []), *cells))
    columns = (
        Column(heading),
        *([Column("Measure")] if measures else []),
        Column(SHORT_STATISTICS[comparison.statistic], numeric=True),
        *([Column("Cross-validated", numeric=True)] if crossed else []),
    )
    table = Table(block_id("ranked", title), about, columns, tuple(rows), (*notes, *open_note(undecided)))
    return Section(block_id("compared", title), title, (table,))


def _detectable(difference: float, statistic: str) -> str:
    said = detectable_in_words(difference)
    return f"Minimum detectable difference in {SHORT_STATISTICS[statistic]} (80 % power): {said}."
