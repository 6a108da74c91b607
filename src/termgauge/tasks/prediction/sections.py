"""How prediction is shown: the correlations, how little so few models can show, and each model as a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.reporting.blocks import Block, Cell, Column, Figure, Interval, Prose, Section, Table, block_id
from termgauge.reporting.plots.canvas import KeyEntry
from termgauge.reporting.plots.heat import Heat, HeatBlock
from termgauge.reporting.plots.scatter import ScatterPanel, ScatterPlot, Spot
from termgauge.reporting.words import (
    bold,
    capitalised,
    corrected,
    count,
    counted,
    decimal,
    headed,
    listed,
    named,
    plain,
    share,
    with_minus,
)
from termgauge.tasks.prediction.scores import common
from termgauge.tasks.shown import style_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.tasks.contract import About
    from termgauge.tasks.prediction.correlate import Correlation, Power, PredictionResult

_MOST_CELLS, _MOST_ROWS = 6, 40
_ALWAYS, _HALF = 0.995, 0.55
_MUCH = 0.2
"""A change of r that is pointed out."""


def prediction_sections(result: PredictionResult, about: About) -> Iterator[Section]:
    """Yield the section of a result."""
    name = about.name
    told = Prose(("Does a good score on a benchmark predict a good score in use?", *_found(result)))
    known = any(cell.r is not None for cell in result.cells)
    blocks: list[Block] = [told, _table(name, result)]
    if result.power:
        blocks += [Prose(tuple(_limits(result))), _power_table(name, result)]
    figures = [heat_figure(name, result), *scatter_figures(name, result)] if known else []
    every = _every_table(name, result)
    yield Section(block_id("prediction", name), headed("Prediction", name), (*blocks, *figures, every))


def _found(result: PredictionResult) -> Iterator[str]:
    """Say what is significant, and which models take no part."""
    known = [cell for cell in result.cells if cell.r is not None]
    marked = sorted((cell for cell in known if cell.significant), key=lambda cell: -abs(cell.r or 0.0))
    over = f"over {counted(result.n, 'model')}"
    how = corrected(result.correction)
    if not known:
        yield (
            f"Nothing can be said {over}: a correlation takes three models with both scores, and scores that are not "
            "all the same."
        )
    elif marked:
        words = [_in_words(cell) for cell in marked[:_MOST_CELLS]]
        words += [counted(len(marked) - _MOST_CELLS, "other")] if len(marked) > _MOST_CELLS else []
        verb = "is" if len(marked) == 1 else "are"
        yield (
            f"{capitalised(count(len(marked)))} of {counted(len(known), 'correlation')} {over} {verb} significant at "
            f"{result.alpha:g}, {how}: {listed(words)}."
        )
    else:
        yield (
            f"None of {counted(len(known), 'correlation')} {over} is significant at {result.alpha:g}, {how}. That does "
            "not mean that benchmarks and tasks are unrelated: so few models would rarely show it."
        )
    if (undefined := len(result.cells) - len(known)) and known:
        yield (
            f"{capitalised(counted(undefined, 'correlation is', 'correlations are'))} not defined, for lack of three "
            "models or because all have the same score."
        )
    if result.left_out:
        yield f"Left out, in part or as a whole: {' '.join(map(plain, result.left_out))}"


def _in_words(cell: Correlation) -> str:
    return f"{bold(cell.benchmark)} with {plain(cell.task)} (r = {decimal(cell.r, 2)})"


def _limits(result: PredictionResult) -> Iterator[str]:
    """Say what so few models can show, so that nobody believes more."""
    yield from (_of_power(power) for power in (result.power if len(result.power) <= 2 else result.power[-1:]))
    known = sum(cell.r is not None for cell in result.cells)
    marked = any(cell.significant for cell in result.cells)
    if result.correction == "none" and known > 1:
        chance = known * result.alpha
        expected = f"one in {count(round(1 / chance))} such tables would still have one that is significant"
        if round(chance):
            expected = f"about {count(round(chance))} of them would still be significant"
        yield (
            f"There are {counted(known, 'correlation')}, and nothing corrects for their number: if no benchmark "
            f"predicted anything, {expected}, by chance alone. Because they share models, such "
            "chance hits come together. The correction `holm` corrects for their number."
        )
    if marked:
        least = min(power.critical for power in result.power)
        yield (
            f"Whatever is significant here is at least {decimal(least, 2)} in size, because smaller ones cannot be; so "
            "those that are marked tend to be larger than the true ones."
        )
    yield (
        "The models are those that somebody had, not a random sample of all models. Models that share a corpus or a "
        "method are not independent of each other, and the p-values take them to be."
    )
    yield from _of_one_model(result)
    for family in result.families:
        yield (
            f"{capitalised(counted(len(family), 'model'))} have names that differ in numbers alone ({named(family)}). "
            "If they are variants of one model, they count for fewer than that, and what holds among them need not "
            "hold among other models."
        )


def _of_one_model(result: PredictionResult) -> Iterator[str]:
    """Say how much a single model can matter, by the correlation that would change most."""
    moved = {abs(cell.without - cell.r): cell for cell in result.cells if None not in (cell.r, cell.without)}  # type: ignore[operator]
    if moved and max(moved) >= _MUCH:
        cell = moved[max(moved)]
        yield (
            f"One model can make or hide a correlation: without {bold(cell.influential)}, that of "
            f"{plain(cell.benchmark)} with {plain(cell.task)} would be {decimal(cell.without, 2)} and not "
            f"{decimal(cell.r, 2)}."
        )


def _of_power(power: Power) -> str:
    half, more = power.power["0.5"], power.power["0.7"]
    return (
        f"**What {count(power.n)} models can show:** only a correlation beyond ±{decimal(power.critical, 3)} is "
        f"significant. If the true correlation is 0.5, {_of_studies(half)} find it; if it is 0.7, {_of_studies(more)} "
        f"do. Only one of {decimal(power.detectable, 2)} or more would be found in four of five. A correlation that is "
        "not significant is therefore no sign that there is none: its interval says what it may be."
    )


def _of_studies(power: float) -> str:
    """Return a power in words.

    >>> _of_studies(0.21), _of_studies(0.7), _of_studies(0.9999)
    ('21 % of such studies (about one of five)', '70 % of such studies', 'nearly all such studies')
    """
    if power > _ALWAYS:
        return "nearly all such studies"
    about = f" (about one of {count(round(1 / power))})" if power < _HALF else ""
    return f"{share(power)} of such studies{about}"


def _table(name: str, result: PredictionResult) -> Table:
    """Return the correlations with their intervals: benchmarks down, tasks across."""
    by_place = {(cell.benchmark, cell.task): cell for cell in result.cells}
    counts = {cell.n for cell in result.cells}
    alike = len(counts) == 1
    columns: list[Column | str] = ["Benchmark"]
    for task in result.tasks:
        both = [Column.number("r", group=task), Column.count("n", group=task)]
        columns += [Column.number(task)] if alike else both
    rows = []
    for benchmark in result.benchmarks:
        cells = [by_place[benchmark, task] for task in result.tasks]
        rows.append((benchmark, *(value for cell in cells for value in ([_r(cell)] if alike else [_r(cell), cell.n]))))
    over = f"over {counted(counts.pop(), 'model')}" if alike else "over n models"
    return Table.from_rows(
        block_id("prediction", name, "r"),
        f"Pearson's r of benchmarks with tasks, {over}.",
        columns,
        rows,
        notes=(
            f"Bold: significant at {result.alpha:g}, {corrected(result.correction)} (two-sided, by Student's t).",
            "Intervals: Fisher's, for models drawn at random; there is none for fewer than four.",
        ),
        data=_frame(result),
    )


def _r(cell: Correlation) -> Cell:
    note = f"p = {decimal(cell.p, 4)}, n = {cell.n}" if cell.r is not None else f"not defined, n = {cell.n}"
    interval = Interval.known(cell.low, cell.high)
    return Cell.number(cell.r, 2, interval=interval, best=cell.significant, note=note)


def _power_table(name: str, result: PredictionResult) -> Table:
    true = list(result.power[0].power)
    rows = (
        (power.n, power.correlations, power.critical, *(power.power[r] for r in true), power.detectable)
        for power in result.power
    )
    return Table.from_rows(
        block_id("prediction", name, "power"),
        f"What n models can show, each correlation tested at {result.power[0].level:.3g}.",
        (
            Column.count("n"),
            Column.count("Correlations"),
            Column.number("Least |r|", note="The smallest correlation that is significant."),
            *(Column.share(r, group="Power for a true correlation of") for r in true),
            Column.number("Detectable", 2, "The smallest true correlation that is found with 80 % power."),
        ),
        rows,
        notes=(
            "Least |r|: the smallest correlation that is significant.",
            "Power: the share of such studies that find a true correlation, exact for jointly normal scores.",
            "Detectable: the smallest true correlation with a power of 80 %.",
        ),
    )


def _every_table(name: str, result: PredictionResult) -> Table:
    """Return every correlation with all that is known of it."""
    adjusts, lacking = result.correction != "none", any(cell.left_out for cell in result.cells)
    rows = [
        (
            cell.benchmark,
            cell.task,
            cell.n,
            Cell.number(cell.r, interval=Interval.known(cell.low, cell.high), best=cell.significant),
            cell.p,
            *([cell.adjusted_p] if adjusts else []),
            cell.rho,
            cell.rho_p,
            f"{decimal(cell.without, 2)} without {cell.influential}" if cell.influential else "",
            *([", ".join(cell.left_out)] if lacking else []),
        )
        for cell in result.cells
    ]
    return Table.from_rows(
        block_id("prediction", name, "all"),
        "Every correlation: Pearson's r and, beside it, Spearman's rho.",
        (
            *("Benchmark", "Task", Column.count("n"), Column.number("r"), Column.number("p", 4)),
            *([Column.number("adjusted p", 4)] if adjusts else []),
            *(Column.number("rho"), Column.number("p of rho", 4)),
            Column("Without one", note="What r would be without the model that changes it most."),
            *([Column("Left out", note="Models that lack one of the two scores.")] if lacking else []),
        ),
        rows,
        notes=(
            "The p-value of rho is exact for up to nine models, else by Student's t; it is not corrected.",
            "Without one: what r would be without the model that changes it most.",
        ),
        data=_frame(result),
        folded=len(rows) > _MOST_ROWS,
    )


def _frame(result: PredictionResult) -> pl.DataFrame:
    rows: Sequence[dict[str, object]] = [
        {**cell.model_dump(exclude={"left_out"}), "left_out": ", ".join(cell.left_out)} for cell in result.cells
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def heat_figure(name: str, result: PredictionResult) -> Figure:
    """Return the correlations at a glance, with a star where they are significant."""
    known = [cell for cell in result.cells if cell.r is not None]
    heads = {task: task_title(result, task) for task in result.tasks}
    values = {(cell.benchmark, heads[cell.task]): cell.r for cell in known if cell.r is not None}
    stars = {(cell.benchmark, heads[cell.task]): "*" for cell in known if cell.significant}
    rows = [(each, row_title(result, each)) for each in result.benchmarks]
    heat = Heat((HeatBlock("", rows),), list(heads.values()), values, (-1.0, 1.0), marks=stars)
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
