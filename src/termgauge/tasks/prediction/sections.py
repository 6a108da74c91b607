"""How prediction is shown: the correlations, how little so few models can show, and each model as a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.reporting.blocks import Cell, Column, Interval, Prose, Section, Table, block_id
from termgauge.reporting.words import (
    bold,
    capitalised,
    corrected,
    count,
    counted,
    decimal,
    headed,
    listed,
    lowered,
    named,
    plain,
    share,
)
from termgauge.tasks.prediction.figures import heat_figure, scatter_figures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.tasks.prediction.correlate import Correlation, Power, PredictionResult

_MOST_CELLS, _MOST_ROWS = 6, 40
_ALWAYS, _HALF = 0.995, 0.55
_MUCH = 0.2
"""A change of r that is pointed out."""


def prediction_section(name: str, result: PredictionResult) -> Section:
    """Return the section of a result."""
    told = Prose(("Does a good score on a benchmark predict a good score in use?", *_found(result)))
    known = any(cell.r is not None for cell in result.cells)
    blocks: list[Block] = [told, _table(name, result)]
    if result.power:
        blocks += [Prose(tuple(_limits(result))), _power_table(name, result)]
    figures = [heat_figure(name, result), *scatter_figures(name, result)] if known else []
    every = _every_table(name, result)
    return Section(block_id("prediction", name), headed("Prediction", name), (*blocks, *figures, every))


def prediction_summary(name: str, result: PredictionResult) -> tuple[str, ...]:
    """Return what is to be remembered of a result, in a sentence or two."""
    found = next(_found(result))
    largest = max(result.power, key=lambda power: power.n, default=None)
    limit = (
        f" With {count(largest.n)} models only one beyond ±{decimal(largest.critical, 2)} can be." if largest else ""
    )
    return (f"{bold(headed('Prediction', name))}: {lowered(found)}{limit}",)


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
        yield (
            f"There are {counted(known, 'correlation')}, and nothing corrects for their number: if no benchmark "
            f"predicted anything, {_by_chance(known * result.alpha)}, by chance alone. Because they share models, such "
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


def _by_chance(expected: float) -> str:
    """Say how many are to be expected."""
    number = round(expected)
    if number:
        return f"about {count(number)} of them would still be significant"
    return f"one in {count(round(1 / expected))} such tables would still have one that is significant"


def _of_studies(power: float) -> str:
    """Return a power in words.

    Examples
    --------
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
    columns = [Column("Benchmark")]
    for task in result.tasks:
        columns.append(Column(task if len(counts) == 1 else "r", numeric=True, group="" if len(counts) == 1 else task))
        columns += [Column("n", numeric=True, group=task)] if len(counts) > 1 else []
    rows = []
    for benchmark in result.benchmarks:
        row = [Cell(benchmark)]
        for task in result.tasks:
            cell = by_place[benchmark, task]
            row += [_r(cell), Cell.count(cell.n)] if len(counts) > 1 else [_r(cell)]
        rows.append(tuple(row))
    over = f"over {counted(counts.pop(), 'model')}" if len(counts) == 1 else "over n models"
    return Table(
        id=block_id("prediction", name, "r"),
        caption=f"Pearson's r of benchmarks with tasks, {over}.",
        columns=tuple(columns),
        rows=tuple(rows),
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
    rows = [
        (
            Cell.count(power.n),
            Cell.count(power.correlations),
            Cell.number(power.critical),
            *(Cell.share(power.power[each]) for each in true),
            Cell.number(power.detectable, 2),
        )
        for power in result.power
    ]
    found = [Column(each, numeric=True, group="Power for a true correlation of") for each in true]
    return Table(
        id=block_id("prediction", name, "power"),
        caption=f"What n models can show, each correlation tested at {result.power[0].level:.3g}.",
        columns=(
            Column("n", numeric=True),
            Column("Correlations", numeric=True),
            Column("Least |r|", numeric=True, note="The smallest correlation that is significant."),
            *found,
            Column("Detectable", numeric=True, note="The smallest true correlation that is found with 80 % power."),
        ),
        rows=tuple(rows),
        notes=(
            "Least |r|: the smallest correlation that is significant.",
            "Power: the share of such studies that find a true correlation, exact for jointly normal scores.",
            "Detectable: the smallest true correlation with a power of 80 %.",
        ),
    )


def _every_table(name: str, result: PredictionResult) -> Table:
    """Return every correlation with all that is known of it."""
    adjusts, lacking = result.correction != "none", any(cell.left_out for cell in result.cells)
    columns = ["n", "r", "p", *(["adjusted p"] if adjusts else []), "rho", "p of rho"]
    rows = [
        (
            Cell(cell.benchmark),
            Cell(cell.task),
            Cell.count(cell.n),
            Cell.number(cell.r, interval=Interval.known(cell.low, cell.high), best=cell.significant),
            Cell.number(cell.p, 4),
            *([Cell.number(cell.adjusted_p, 4)] if adjusts else []),
            Cell.number(cell.rho),
            Cell.number(cell.rho_p, 4),
            Cell(f"{decimal(cell.without, 2)} without {cell.influential}" if cell.influential else ""),
            *([Cell(", ".join(cell.left_out))] if lacking else []),
        )
        for cell in result.cells
    ]
    return Table(
        id=block_id("prediction", name, "all"),
        caption="Every correlation: Pearson's r and, beside it, Spearman's rho.",
        columns=(
            Column("Benchmark"),
            Column("Task"),
            *(Column(each, numeric=True) for each in columns),
            Column("Without one", note="What r would be without the model that changes it most."),
            *([Column("Left out", note="Models that lack one of the two scores.")] if lacking else []),
        ),
        rows=tuple(rows),
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
