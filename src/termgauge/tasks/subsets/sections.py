"""Sets in bands of a property: lines over the bands as in figures 1 to 4 of Chiu et al. (2018), values and trends."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Cell, Column, Figure, Interval, Prose, Section, Table, WinsLosses, block_id
from termgauge.reporting.plots.canvas import KeyEntry
from termgauge.reporting.plots.lines import LinePanel, LinePlot, LinePoint
from termgauge.reporting.set_names import SHORT_STATISTICS, STATISTICS, groups_of, titled
from termgauge.reporting.words import capitalised, corrected, counted, decimal, headed, named, number, plain
from termgauge.statistics.comparison import wins_and_losses
from termgauge.tasks.shown import style_of, superscript_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.reporting.set_names import TitledSet
    from termgauge.tasks.contract import About
    from termgauge.tasks.subsets.result import BandRecord, Estimate, SetSubsets, SubsetsResult

_FEW_SETS = 3
"""The tables of so many sets are open."""
_FEW_ROWS = 12


def subset_sections(result: SubsetsResult, about: About) -> Iterator[Section]:
    """Yield what was found about the bands of all sets."""
    name, first = about.name, next(iter(result.sets.values()))
    sets = [
        titled(one.set, graded=one.statistic == "spearman", statistic=one.statistic) for one in result.sets.values()
    ]
    blocks: list[Block] = [Prose(tuple(_about(result)))]
    blocks += [_figure(name, result, group.id, group.sets) for group in groups_of(sets)]
    blocks += [_values_table(name, result, one, folded=at >= _FEW_SETS) for at, one in enumerate(sets)]
    blocks.append(_bands_table(name, result, sets))
    yield Section(block_id("subsets", name), headed(f"Subsets by {plain(first.property)}", name), tuple(blocks))


def _about(result: SubsetsResult) -> Iterator[str]:
    first = next(iter(result.sets.values()))
    which = "both of its words are" if first.of == "words" else "its value is"
    yield f"The sets are divided by {plain(first.property)}: {plain(first.meaning)}. A pair is in a band if {which}."
    tested = "a straight line over the bands" if first.ordered else "any difference between kinds"
    yield (
        f"Each model is tested for {tested} on the pairs that it can score, {corrected(result.correction)} for the "
        f"number of models; intervals have level {decimal(1 - result.alpha, 2)}, each alone."
    )
    yield from _trends(result)
    if result.skipped:
        why = plain(next(iter(result.skipped.values())))
        first_of = plural(len(result.skipped), ":", "; the first:")
        yield f"{capitalised(counted(len(result.skipped), 'set'))} could not be divided{first_of} {why}"


def _trends(result: SubsetsResult) -> Iterator[str]:
    """Name the models whose value differs between bands by more than chance."""
    courses: dict[str, list[tuple[str, str]]] = {}
    for subsets in result.sets.values():
        for model, trend in subsets.trends.items():
            if trend.significant:
                course = "differ between kinds" if trend.change is None else "rise" if trend.change > 0 else "fall"
                courses.setdefault(course, []).append((model, subsets.set))
    for course, trends in courses.items():
        models, sets = (list(dict.fromkeys(column)) for column in zip(*trends, strict=True))
        over = "" if course.startswith("differ") else " from the first band to the last"
        yield f"Values of {named(models)} {course}{over} (on {counted(len(sets), 'set')})."
    if not courses:
        yield "No trend is shown for any model."


def _figure(name: str, result: SubsetsResult, group: str, sets: Sequence[TitledSet]) -> Figure:
    several = [result.sets[one.id] for one in sets]
    models = list(dict.fromkeys(model for subsets in result.sets.values() for model in subsets.trends))
    first = several[0]
    what = SHORT_STATISTICS.get(first.statistic, first.statistic)

    def point(band: BandRecord, model: str) -> LinePoint | None:
        in_band = band.models.get(model)
        if in_band is None or in_band.value is None:
            return None
        value = f"{what} {decimal(in_band.value, 3)} on {number(in_band.n)} of {number(band.pairs)} pairs"
        return LinePoint(in_band.value, *in_band.interval, f"{model}, {band.title}: {value}")

    panels, described = [], []
    for one, subsets in zip(sets, several, strict=True):
        points = {model: [point(band, model) for band in subsets.bands] for model in models}
        panels.append(LinePanel(one.title, [band.short for band in subsets.bands], points))
        values = {model: ", ".join(decimal(at.value, 2) for at in points[model] if at) for model in subsets.trends}
        described.append(f"{one.title}: {', '.join(f'{model} {line}' for model, line in values.items())}")
    key = [KeyEntry(model, *style_of(at)) for at, model in enumerate(models)]
    plot = LinePlot(panels, key, f"{what} over bands of {first.property}", joined=first.ordered)
    return Figure(
        id=block_id("subsets-lines", group, name),
        caption=f"{capitalised(STATISTICS.get(first.statistic, first.statistic))} over bands of {first.property}, with "
        "intervals; each model on the pairs that it can score.",
        description="; ".join(described) + ".",
        draw=plot.draw,
        data=_frame(several),
    )


def _frame(several: Sequence[SetSubsets]) -> pl.DataFrame:
    """Return all digits."""
    numbers = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64}
    schema = {"set": pl.String, "band": pl.String, "band_low": pl.Float64, "band_high": pl.Float64, "pairs": pl.Int64}
    schema |= {"model": pl.String, "statistic": pl.String, **numbers}
    schema |= {f"shared_{name}": kind for name, kind in numbers.items()}

    def flat(estimate: Estimate | None) -> tuple[float | None, ...]:
        return (estimate.value, *estimate.interval, estimate.n) if estimate else (None,) * len(numbers)

    rows = [
        (
            *(subsets.set, band.title, band.low, band.high, band.pairs, model, subsets.statistic),
            *(*flat(in_band), *flat(in_band.shared)),
        )
        for subsets in several
        for band in subsets.bands
        for model, in_band in band.models.items()
    ]
    return pl.DataFrame(rows, schema, orient="row")


def _values_table(name: str, result: SubsetsResult, titled_set: TitledSet, *, folded: bool) -> Table:
    subsets = result.sets[titled_set.id]
    what = STATISTICS.get(subsets.statistic, subsets.statistic)
    tested = [Column.number("p", note=f"Of no {'trend' if subsets.ordered else 'difference between kinds'}, corrected")]
    if subsets.ordered:
        straight = "From the first band to the last, on the straight line through all"
        tested = [Column.number("Change", note=straight), *tested]
    rows = []
    for model, trend in subsets.trends.items():
        cells = [_cell(band, model) for band in subsets.bands]
        change = Cell.number(trend.change, signed=True, top=None, interval=Interval.known(trend.low, trend.high))
        p = Cell.number(trend.adjusted_p, best=trend.significant, top=None)
        rows.append((model, *cells, *((change, p) if subsets.ordered else (p,))))
    notes = [
        f"{note} Models are compared with each other in each band on the pairs that all can score."
        for note in superscript_note(list(subsets.trends), result.correction)
    ]
    bands = (Column.number(band.short, note=numbered(band.pairs, "pair")) for band in subsets.bands)
    return Table.from_rows(
        block_id("subsets-values", titled_set.id, name),
        f"{titled_set.title}: {what} in bands of {subsets.property}, on the pairs that each model can score.",
        ("Model", *bands, *tested),
        rows,
        notes=(*notes, *subsets.notes),
        data=_frame([subsets]),
        folded=folded,
    )


def _cell(band: BandRecord, model: str) -> Cell:
    in_band = band.models.get(model)
    if in_band is None:
        return Cell.number(None)
    note = f"on {number(in_band.n)} of {number(band.pairs)} pairs"
    against = WinsLosses(*wins_and_losses(model, band.differences))
    return Cell.number(in_band.value, against=against, interval=Interval.known(*in_band.interval), note=note)


def _bands_table(name: str, result: SubsetsResult, sets: Sequence[TitledSet]) -> Table:
    """Return how many pairs the bands have, and what these are like (tables 10 and 11 of Chiu et al.)."""
    several = [(one.title, result.sets[one.id]) for one in sets]
    rated = any(subsets.statistic == "spearman" for _title, subsets in several)
    labelled = any(subsets.statistic != "spearman" for _title, subsets in several)
    spread = any(subsets.spread is not None for _title, subsets in several)
    deviation = Column(
        "Mean SD", True, "Of the ratings of a pair, n - 1", cell=partial(Cell.number, digits=4, top=None)
    )
    columns = {"set": Column("Set"), "band": Column("Band"), "pairs": Column.count("Pairs")}
    columns |= {"positives": Column.count("Positives")} if labelled else {}
    columns |= {"score": Column("Mean score", True, cell=partial(Cell.number, top=None))} if rated else {}
    columns |= {"spread": deviation} if spread else {}
    rows: list[dict[str, object]] = []
    for title, subsets in several:
        rows += [{"set": title, "band": band.title, **band.model_dump(include=set(columns))} for band in subsets.bands]
        if subsets.spread is not None:
            rows.append({"set": title, "band": "mean of the bands", "spread": subsets.spread})
        rows.append({"set": title, "band": "in no band", "pairs": subsets.outside})
    return Table.from_rows(
        block_id("subsets-bands", name),
        "The bands: how many pairs each has, and what they are like.",
        columns.values(),
        ([row.get(key, Cell("")) for key in columns] for row in rows),
        sortable=False,
        folded=len(rows) > _FEW_ROWS,
    )
