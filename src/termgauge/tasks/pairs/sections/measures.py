"""Which measure of similarity suits which model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.reporting.blocks import Cell, Column, Prose, Section, Table
from termgauge.reporting.set_names import STATISTICS
from termgauge.statistics.inputs import BINARY, GRADED
from termgauge.tasks.pairs.results import SHARED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.tasks.pairs.compare import MeasureComparison
    from termgauge.tasks.pairs.sections.standings import Standings

_WHAT = {**dict.fromkeys(BINARY, "labelled"), **dict.fromkeys(GRADED, "rated")}
_MANY_ROWS = 24
_ABOUT = (
    "A model's vectors can be compared in several ways. Values are on the pairs that all models can score; a mean is "
    "over the sets on which all measures of the model have a value."
)
_NOTES = (
    "Bold: the best mean of the model.",
    "Wins and losses are between measures of the same model, corrected for their number on each set.",
)


def measure_section(standings: Standings, compared: Sequence[MeasureComparison] = ()) -> Section | None:
    """Return how the measures of each model compare; None if no model has more than one."""
    values = _values(standings)
    if values.is_empty():
        return None
    return Section(
        "measures",
        "Measures of similarity compared",
        (Prose((_ABOUT,)), _table(standings, values, compared)),
    )


def _values(standings: Standings) -> pl.DataFrame:
    """Return the values of models with several measures, on the sets where all their measures have one."""
    main = pl.col("statistic").is_in([each.statistic for each in standings.sets])
    shared = standings.results.filter(main & (pl.col("subset") == SHARED)).with_columns(
        measures=pl.col("measure").n_unique().over("model")
    )
    whole = pl.len().over("statistic", "model", "set") == pl.col("measures")
    valued = shared.filter(pl.col("value").is_not_null() & (pl.col("measures") > 1))
    return valued.filter(whole).select("statistic", "model", "set", "measure", "value")


def _means(values: pl.DataFrame) -> dict[str, dict[str, float]]:
    """Return by model the mean of each measure over sets."""
    means: dict[str, dict[str, float]] = {}
    by = values.group_by("model", "measure", maintain_order=True).agg(pl.col("value").mean())
    for model, measure, value in by.iter_rows():
        means.setdefault(model, {})[measure] = value
    return means


def _table(standings: Standings, values: pl.DataFrame, compared: Sequence[MeasureComparison]) -> Table:
    """Return a row for each model and measure: its means, and how it does against the model's other measures."""
    statistics = [each for each in _WHAT if each in set(values["statistic"])]
    means = {each: _means(values.filter(statistic=each)) for each in statistics}
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
        notes=_NOTES if compared else _NOTES[:1],
        folded=len(rows) > _MANY_ROWS,
    )
