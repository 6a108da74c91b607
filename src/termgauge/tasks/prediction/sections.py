"""How prediction is shown: the correlations, how little so few models can show, and each model as a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.reporting.blocks import Block, Cell, Column, Figure, Interval, Prose, Section, Table, block_id
from termgauge.reporting.plots.canvas import KeyEntry
from termgauge.reporting.plots.dots import ScatterPanel, ScatterPlot, Spot
from termgauge.reporting.plots.heat import Heat
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
    from collections.abc import Iterator

    from termgauge.tasks.contract import About
    from termgauge.tasks.prediction.correlate import Correlation, Power, PredictionResult

_MOST_CELLS, _MOST_ROWS = 6, 40
_MUCH = 0.2
"""A change of r that is pointed out."""


def prediction_sections(result: PredictionResult, about: About) -> Iterator[Section]:
    """Yield the section of a result."""
    name = about.name
    told = Prose(("Does a good score on a benchmark predict a good score in use?", *_found(result)))
    blocks: list[Block] = [told, _table(name, result)]
    if result.power:  # else no correlation is defined
        figures = heat_figure(name, result), *scatter_figures(name, result)
        blocks += [Prose(tuple(_limits(result))), _power_table(name, result), *figures]
    yield Section(block_id("prediction", name), headed("Prediction", name), tuple(blocks))


def _found(result: PredictionResult) -> Iterator[str]:
    """Say what is significant, and which models take no part."""
    known = [cell for cell in result.cells if cell.r is not None]
    marked = sorted((cell for cell in known if cell.significant), key=lambda cell: -abs(cell.rho or 0.0))
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
    return f"{bold(cell.benchmark)} with {plain(cell.task)} (rho = {decimal(cell.rho, 2)})"


def _limits(result: PredictionResult) -> Iterator[str]:
    """Say what so few models can show, so that nobody believes more."""
    yield from (_of_power(power) for power in (result.power if len(result.power) <= 2 else result.power[-1:]))
    known = sum(cell.r is not None for cell in result.cells)
    if result.correction == "none" and known > 1:
        yield (
            f"There are {counted(known, 'correlation')}, and nothing corrects for their number, so that about "
            f"{decimal(known * result.alpha, 1)} of them would be significant by chance alone."
        )
    if any(cell.significant for cell in result.cells):
        yield (
            "Correlations that are marked tend to be larger than the true ones, because with so few models only large "
            "ones can be found."
        )
    yield "The models are those that somebody had, not a random sample of all models."
    yield from _of_one_model(result)
    yield from _of_families(result)


def _of_families(result: PredictionResult) -> Iterator[str]:
    """Say which models are not independent, and what was done about it."""
    if result.named_families:
        families = "; ".join(named(family) for family in result.families)
        yield (
            f"Models of one family are not independent: {families}. p-values say how often chance would bring the "
            "models of each family into such an order; what differs between families counts for nothing. Intervals "
            "take all models as independent, and are too short."
        )
    for family in () if result.named_families else result.families:
        yield (
            f"{capitalised(counted(len(family), 'model'))} have names that differ in numbers alone ({named(family)}). "
            "If they are variants of one model, p-values take them as independent and are too small: give them the "
            "same `family`."
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
    others = ", and it takes more where several are tested" if power.correlations > 1 else ""
    return (
        f"**What {count(power.n)} models can show:** a single correlation is significant only beyond "
        f"±{decimal(power.critical, 3)}{others}. If the true correlation is 0.5, {share(half)} of such studies find "
        f"it; if it is 0.7, {share(more)} do. Only one of {decimal(power.detectable, 2)} or more would be found in "
        "four of five. A correlation that is not significant is therefore no sign that there is none: its interval "
        "says what it may be."
    )


def _power_table(name: str, result: PredictionResult) -> Table:
    true = list(result.power[0].power)
    rows = (
        (power.n, power.correlations, power.critical, *(power.power[r] for r in true), power.detectable)
        for power in result.power
    )
    return Table.from_rows(
        block_id("prediction", name, "power"),
        f"What n models can show of a single correlation (Pearson's r), tested at {result.power[0].level:.3g}.",
        (
            Column.count("n"),
            Column.count("Correlations"),
            Column.number("Least |r|", note="The smallest correlation that is significant."),
            *(Column.share(r, group="Power for a true correlation of") for r in true),
            Column.number("Detectable", 2, "The smallest true correlation that is found with 80 % power."),
        ),
        rows,
        ("Power: the share of such studies that find a true correlation, exact for jointly normal scores.",),
    )


def _table(name: str, result: PredictionResult) -> Table:
    """Return every correlation with all that is known of it."""
    lacking = any(cell.left_out for cell in result.cells)
    attenuated = any(cell.attenuation is not None for cell in result.cells)
    rows = [
        (
            cell.benchmark,
            cell.task,
            cell.n,
            Cell.number(cell.rho, interval=Interval.known(cell.rho_low, cell.rho_high), best=cell.significant),
            cell.rho_p,
            cell.adjusted_p,
            *([cell.attenuation] if attenuated else []),
            Cell.number(cell.r, interval=Interval.known(cell.low, cell.high)),
            cell.p,
            f"{decimal(cell.without, 2)} without {cell.influential}" if cell.influential else "",
            *([", ".join(cell.left_out)] if lacking else []),
        )
        for cell in result.cells
    ]
    notes = [
        f"Bold: significant at {result.alpha:g}, {corrected(result.correction)}.",
        "Intervals: each alone, on Fisher's scale, for models drawn at random; there is none for fewer than four.",
        "p of rho: the share of orders of the models in which it would be as far from 0; of r: by Student's t.",
    ]
    if attenuated:
        notes.append(
            "Attenuation: what a true correlation of 1 would come out as, because the benchmark's scores are not "
            "certain; the root of their reliability, from the errors of the differences between models."
        )
    return Table.from_rows(
        block_id("prediction", name, "rho"),
        "Every correlation: Spearman's rho and, beside it, Pearson's r.",
        (
            *("Benchmark", "Task", Column.count("n"), Column.number("rho"), Column.number("p of rho", 4)),
            Column.number("p, corrected", 4, corrected(result.correction)),
            *([Column.number("Attenuation", 2)] if attenuated else []),
            *(Column.number("r"), Column.number("p of r", 4, "of this correlation alone")),
            Column("Without one", note="What r would be without the model that changes it most."),
            *([Column("Left out", note="Models that lack one of the two scores.")] if lacking else []),
        ),
        rows,
        notes,
        data=pl.DataFrame(
            [{**cell.model_dump(), "left_out": ", ".join(cell.left_out)} for cell in result.cells],
            infer_schema_length=None,
        ),
        folded=len(rows) > _MOST_ROWS,
    )


def heat_figure(name: str, result: PredictionResult) -> Figure:
    """Return the correlations at a glance, with a star where they are significant."""
    known = [cell for cell in result.cells if cell.r is not None]
    heads = {task: task_title(result, task) for task in result.tasks}
    values = {(cell.benchmark, heads[cell.task]): cell.rho for cell in known if cell.rho is not None}
    stars = {(cell.benchmark, heads[cell.task]): "*" for cell in known if cell.significant}
    rows = [(each, row_title(result, each)) for each in result.benchmarks]
    heat = Heat(rows, list(heads.values()), values, (-1.0, 1.0), marks=stars)
    extremes = sorted(known, key=lambda cell: cell.rho or 0.0)
    said = [f"{cell.benchmark} and {cell.task}, rho = {decimal(cell.rho, 2)}" for cell in (extremes[-1], extremes[0])]
    return Figure(
        id=block_id("prediction-heat", name),
        caption="Spearman's rho of each benchmark (rows) with each task (columns), over n models; a star marks what is "
        f"significant at {result.alpha:g}. A cell without a star does not show that there is no correlation.",
        description=f"Heat map of correlations. The highest is {said[0]}; the lowest is {said[1]}.",
        draw=heat.draw,
        data=pl.DataFrame(
            [(cell.benchmark, cell.task, cell.rho, cell.n, cell.significant) for cell in known],
            ["benchmark", "task", "rho", "n", "significant"],
            orient="row",
        ),
    )


def task_title(result: PredictionResult, task: str) -> str:
    """Return a task with its number of models, where that is the same for all benchmarks."""
    counts = {cell.n for cell in result.cells if cell.task == task}
    return f"{task} (n = {counts.pop()})" if len(counts) == 1 else task


def row_title(result: PredictionResult, benchmark: str) -> str:
    """Return a benchmark, with its number of models if that is not the same for all benchmarks."""
    own = sorted({cell.n for cell in result.cells if cell.benchmark == benchmark})
    differ = len({(cell.task, cell.n) for cell in result.cells}) > len(result.tasks)
    return f"{benchmark} (n = {', '.join(map(str, own))})" if differ else benchmark


def scatter_figures(name: str, result: PredictionResult) -> list[Figure]:
    """Return a figure for each task, with a panel for each benchmark; the first is shown, the others on request."""
    models = list(dict.fromkeys(model for scores in result.tasks.values() for model in scores))
    styles = {model: style_of(place) for place, model in enumerate(models)}
    figures: list[Figure] = []
    for task, upwards in result.tasks.items():
        cells = [cell for cell in result.cells if cell.task == task and cell.n]
        rows, panels = [], []
        for cell in cells:
            across = result.benchmarks[cell.benchmark]
            both = common(across, upwards, upwards)
            rows += [(cell.benchmark, task, model, across[model], upwards[model]) for model in both]
            spots = [Spot(across[model], upwards[model], model, *styles[model]) for model in both]
            known = f"rho = {with_minus(decimal(cell.rho, 2))}{'*' if cell.significant else ''}, "
            panels.append(ScatterPanel((cell.benchmark, f"{known if cell.rho is not None else ''}n = {cell.n}"), spots))
        if not cells:
            continue
        shown = [model for model in styles if any(row[2] == model for row in rows)]
        plot = ScatterPlot(panels, f"upwards: {task}", tuple(KeyEntry(model, *styles[model]) for model in shown))
        figure = Figure(
            id=block_id("prediction-scatter", name, task),
            caption=f"Each model by its score on a benchmark (across) and on {task} (upwards); every panel has its own "
            "scale across. One model far from the others can make or hide a correlation.",
            description=f"Scatter plots of {counted(len(shown), 'model')} for {counted(len(cells), 'benchmark')} "
            f"against {task}: {'; '.join(f'{cell.benchmark} rho = {decimal(cell.rho, 2)}' for cell in cells)}.",
            draw=plot.draw,
            data=pl.DataFrame(rows, ["benchmark", "task", "model", "across", "upwards"], orient="row"),
            folded=bool(figures),
        )
        figures.append(figure)
    return figures
