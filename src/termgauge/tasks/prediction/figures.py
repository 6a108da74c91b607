"""Plots of prediction: the correlations as a heat map, and for each task every model as a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.reporting.blocks import Figure, block_id
from termgauge.reporting.plots.canvas import KeyEntry
from termgauge.reporting.plots.heat import Block, Heat
from termgauge.reporting.plots.scatter import ScatterPanel, ScatterPlot, Spot
from termgauge.reporting.words import counted, decimal, with_minus
from termgauge.tasks.prediction.scores import common
from termgauge.tasks.shown import style_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.tasks.prediction.correlate import Correlation, PredictionResult


def heat_figure(name: str, result: PredictionResult) -> Figure:
    """Return the correlations at a glance, with a star where they are significant."""
    known = [cell for cell in result.cells if cell.r is not None]
    heads = {task: task_title(result, task) for task in result.tasks}
    values = {(cell.benchmark, heads[cell.task]): cell.r for cell in known if cell.r is not None}
    stars = {(cell.benchmark, heads[cell.task]): "*" for cell in known if cell.significant}
    rows = [(each, row_title(result, each)) for each in result.benchmarks]
    heat = Heat((Block("", rows),), list(heads.values()), values, (-1.0, 1.0), marks=stars)
    extremes = sorted(known, key=lambda cell: cell.r or 0.0)
    said = [f"{cell.benchmark} and {cell.task}, r = {decimal(cell.r, 2)}" for cell in (extremes[-1], extremes[0])]
    return Figure(
        id=block_id("prediction-heat", name),
        caption="Pearson's r of each benchmark (rows) with each task (columns), over n models; a star marks what is "
        f"significant at {result.alpha:g}. A cell without a star does not show that there is no correlation.",
        description=f"Heat map of correlations. The highest is {said[0]}; the lowest is {said[1]}.",
        draw=heat.draw,
        data=pl.DataFrame(
            [(cell.benchmark, cell.task, cell.r, cell.n, cell.significant) for cell in known],
            ["benchmark", "task", "r", "n", "significant"],
            orient="row",
        ),
    )


def task_title(result: PredictionResult, task: str) -> str:
    """Return a task with its number of models, where that is the same for all benchmarks."""
    counts = {cell.n for cell in result.cells if cell.task == task}
    return f"{task} (n = {counts.pop()})" if len(counts) == 1 else task


def row_title(result: PredictionResult, benchmark: str) -> str:
    """Return a benchmark, with its number of models if that is not the same for all benchmarks."""
    own = {cell.n for cell in result.cells if cell.benchmark == benchmark}
    every = {(cell.task, cell.n) for cell in result.cells}
    differ = len(every) > len(result.tasks)
    return f"{benchmark} (n = {', '.join(map(str, sorted(own)))})" if differ else benchmark


def scatter_figures(name: str, result: PredictionResult) -> list[Figure]:
    """Return a figure for each task, with a panel for each benchmark; the first is shown, the others on request."""
    models = list(dict.fromkeys(model for scores in result.tasks.values() for model in scores))
    styles = {model: style_of(place) for place, model in enumerate(models)}
    figures: list[Figure] = []
    for task in result.tasks:
        cells = [cell for cell in result.cells if cell.task == task and cell.n]
        if cells:
            figures.append(_scatter(name, result, task, cells, styles, folded=bool(figures)))
    return figures


def _scatter(
    name: str,
    result: PredictionResult,
    task: str,
    cells: Sequence[Correlation],
    styles: dict[str, tuple[str, str]],
    *,
    folded: bool,
) -> Figure:
    rows, panels = [], []
    for cell in cells:
        across, upwards = result.benchmarks[cell.benchmark], result.tasks[task]
        both = common(across, upwards, upwards)
        rows += [(cell.benchmark, task, model, across[model], upwards[model]) for model in both]
        spots = [Spot(across[model], upwards[model], model, *styles[model]) for model in both]
        r = f"r = {with_minus(decimal(cell.r, 2))}{'*' if cell.significant else ''}, " if cell.r is not None else ""
        panels.append(ScatterPanel((cell.benchmark, f"{r}n = {cell.n}"), spots))
    shown = [model for model in styles if any(row[2] == model for row in rows)]
    plot = ScatterPlot(panels, f"upwards: {task}", tuple(KeyEntry(model, *styles[model]) for model in shown))
    return Figure(
        id=block_id("prediction-scatter", name, task),
        caption=f"Each model by its score on a benchmark (across) and on {task} (upwards); every panel has its own "
        "scale across. One model far from the others can make or hide a correlation.",
        description=f"Scatter plots of {counted(len(shown), 'model')} for {counted(len(cells), 'benchmark')} against "
        f"{task}: {'; '.join(f'{cell.benchmark} r = {decimal(cell.r, 2)}' for cell in cells)}.",
        draw=plot.draw,
        data=pl.DataFrame(rows, ["benchmark", "task", "model", "across", "upwards"], orient="row"),
        folded=folded,
    )
