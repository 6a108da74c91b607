"""Each group of sets: a table of all models with intervals and significance, and a plot of the same."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Cell, Column, Figure, Interval, Prose, Section, Table, block_id
from termgauge.reporting.plots.canvas import ACCENT, INK, MUTED, QUIET, KeyEntry
from termgauge.reporting.plots.dots import CEILING, Dot, DotPanel, DotPlot
from termgauge.reporting.set_names import STATISTICS, with_terminology
from termgauge.reporting.words import bold, capitalised, corrected, counted, decimal, listed, lowered, number
from termgauge.tasks.pairs.results import OF_BINARY, OF_GRADED
from termgauge.tasks.shown import BASELINE_SHAPE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.reporting.set_names import SetGroup, TitledSet
    from termgauge.tasks.pairs.sections.standings import Standing, Standings

TOP, WORSE, ALONE = "best, or not significantly worse", "significantly worse", "not compared"
_COLOURS = {TOP: ACCENT, WORSE: MUTED, ALONE: QUIET}
_ABOUT = {
    "fsn-syn": "Positive pairs are a concept's name and one of its synonyms.",
    "syn-syn": "Positive pairs are any two names or synonyms of one concept.",
    "possibly-equivalent-to": "Positive pairs are a retired, ambiguous concept and one that it may mean.",
    "replaced-by": "Positive pairs are a retired concept and the one that replaced it.",
    "same-as": "Positive pairs are a retired duplicate and the concept that it duplicates.",
}
_HARD = (
    "They are easy where few letters change, hard where many do; negatives are drawn at random, or are the terms that "
    "look most alike."
)
_MOST_ROWS_OF_PLOT = 30
_NO_CELL = Cell.number(None)
_NOTES_OF_OTHERS = {
    "auc": "An area of 0.5 is chance; below it, negatives score higher than positives.",
    "ap": "Chance gives the share of positive pairs.",
    "f1": "The threshold was chosen on the same pairs, so these values are optimistic.",
}


def group_sections(standings: Standings) -> list[Section]:
    """Return a section that says how to read what follows, and a part of it for each group of sets."""
    if not standings.groups:
        return []
    parts = [
        Section(f"group-{group.id}", group.title, tuple(_blocks(standings, group)), level=3)
        for group in standings.groups
    ]
    return [Section("groups", "Results by group of sets", (Prose(reading(standings)),)), *parts]


def reading(standings: Standings) -> tuple[str, ...]:
    """Say how tables of values are to be read."""
    by = {each.graded: STATISTICS[each.statistic] for each in standings.sets}
    kinds = {False: "labelled sets", True: "rated sets, between scores and ratings"}
    statistics = listed(f"{by[graded]} ({what})" for graded, what in kinds.items() if graded in by)
    text = f"Values are {statistics}, on the pairs that all models can score."
    if any(each.statistic == "accuracy" for each in standings.sets):
        text += " A threshold is chosen on the pairs that it is judged on, so that accuracy is optimistic; the "
        text += "cross-validated one, in a table of its own, is not."
    testing = standings.testing
    text += f" Intervals have level {1 - testing.alpha:.0%}."
    if not standings.comparisons or len(standings.models) < 2:
        return (text,)
    marks = (
        "A superscript such as +3\N{MINUS SIGN}1 says that a model is significantly better than three others and "
        "worse than one; **bold** marks the best value of a set and those that are not significantly worse "
        f"(alpha {testing.alpha:g}, all pairs of models on a set, {corrected(testing.correction)})."
    )
    compared = (each.comparison for each in standings.comparisons.values())
    tests = dict.fromkeys(f"{STATISTICS[each.statistic]} by {each.test}" for each in compared)
    return text, f"{marks} Tests: {'; '.join(tests)}."


def _blocks(standings: Standings, group: SetGroup) -> Iterator[Block]:
    about = [_ABOUT[group.sets[0].origin.kind] + " " + _HARD] if group.sets[0].built else []
    about += _lacking(standings, group)
    if about:
        yield Prose(tuple(about))
    yield group_table(standings, group)
    yield from filter(None, (own_table(standings, group), group_figure(standings, group)))
    yield from _other_tables(standings, group)


def _lacking(standings: Standings, group: SetGroup) -> Iterator[str]:
    """Say on which sets nothing can be compared."""
    for each in group.sets:
        if not standings.valued(each):
            pairs = standings.shared(each)
            what = f"nothing can be computed on the {numbered(pairs, 'pair')}" if pairs else "there is no pair"
            yield f"“{each.title}” has no values: {what} that all models can score."


def group_table(standings: Standings, group: SetGroup) -> Table:
    """Return the values of a group on the shared pairs: a row for each model, a column for each set."""
    columns = (
        Column.number(
            each.brief, 3, f"{each.id}: {numbered(standings.shared(each), 'pair')} that all models can score", each.over
        )
        for each in group.sets
    )
    return Table.from_rows(
        block_id("values", group.id),
        f"{capitalised(STATISTICS[group.statistic])} of each model: {lowered(group.title)}.",
        ("Model", *columns),
        _rows(standings, group, lambda each, model: [_value_cell(standings.of(each, model))]),
        _notes(standings, group),
        data=standings.frame(group.sets),
    )


def own_table(standings: Standings, group: SetGroup) -> Table | None:
    """Return the values of a group on the pairs that each model can score beside those on the shared ones.

    None where every model scores every pair, so that all of these are the same.
    """
    if all(one.coverage is None or one.coverage == 1 for each in group.sets for one in standings.on(each)):
        return None
    headings = {
        "Scored": "Share of the pairs that the model can score",
        "Own": "On all pairs that the model can score",
        "Shared": "On the pairs that all models can score",
    }
    columns = (
        Column.number(heading, 3, f"{note}: {each.id}", each.within)
        for each in group.sets
        for heading, note in headings.items()
    )
    return Table.from_rows(
        block_id("own-values", group.id),
        f"Pairs that each model can score, and its {STATISTICS[group.statistic]} on these beside that on the shared "
        f"pairs: {lowered(group.title)}.",
        ("Model", *columns),
        _rows(standings, group, lambda each, model: _own_cells(standings.of(each, model))),
        apart_notes(standings, group.sets),
        data=standings.frame(group.sets, ["coverage", group.statistic], own=True),
    )


def _rows(
    standings: Standings, group: SetGroup, cells: Callable[[TitledSet, str], Iterable[Cell]]
) -> Iterator[tuple[Cell, ...]]:
    """Yield a row for each model that was scored on a set of a group, with some cells for each set."""
    for model in standings.ranked(group.sets):
        if any(standings.of(each, model) for each in group.sets):
            what = standings.baselines.get(model)
            named = Cell(model, note=f"A baseline that knows no medicine: {what}" if what else "")
            yield named, *(cell for each in group.sets for cell in cells(each, model))


def _own_cells(one: Standing | None) -> tuple[Cell, ...]:
    if one is None:
        return (Cell.number(None, note="not scored"),) * 3
    own = Cell.number(one.own, note=f"on {numbered(one.own_n, 'pair')}")
    return Cell.share(one.coverage), own, Cell.number(one.value, note=f"on {numbered(one.n, 'pair')}")


def apart_notes(standings: Standings, sets: Sequence[TitledSet]) -> Iterator[str]:
    """Say which models score too few pairs of some sets to take part in the comparison on these."""
    names = {each: each.within for each in sets}
    if len(set(names.values())) < len(sets):  # they are of several groups
        names = {each: with_terminology(each, sets) for each in sets}
    lacking: dict[str, list[TitledSet]] = {}
    for one in (one for each in sets if standings.shared(each) for one in standings.on(each) if one.apart):
        lacking.setdefault(one.model, []).append(one.set)
    for model, some in lacking.items():
        where = f"the {plural(len(some), 'set')} {listed(f'“{names[each]}”' for each in some)}"
        where = "all of these sets" if len(some) == len(sets) > 1 else where
        yield (
            f"{bold(model)} scores too few pairs of {where} to be compared with the others: it has values on its own "
            "pairs alone (see `min_coverage`)."
        )


def _value_cell(one: Standing | None) -> Cell:
    if one is None or one.value is None:
        why = "not scored" if one is None else "too few pairs are scored" if one.apart else "undefined on these pairs"
        return Cell.number(None, note=why)
    ends = Interval.known(one.low, one.high)
    return Cell.number(one.value, against=one.against, interval=ends, best=one.top, note=f"by {one.measure}")


def _notes(standings: Standings, group: SetGroup) -> Iterator[str]:
    measures = dict.fromkeys(one.measure for each in group.sets for one in standings.on(each))
    yield f"By {', '.join(f'`{name}`' for name in measures)}."
    if not group.graded and group.statistic != "auc":
        guesses = {each: decimal(guess, 3) for each in group.sets if (guess := standings.guessing(each)) is not None}
        if guesses:
            yield f"What guessing gives: {_each_or_all(guesses)}."
    compared = {each: standings.comparisons[each.id].comparison for each in group.sets
                if each.id in standings.comparisons}  # fmt: skip
    detectable = {each: decimal(one.detectable, 3) for each, one in compared.items() if not math.isnan(one.detectable)}
    if detectable:
        yield f"Minimum detectable difference (80 % power): {_each_or_all(detectable)}."
    if known := {each: standings.ceilings[each.id] for each in group.sets if each.id in standings.ceilings}:
        said = (
            f"{each.within} {decimal(one.value, 3)} ({decimal(one.low, 3)} to {decimal(one.high, 3)}, "
            f"{counted(one.raters, 'rater')})"
            for each, one in known.items()
        )
        yield f"Ceiling that the raters' agreement sets on the correlation of any model: {'; '.join(said)}."


def _each_or_all(said: Mapping[TitledSet, str]) -> str:
    """Return what is to be said of each set; once, if it is the same of all."""
    if len(set(said.values())) == 1:
        return next(iter(said.values()))
    return "; ".join(f"{each.within} {text}" for each, text in said.items())


def _other_tables(standings: Standings, group: SetGroup) -> Iterator[Table]:
    """Yield a table for each statistic that models are not compared by, such as average precision."""
    for statistic in (each for each in (OF_GRADED if group.graded else OF_BINARY) if each != group.statistic):
        frame = standings.frame(group.sets, [statistic]).drop("wins", "losses", "not_told_from_best")
        cells = {
            (name, model): Cell.number(value, interval=Interval.known(low, high))
            for name, model, value, low, high in frame.select("set", "model", "value", "low", "high").iter_rows()
        }
        columns = (Column.number(capitalised(each.within), note=f"{statistic} on {each.id}") for each in group.sets)
        yield Table.from_rows(
            block_id("others", group.id, statistic),
            f"{capitalised(STATISTICS[statistic])}: {lowered(group.title)}.",
            ("Model", *columns),
            _rows(standings, group, partial(_known_cell, cells)),
            notes=(_NOTES_OF_OTHERS[statistic],) if statistic in _NOTES_OF_OTHERS else (),
            data=frame,
            folded=True,
        )


def _known_cell(cells: Mapping[tuple[str, str], Cell], each: TitledSet, model: str) -> tuple[Cell]:
    return (cells.get((each.id, model), _NO_CELL),)


def group_figure(standings: Standings, group: SetGroup) -> Figure | None:
    """Return a plot of the values of a group with their intervals; None if there are none."""
    order = standings.ranked_with_values(group.sets)
    shown = order[:_MOST_ROWS_OF_PLOT]
    values = {
        each: own for each in group.sets if (own := [one for one in standings.valued(each) if one.model in shown])
    }
    if not values:
        return None
    left_out = len(order) - len(shown)
    lowest = plural(left_out, "model with the lowest mean is", f"{number(left_out)} models with the lowest means are")
    name = STATISTICS[group.statistic]
    known = any(standings.guessing(each) is not None for each in values)
    bounded = any(each.id in standings.ceilings for each in values)
    guess = "no correlation" if group.graded else "what guessing gives" if known else ""
    every = [one for own in values.values() for one in own]
    looks = dict.fromkeys(look for look in _COLOURS if any(_look(one) == look for one in every))
    entries = [KeyEntry(look, _COLOURS[look]) for look in looks] if len(looks) > 1 else []
    entries += [KeyEntry("baseline", INK, BASELINE_SHAPE)] * any(one.model in standings.baselines for one in every)
    entries += [KeyEntry("ceiling", INK, "line", CEILING)] * bounded
    panels = [_panel(standings, each, own) for each, own in values.items()]
    best = ((each, max(own, key=lambda one: one.value or 0.0)) for each, own in values.items())
    return Figure(
        id=block_id("dots", group.id),
        caption=f"{capitalised(name)}, intervals of level {1 - standings.testing.alpha:.0%}: {lowered(group.title)}."
        + (f" The dashed line is {guess}." if guess else "")
        + (" The line of dashes and dots is the ceiling that the raters' agreement sets." if bounded else "")
        + (f" The {lowest} left out." if left_out else ""),
        description=f"Dots with intervals for {numbered(len(shown), 'model')}, one panel for each of "
        f"{numbered(len(values), 'set')}; "
        + "; ".join(f"{each.title}: {one.model} is highest with {decimal(one.value, 3)}" for each, one in best)
        + ".",
        draw=DotPlot(panels, shown, name, entries=tuple(entries), most=1.0).draw,
        data=pl.DataFrame(
            [
                {
                    "set": one.set.id,
                    "title": one.set.title,
                    "model": one.model,
                    "value": one.value,
                    "low": one.low,
                    "high": one.high,
                    "standing": _look(one),
                    "sort": "baseline" if one.model in standings.baselines else "model",
                    "n": one.n,
                }
                for one in every
            ]
        ),
    )


def _look(one: Standing) -> str:
    return TOP if one.top else WORSE if one.compared else ALONE


def _panel(standings: Standings, each: TitledSet, own: Sequence[Standing]) -> DotPanel:
    dots = {}
    for one in own:
        reach = f" ({decimal(one.low, 3)} to {decimal(one.high, 3)})" if one.low is not None else ""
        shape = BASELINE_SHAPE if one.model in standings.baselines else "circle"
        tip = f"{one.model}: {decimal(one.value, 3)}{reach}"
        dots[one.model] = [Dot(one.value or 0.0, one.low, one.high, _COLOURS[_look(one)], shape, tip)]
    *lines, last = each.lines
    pairs, ceiling = numbered(own[-1].n, "pair"), standings.ceilings.get(each.id)
    about = (*lines, f"{last}, {pairs}") if lines else (last, pairs)
    return DotPanel(about, dots, standings.guessing(each), ceiling.value if ceiling else None)
