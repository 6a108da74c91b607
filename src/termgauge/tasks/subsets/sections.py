"""Sets in bands of a property: lines over the bands as in figures 1 to 4 of Chiu et al. (2018), values and trends."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Cell, Column, Figure, Interval, Prose, Section, Table, WinsLosses, block_id
from termgauge.reporting.plots.canvas import KeyEntry
from termgauge.reporting.plots.lines import LinePanel, LinePlot, LinePoint
from termgauge.reporting.set_names import SHORT_STATISTICS, STATISTICS, groups_of, titled
from termgauge.reporting.words import (
    bold,
    capitalised,
    corrected,
    counted,
    decimal,
    headed,
    listed,
    named,
    number,
    plain,
    share,
)
from termgauge.statistics.comparison import wins_and_losses
from termgauge.tasks.shown import style_of, superscript_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.reporting.set_names import TitledSet
    from termgauge.tasks.contract import About
    from termgauge.tasks.subsets.result import BandRecord, Estimate, SetSubsets, SubsetsResult

_FEW_SETS = 3
"""So many sets are told of in sentences, and their tables are open."""
_FEW_ROWS = 12
_FEW_PAIRS = 20
_NEARLY_ALL = 0.9


def subset_sections(result: SubsetsResult, about: About) -> Iterator[Section]:
    """Yield what was found about the bands of all sets."""
    name, first = about.name, next(iter(result.sets.values()))
    sets = [
        titled(each.set, graded=each.statistic == "spearman", statistic=each.statistic) for each in result.sets.values()
    ]
    blocks: list[Block] = [Prose(tuple(_about(result)))]
    blocks += [_figure(name, result, group.id, group.sets) for group in groups_of(sets)]
    blocks += [_values_table(name, result, each, folded=at >= _FEW_SETS) for at, each in enumerate(sets)]
    blocks.append(_bands_table(name, result, sets))
    yield Section(block_id("subsets", name), headed(f"Subsets by {plain(first.property)}", name), tuple(blocks))


def _about(result: SubsetsResult) -> Iterator[str]:
    first = next(iter(result.sets.values()))
    which = "both of its words are" if first.of == "words" else "its value is"
    yield f"The sets are divided by {plain(first.property)}: {plain(first.meaning)}. A pair is in a band if {which}."
    if len(result.sets) <= _FEW_SETS:
        for name, subsets in result.sets.items():
            several = f"{plain(name)}: " if len(result.sets) > 1 else ""
            yield from (several + each for each in (outside_sentence(subsets), *trend_sentences(subsets)))
    else:
        yield from summary(result)
    tested = "a straight line over the bands" if first.ordered else "any difference between kinds"
    yield (
        f"Each model is tested for {tested} on the pairs that it can score, {corrected(result.correction)} for the "
        f"number of models; intervals have level {decimal(1 - result.alpha, 2)}, each alone."
    )
    if result.skipped:
        why = plain(next(iter(result.skipped.values())))
        first_of = plural(len(result.skipped), ":", "; the first:")
        yield f"{capitalised(counted(len(result.skipped), 'set'))} could not be divided{first_of} {why}"


def _figure(name: str, result: SubsetsResult, group: str, sets: Sequence[TitledSet]) -> Figure:
    several = [result.sets[each.id] for each in sets]
    everybody = list(dict.fromkeys(model for subsets in result.sets.values() for model in subsets.trends))
    models = [model for model in everybody if any(model in subsets.trends for subsets in several)]
    first = several[0]
    what = SHORT_STATISTICS.get(first.statistic, first.statistic)

    def point(band: BandRecord, model: str) -> LinePoint | None:
        found = band.models.get(model)
        if found is None or found.value is None:
            return None
        value = f"{what} {decimal(found.value, 3)} on {number(found.n)} of {number(band.pairs)} pairs"
        return LinePoint(found.value, *found.interval, f"{model}, {band.title}: {value}")

    panels = [
        LinePanel(
            each.title,
            [band.short for band in subsets.bands],
            {model: [point(band, model) for band in subsets.bands] for model in models},
        )
        for each, subsets in zip(sets, several, strict=True)
    ]
    plot = LinePlot(
        panels,
        [KeyEntry(model, *style_of(everybody.index(model))) for model in models],
        f"{what} over bands of {first.property}",
        joined=first.ordered,
    )
    return Figure(
        id=block_id("subsets-lines", group, name),
        caption=f"{capitalised(STATISTICS.get(first.statistic, first.statistic))} over bands of {first.property}, with "
        "intervals; each model on the pairs that it can score.",
        description="; ".join(f"{each.title}: {_in_words(result.sets[each.id])}" for each in sets) + ".",
        draw=plot.draw,
        data=_frame(several),
    )


def _in_words(subsets: SetSubsets) -> str:
    return ", ".join(
        f"{model} {', '.join(decimal(value, 2) for _, value in subsets.values_of(model))}" for model in subsets.trends
    )


def _frame(several: Sequence[SetSubsets]) -> pl.DataFrame:
    """Return all digits."""
    numbers = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64}
    schema = {"set": pl.String, "band": pl.String, "band_low": pl.Float64, "band_high": pl.Float64, "pairs": pl.Int64}
    schema |= {"model": pl.String, "statistic": pl.String, **numbers}
    schema |= {f"shared_{name}": kind for name, kind in numbers.items()}

    def flat(found: Estimate | None) -> tuple[float | None, ...]:
        return (found.value, *found.interval, found.n) if found else (None,) * len(numbers)

    rows = [
        (
            *(subsets.set, band.title, band.low, band.high, band.pairs, model, subsets.statistic),
            *(*flat(own), *flat(own.shared)),
        )
        for subsets in several
        for band in subsets.bands
        for model, own in band.models.items()
    ]
    return pl.DataFrame(rows, schema, orient="row")


def _values_table(name: str, result: SubsetsResult, each: TitledSet, *, folded: bool) -> Table:
    subsets = result.sets[each.id]
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
    notes = superscript_note(list(subsets.trends), result.correction)
    if notes:
        notes = (f"{notes[0]} Models are compared with each other in each band on the pairs that all can score.",)
    bands = (Column.number(band.short, note=numbered(band.pairs, "pair")) for band in subsets.bands)
    return Table.from_rows(
        block_id("subsets-values", each.id, name),
        f"{each.title}: {what} in bands of {subsets.property}, on the pairs that each model can score.",
        ("Model", *bands, *tested),
        rows,
        notes=(*notes, *_notes(subsets), *subsets.notes),
        data=_frame([subsets]),
        folded=folded,
    )


def _cell(band: BandRecord, model: str) -> Cell:
    found = band.models.get(model)
    if found is None:
        return Cell.number(None)
    note = f"on {number(found.n)} of {number(band.pairs)} pairs"
    shared = found.shared
    if shared is not None and shared.n != found.n and shared.value is not None:
        note += f"; {decimal(shared.value, 3)} on the {number(shared.n)} that all models can score"
    against = WinsLosses(*wins_and_losses(model, band.differences))
    return Cell.number(found.value, against=against, interval=Interval.known(*found.interval), note=note)


def _notes(subsets: SetSubsets) -> Iterator[str]:
    """Name the model that lacks most of a band, for that, too, is how a model fails; and bands that say little."""
    shares = [
        (found.n / band.pairs, model, band.title)
        for band in subsets.bands
        for model, found in band.models.items()
        if found.n < _NEARLY_ALL * band.pairs
    ]
    if shares:
        least, model, band = min(shares)
        others = len({each[1] for each in shares}) - 1
        more = (
            f"; {counted(others, 'other model lacks', 'other models lack')} more than 10 % of a band" if others else ""
        )
        yield f"{model} can score only {share(least)} of the pairs of the band '{band}'{more}."
    small = [f"'{band.title}' ({number(band.pairs)})" for band in subsets.bands if band.pairs < _FEW_PAIRS]
    if small:
        yield f"Bands with few pairs, whose values say little: {', '.join(small)}."


def _bands_table(name: str, result: SubsetsResult, sets: Sequence[TitledSet]) -> Table:
    """Return how many pairs the bands have, and what these are like (tables 10 and 11 of Chiu et al.)."""
    several = [(each.title, result.sets[each.id]) for each in sets]
    rated = any(subsets.statistic == "spearman" for _title, subsets in several)
    labelled = any(subsets.statistic != "spearman" for _title, subsets in several)
    spread = any(subsets.spread is not None for _title, subsets in several)
    columns = [Column("Set"), Column("Band"), Column.count("Pairs")]
    columns += [Column.count("Positives")] if labelled else []
    columns += [Column.number("Mean score")] if rated else []
    columns += [Column.number("Mean SD", 4, "Of the ratings of a pair, n - 1")] if spread else []

    def deviation(value: float | None) -> Cell:
        return Cell.number(value, 4, top=None)

    rows: list[dict[str, str | int | Cell | None]] = []
    for title, subsets in several:
        for band in subsets.bands:
            score, of_pairs = Cell.number(band.score, top=None), {"Pairs": band.pairs, "Positives": band.positives}
            own = {**of_pairs, "Mean score": score, "Mean SD": deviation(band.spread)}
            rows.append({"Set": title, "Band": band.title, **own})
        if subsets.spread is not None:
            rows.append({"Set": title, "Band": "mean of the bands", "Mean SD": deviation(subsets.spread)})
        rows.append({"Set": title, "Band": "in no band", "Pairs": subsets.outside})
    return Table.from_rows(
        block_id("subsets-bands", name),
        "The bands: how many pairs each has, and what they are like.",
        columns,
        ([row.get(column.heading, Cell("")) for column in columns] for row in rows),
        sortable=False,
        folded=len(rows) > _FEW_ROWS,
    )


_ENDS = {
    "frequency": ("rare words", "frequent words"),
    "breadth": ("words of few subjects", "words of many subjects"),
    "senses": ("terms with few senses", "terms with many senses"),
    "spread": ("pairs that raters agree on", "pairs that raters disagree on"),
    "score": ("pairs of low scores", "pairs of high scores"),
    "edit-distance": ("pairs that are spelled alike", "pairs that are spelled differently"),
    "words": ("short terms", "long terms"),
    "depth": ("general concepts", "specific concepts"),
}


def ends_of(subsets: SetSubsets) -> tuple[str, str]:
    """Return what the low and the high end of a property are called."""
    of, name = subsets.of, subsets.property
    return _ENDS.get(name, (f"{of} with a low {name}", f"{of} with a high {name}"))


def trend_sentences(subsets: SetSubsets) -> list[str]:
    """Say for each model how its value goes over the bands of a set, and whether that is more than chance."""
    if len(subsets.bands) < 2:
        return ["There is only one band, so that nothing can be compared."]
    return [_sentence(subsets, model) for model in subsets.trends]


def _sentence(subsets: SetSubsets, model: str) -> str:
    what, trend = SHORT_STATISTICS.get(subsets.statistic, subsets.statistic), subsets.trends[model]
    values = subsets.values_of(model)
    if len(values) < 2 or trend.p_value is None:
        return f"{bold(model)}: too few pairs in the bands to say how {what} goes over them."
    p = f"p {'< 0.001' if (trend.adjusted_p or 0.0) < 0.001 else f'= {decimal(trend.adjusted_p, 3)}'}"
    if not subsets.ordered:
        (low, least), (high, most) = (end(values, key=lambda each: each[1]) for end in (min, max))
        course = f"{what} is lowest for '{low}' ({decimal(least, 2)}) and highest for '{high}' ({decimal(most, 2)})"
        return f"{bold(model)}: {course}; {'kinds differ' if trend.significant else 'no difference is shown'} ({p})."
    course = f"{what} {_course([value for _, value in values])} over the bands"
    if not trend.significant:
        return f"{bold(model)}: {course}; no trend is shown ({p})."
    return f"{bold(model)} finds {ends_of(subsets)[0 if (trend.change or 0.0) > 0 else 1]} harder: {course} ({p})."


def _course(values: Sequence[float]) -> str:
    """Say how values go: from one to another if they never turn, else each of them."""
    ends = f"from {decimal(values[0], 2)} to {decimal(values[-1], 2)}"
    if all(one <= other for one, other in pairwise(values)):
        return f"rises {ends}" if values[0] < values[-1] else f"stays at {decimal(values[0], 2)}"
    if all(one >= other for one, other in pairwise(values)):
        return f"falls {ends}"
    return f"goes {', '.join(decimal(value, 2) for value in values)}"


def outside_sentence(subsets: SetSubsets) -> str:
    """Say how many pairs are in no band, and why."""
    inside, apart = subsets.pairs - subsets.outside, subsets.outside - subsets.unknown
    lacking = "have a word without a value" if subsets.of == "words" else "have no value"
    beyond = "have words of different bands, or outside all" if subsets.of == "words" else "lie outside all bands"
    why = [f"{number(n)} {what}" for n, what in ((subsets.unknown, lacking), (apart, beyond)) if n]
    others = f"; of the others {listed(why)}" if why else ""
    return f"{number(inside)} of {numbered(subsets.pairs, 'pair')} {plural(inside, 'is', 'are')} in a band{others}."


def summary(result: SubsetsResult) -> tuple[str, ...]:
    """Say which models find which end of the property harder, over all sets."""
    ordered = [each for each in result.sets.values() if each.ordered]
    if not ordered:
        return ()
    lines = []
    for end, harder in enumerate(ends_of(ordered[0])):
        found = [
            (model, subsets.set)
            for subsets in ordered
            for model, trend in subsets.trends.items()
            if trend.significant and trend.change is not None and (trend.change > 0) == (end == 0)
        ]
        if found:
            models, sets = (list(dict.fromkeys(column)) for column in zip(*found, strict=True))
            where = counted(len(sets), "set")
            lines.append(f"{capitalised(harder)} are harder than others for {named(models)} (on {where}).")
    where = counted(len(ordered), "set")
    return tuple(lines) or (f"No trend over bands of {ordered[0].property} is shown for any model on {where}.",)
