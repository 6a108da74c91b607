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
)
from termgauge.statistics.comparison import wins_and_losses
from termgauge.tasks.shown import style_of, superscript_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.reporting.set_names import TitledSet
    from termgauge.tasks.contract import About
    from termgauge.tasks.subsets.result import BandRecord, Estimate, ModelInBand, SetSubsets, SubsetsResult

_FEW_SETS = 3
"""So many sets are told of in sentences, and their tables are open."""
_FEW_ROWS = 12
_FEW_PAIRS = 20


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
        yield from _summary(result)
    tested = "for any difference between kinds" if not first.ordered else "for a straight line over the bands"
    yield (
        f"Each model is tested {tested} on the pairs that it can score, {corrected(result.correction)} for the number "
        f"of models; intervals have level {decimal(1 - result.alpha, 2)}, and pairs that share a concept are not taken "
        "as independent."
    )
    if result.skipped:
        why = plain(next(iter(result.skipped.values())))
        first_of = plural(len(result.skipped), ":", "; the first:")
        yield f"{capitalised(counted(len(result.skipped), 'set'))} could not be divided{first_of} {why}"


def _models(several: Sequence[SetSubsets]) -> list[str]:
    return list(dict.fromkeys(model for subsets in several for model in subsets.trends))


def _figure(name: str, result: SubsetsResult, group: str, sets: Sequence[TitledSet]) -> Figure:
    several = [result.sets[each.id] for each in sets]
    everybody = _models(list(result.sets.values()))
    models = _models(several)
    panels = [
        LinePanel(
            each.title,
            [band.short for band in subsets.bands],
            {model: [_point(subsets, band, model) for band in subsets.bands] for model in models},
        )
        for each, subsets in zip(sets, several, strict=True)
    ]
    statistic, first = several[0].statistic, several[0]
    plot = LinePlot(
        panels,
        [KeyEntry(model, *style_of(everybody.index(model))) for model in models],
        f"{SHORT_STATISTICS.get(statistic, statistic)} over bands of {first.property}",
        joined=first.ordered,
    )
    return Figure(
        id=block_id("subsets-lines", group, name),
        caption=f"{capitalised(STATISTICS.get(statistic, statistic))} over bands of {first.property}, with intervals; "
        "each model on the pairs that it can score.",
        description="; ".join(f"{each.title}: {_in_words(result.sets[each.id])}" for each in sets) + ".",
        draw=plot.draw,
        data=_frame(several),
    )


def _point(subsets: SetSubsets, band: BandRecord, model: str) -> LinePoint | None:
    found = band.models.get(model)
    if found is None or found.value is None:
        return None
    what = SHORT_STATISTICS.get(subsets.statistic, subsets.statistic)
    tip = f"{model}, {band.title}: {what} {decimal(found.value, 3)} on {number(found.n)} of {number(band.pairs)} pairs"
    return LinePoint(found.value, *found.interval, tip)


def _in_words(subsets: SetSubsets) -> str:
    parts = []
    for model in subsets.trends:
        values = [decimal(each.value, 2) for band in subsets.bands if (each := band.models.get(model))]
        parts.append(f"{model} {', '.join(values)}")
    return ", ".join(parts)


def _frame(several: Sequence[SetSubsets]) -> pl.DataFrame:
    """Return all digits."""
    texts, numbers = dict.fromkeys(("set", "band"), pl.String), ("value", "low", "high")
    schema = {**texts, "band_low": pl.Float64, "band_high": pl.Float64, "pairs": pl.Int64, "model": pl.String}
    schema |= {"statistic": pl.String, **dict.fromkeys(numbers, pl.Float64), "n": pl.Int64}
    schema |= {f"shared_{number}": pl.Float64 for number in numbers} | {"shared_n": pl.Int64}
    rows = [
        (
            *(subsets.set, band.title, band.low, band.high, band.pairs, model, subsets.statistic),
            *(number for estimate in (own, own.shared) for number in _flat(estimate)),
        )
        for subsets in several
        for band in subsets.bands
        for model, own in band.models.items()
    ]
    return pl.DataFrame(rows, schema, orient="row")


def _flat(estimate: Estimate | None) -> tuple[float | None, ...]:
    return (None,) * 4 if estimate is None else (estimate.value, *estimate.interval, estimate.n)


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
        notes=(*notes, *_coverage_note(subsets), *_small_note(subsets), *subsets.notes),
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


def _coverage_note(subsets: SetSubsets) -> tuple[str, ...]:
    """Name the models that cannot score many pairs of a band: that, too, is how a model fails."""
    lacking: list[tuple[str, str, ModelInBand, int]] = [
        (model, band.title, found, band.pairs)
        for band in subsets.bands
        for model, found in band.models.items()
        if found.n < 0.9 * band.pairs
    ]
    if not lacking:
        return ()
    model, band, found, pairs = min(lacking, key=lambda each: each[2].n / each[3])
    others = len({each[0] for each in lacking}) - 1
    score = numbered(others, "other model also scores", "other models also score")
    more = f" ({score} less than 90 % of a band)" if others else ""
    return (f"{model} can score only {number(found.n)} of the {number(pairs)} pairs of the band '{band}'{more}.",)


def _small_note(subsets: SetSubsets) -> tuple[str, ...]:
    """Name bands in which hardly anything can be seen."""
    small = [f"'{band.title}' ({number(band.pairs)})" for band in subsets.bands if band.pairs < _FEW_PAIRS]
    few = f"Bands with few pairs, whose values say little: {', '.join(small)}."
    return (few,) if small else ()


def _bands_table(name: str, result: SubsetsResult, sets: Sequence[TitledSet]) -> Table:
    """Return how many pairs the bands have, and what these are like (tables 10 and 11 of Chiu et al.)."""
    rated = any(subsets.statistic == "spearman" for subsets in result.sets.values())
    spread = any(subsets.spread is not None for subsets in result.sets.values())
    labelled = any(subsets.statistic != "spearman" for subsets in result.sets.values())
    columns = [Column("Set"), Column("Band"), Column.count("Pairs")]
    columns += [Column.count("Positives")] if labelled else []
    columns += [Column.number("Mean score")] if rated else []
    columns += [Column.number("Mean SD", 4, "Of the ratings of a pair, n - 1")] if spread else []
    rows: list[dict[str, str | int | Cell | None]] = []
    for each in sets:
        subsets = result.sets[each.id]
        rows += [
            {
                "Set": each.title,
                "Band": band.title,
                "Pairs": band.pairs,
                "Positives": band.positives,
                "Mean score": Cell.number(band.score, top=None),
                "Mean SD": Cell.number(band.spread, 4, top=None),
            }
            for band in subsets.bands
        ]
        if subsets.spread is not None:
            mean = Cell.number(subsets.spread, 4, top=None)
            rows.append({"Set": each.title, "Band": "mean of the bands", "Mean SD": mean})
        rows.append({"Set": each.title, "Band": "in no band", "Pairs": subsets.outside})
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
_MOST_LINES = 6


def ends_of(subsets: SetSubsets) -> tuple[str, str]:
    """Return what the low and the high end of a property are called."""
    of = "words" if subsets.of == "words" else "pairs"
    return _ENDS.get(subsets.property, (f"{of} with a low {subsets.property}", f"{of} with a high {subsets.property}"))


def trend_sentences(subsets: SetSubsets) -> list[str]:
    """Say for each model how its value goes over the bands of a set, and whether that is more than chance."""
    if len(subsets.bands) < 2:
        return ["There is only one band, so that nothing can be compared."]
    return [_sentence(subsets, model) for model in subsets.trends]


def _sentence(subsets: SetSubsets, model: str) -> str:
    what, trend = SHORT_STATISTICS.get(subsets.statistic, subsets.statistic), subsets.trends[model]
    found = [(band.title, each.value) for band in subsets.bands if (each := band.models.get(model)) is not None]
    values = [(title, value) for title, value in found if value is not None]
    if len(values) < 2 or trend.p_value is None:
        return f"{bold(model)}: too few pairs in the bands to say how {what} goes over them."
    proven = trend.significant
    if not subsets.ordered:
        (low, least), (high, most) = min(values, key=lambda each: each[1]), max(values, key=lambda each: each[1])
        verdict = "real" if proven else "not shown to be more than chance"
        return (
            f"{bold(model)}: {what} is lowest for '{low}' ({decimal(least, 2)}) and highest for '{high}' "
            f"({decimal(most, 2)}); the difference between kinds is {verdict}{_p(trend.adjusted_p)}."
        )
    course = f"{what} {_course([value for _title, value in values])} over the bands"
    if not proven:
        return f"{bold(model)}: {course}; a trend is not shown{_p(trend.adjusted_p)}."
    harder = ends_of(subsets)[0 if (trend.change or 0.0) > 0 else 1]
    return f"{bold(model)} finds {harder} harder: {course}; the trend is real{_p(trend.adjusted_p)}."


def _course(values: Sequence[float]) -> str:
    """Say how values go: from one to another if they never turn, else each of them."""
    ends = f"from {decimal(values[0], 2)} to {decimal(values[-1], 2)}"
    if all(one <= other for one, other in pairwise(values)):
        return f"rises {ends}" if values[0] < values[-1] else f"stays at {decimal(values[0], 2)}"
    if all(one >= other for one, other in pairwise(values)):
        return f"falls {ends}"
    return f"goes {', '.join(decimal(value, 2) for value in values)}"


def _p(value: float | None) -> str:
    if value is None:
        return ""
    return " (p < 0.001)" if value < 0.001 else f" (p = {decimal(value, 3)})"


def outside_sentence(subsets: SetSubsets) -> str:
    """Say how many pairs are in no band, and why."""
    inside = subsets.pairs - subsets.outside
    if not subsets.outside:
        return (
            f"All {number(subsets.pairs)} pairs are in a band." if subsets.pairs != 1 else "The one pair is in a band."
        )
    apart = subsets.outside - subsets.unknown
    why = []
    if subsets.unknown:
        have = plural(subsets.unknown, "has", "have")
        why.append(f"{number(subsets.unknown)} {have} {'a word without a' if subsets.of == 'words' else 'no'} value")
    if apart:
        words = f"{plural(apart, 'has', 'have')} words of different bands, or outside all"
        beyond = words if subsets.of == "words" else f"{plural(apart, 'lies', 'lie')} outside all bands"
        why.append(f"{number(apart)} {beyond}")
    others = f"Of the {number(subsets.outside)} others, {listed(why)}"
    if len(why) == 1:
        others = (
            f"The {plural(subsets.outside, 'other', f'{number(subsets.outside)} others')} {why[0].partition(' ')[2]}"
        )
    are = plural(inside, "is", "are")
    return f"{number(inside)} of the {numbered(subsets.pairs, 'pair')} {are} in a band. {others}."


def summary(result: SubsetsResult, about: About) -> tuple[str, ...]:  # noqa: ARG001
    """Say which models find which end of the property harder, for the top of a report."""
    return _summary(result)


def _summary(result: SubsetsResult) -> tuple[str, ...]:
    """Say which models find which end of the property harder, over all sets."""
    ordered = [each for each in result.sets.values() if each.ordered]
    if not ordered:
        return ()
    first = ordered[0]
    falls: dict[str, list[str]] = {}
    rises: dict[str, list[str]] = {}
    for subsets in ordered:
        for model, trend in subsets.trends.items():
            if trend.significant and trend.change is not None:
                (rises if trend.change > 0 else falls).setdefault(model, []).append(subsets.set)
    low, high = ends_of(first)
    lines = []
    for harder, found in ((low, rises), (high, falls)):
        if found:
            where = counted(len({name for names in found.values() for name in names}), "set")
            lines.append(f"{capitalised(harder)} are harder than others for {named(list(found))} (on {where}).")
    if not lines:
        where = (
            titled(first.set, graded=first.statistic == "spearman").title
            if len(ordered) == 1
            else (f"{len(ordered)} sets")
        )
        lines.append(f"No trend over bands of {first.property} is shown for any model on {where}.")
    return tuple(lines[:_MOST_LINES])
