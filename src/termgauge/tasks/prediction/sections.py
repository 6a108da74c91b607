"""How prediction is shown: the correlations, how little so few models can show, and each model as a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.reporting.blocks import Block, Cell, Column, Figure, Interval, Prose, Section, Table, block_id
from termgauge.reporting.plots.canvas import KeyEntry
from termgauge.reporting.plots.lines import scattered
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
from termgauge.tasks.shown import left_out_note, style_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.tasks.contract import About
    from termgauge.tasks.prediction.correlate import PredictionResult

_MOST_CELLS, _MOST_ROWS = 6, 40


def prediction_sections(result: PredictionResult, about: About) -> Iterator[Section]:
    """Yield the section of a result."""
    blocks: list[Block] = [Prose(tuple(_about(result))), _table(about.name, result)]
    if result.power:  # else no correlation is cells
        blocks += scatter_figures(about.name, result)
    yield Section(block_id("prediction", about.name), headed("Prediction", about.name), tuple(blocks))


def _about(result: PredictionResult) -> Iterator[str]:
    """Say what is significant, and what so few models can show, so that nobody believes more."""
    yield "Does a good score on a benchmark predict a good score in use?"
    cells = [cell for cell in result.cells if cell.r is not None]
    marked = sorted((cell for cell in cells if cell.significant), key=lambda cell: -abs(cell.rho or 0.0))
    over, how = f"over {counted(result.n, 'model')}", corrected(result.correction)
    if not cells:
        yield (
            f"Nothing can be said {over}: a correlation takes three models with both scores, and scores that are not "
            "all the same."
        )
    elif marked:
        words = [f"{bold(one.benchmark)} with {plain(one.task)} (rho = {decimal(one.rho, 2)})" for one in marked]
        words[_MOST_CELLS:] = [counted(len(marked) - _MOST_CELLS, "other")] if len(marked) > _MOST_CELLS else []
        verb = "is" if len(marked) == 1 else "are"
        yield (
            f"{capitalised(count(len(marked)))} of {counted(len(cells), 'correlation')} {over} {verb} significant at "
            f"{result.alpha:g}, {how}: {listed(words)}. These tend to be larger than the true ones, because with so "
            "few models only large ones can be found."
        )
    else:
        yield (
            f"None of {counted(len(cells), 'correlation')} {over} is significant at {result.alpha:g}, {how}. That does "
            "not mean that benchmarks and tasks are unrelated: so few models would rarely show it."
        )
    for power in result.power[-1:]:
        yield (
            f"**What {count(power.n)} models can show:** a single correlation is significant only beyond "
            f"±{decimal(power.critical, 3)}. If the true correlation is 0.5, {share(power.power['0.5'])} of such "
            f"studies find it; if it is 0.7, {share(power.power['0.7'])} do. Only one of "
            f"{decimal(power.detectable, 2)} or more would be found in four of five."
        )
    if result.named_families:
        yield (
            f"Models of one family are not independent: {'; '.join(map(named, result.families))}. p-values say how "
            "often chance would bring the models of each family into such an order; intervals are too short."
        )
    for family in () if result.named_families else result.families:
        yield (
            f"{capitalised(counted(len(family), 'model'))} have names that differ in numbers alone ({named(family)}). "
            "If they are variants of one model, p-values are too small: give them the same `family`."
        )
    yield from left_out_note(result.left_out)


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
        notes.append("Attenuation: what a true correlation of 1 would come out as, for the error of the scores.")
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


def scatter_figures(name: str, result: PredictionResult) -> Iterator[Figure]:
    """Yield a figure for each task, with a panel for each benchmark; the first is shown, the others on request."""
    models = list(dict.fromkeys(model for scores in result.tasks.values() for model in scores))
    styles = {model: style_of(number) for number, model in enumerate(models)}
    for at, (task, upwards) in enumerate(result.tasks.items()):
        rows, panels = [], []
        for cell in result.cells:
            if cell.task != task or not cell.n:
                continue
            across = result.benchmarks[cell.benchmark]
            both = common(across, upwards, upwards)
            rows += [(cell.benchmark, task, model, across[model], upwards[model]) for model in both]
            rho = f", rho = {with_minus(decimal(cell.rho, 2))}{'*' if cell.significant else ''}"
            title = f"{cell.benchmark}{'' if cell.rho is None else rho}, n = {cell.n}"
            panels.append((title, {model: (across[model], upwards[model]) for model in both}))
        shown = [model for model in styles if any(row[2] == model for row in rows)]
        plot = scattered(panels, [KeyEntry(model, *styles[model]) for model in shown], f"upwards: {task}")
        if rows:
            yield Figure(
                id=block_id("prediction-scatter", name, task),
                caption=f"Each model by its score on a benchmark (across) and on {task} (upwards); every panel has its "
                "own scale across. One model far from the others can make or hide a correlation.",
                description=f"Scatter plots of {counted(len(shown), 'model')} for "
                f"{counted(len(panels), 'benchmark')} against {task}.",
                draw=plot.draw,
                data=pl.DataFrame(rows, ["benchmark", "task", "model", "across", "upwards"], orient="row"),
                folded=at > 0,
            )
