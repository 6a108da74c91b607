"""All models on all sets at a glance: a heat map with the value in each cell, a block for each group of sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.reporting.blocks import Figure, Prose, Section
from termgauge.reporting.plots.canvas import outward
from termgauge.reporting.plots.heat import Block, Heat
from termgauge.reporting.set_names import STATISTICS
from termgauge.reporting.words import capitalised, counted, decimal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.reporting.set_names import TitledSet
    from termgauge.tasks.pairs.sections.standings import Standings


def heatmap_section(standings: Standings) -> Section | None:
    """Return the heat maps: of labelled sets and of rated ones, for their values are not on one scale."""
    figures = [figure for graded in (False, True) if (figure := heatmap(standings, graded=graded))]
    if not figures:
        return None
    about = "Each cell is a model on a set, on the pairs that all models can score; the darker, the better."
    return Section("heatmap", "All models on all sets", (Prose((about,)), *figures))


def heatmap(standings: Standings, *, graded: bool) -> Figure | None:
    """Return the heat map of the labelled or of the rated sets; None if there are none with values."""
    blocks = [
        (
            group.title,
            [
                each
                for each in group.sets
                if any(standings.value(each, model) is not None for model in standings.models)
            ],
        )
        for group in standings.groups
        if group.graded == graded
    ]
    sets = [each for _, some in blocks for each in some]
    if not sets:
        return None
    models = [
        model for model in standings.ranked(sets) if any(standings.value(each, model) is not None for each in sets)
    ]
    rows: list[dict[str, Any]] = [
        {"set": each.id, "title": each.title, "model": model, "value": value}
        for each in sets
        for model in models
        if (value := standings.value(each, model)) is not None
    ]
    values = {(row["set"], row["model"]): row["value"] for row in rows}
    statistic = sets[0].statistic
    shown = [Block(title, [(each.id, row_label(each)) for each in some]) for title, some in blocks if some]
    heat = Heat(shown, models, values, _domain(list(values.values()), graded=graded))
    low, high = min(rows, key=lambda row: row["value"]), max(rows, key=lambda row: row["value"])
    how_many = f"{counted(len(models), 'model')} on {counted(len(sets), 'set')}"
    return Figure(
        id=f"heatmap-{statistic}",
        caption=f"{capitalised(STATISTICS[statistic])} of {how_many}.",
        description=(
            f"Heat map of {STATISTICS[statistic]}. The highest value is {decimal(high['value'], 3)} "
            f"({high['model']} on {high['title']}), the lowest {decimal(low['value'], 3)} "
            f"({low['model']} on {low['title']})."
        ),
        draw=heat.draw,
        data=pl.DataFrame(rows),
    )


def row_label(each: TitledSet) -> str:
    """Return what a set is called in a block of its group."""
    if not each.built:
        return each.brief
    return f"{each.sampling}, {each.origin.difficulty}"


def _domain(values: Sequence[float], *, graded: bool) -> tuple[float, float]:
    low, high = outward(min(values), max(values), 0.1)
    return (min(low, 0.0), high) if graded else (min(low, 0.5), high)
