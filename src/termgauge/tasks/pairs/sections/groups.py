"""Each group of sets: a table of all models with intervals and significance, and a plot of the same."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

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
_VALUES = {
    "accuracy": "accuracy at the threshold that is best for the model and set, and beside it the cross-validated one",
    "auc": "areas under the ROC curve",
    "ap": "average precision",
    "f1": "F1 at the threshold that is best for the model and set",
    "spearman": "Spearman's rho",
    "pearson": "Pearson's r",
}
_COMPARED = {
    "accuracy": "accuracies",
    "auc": "areas",
    "ap": "average precisions",
    "f1": "F1 values",
    "spearman": "correlations",
    "pearson": "correlations",
}
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
    graded = any(each.graded for each in standings.sets)
    binary = any(not each.graded for each in standings.sets)
    by = {each.graded: _VALUES[each.statistic] for each in standings.sets}
    statistics = [
        *([f"{by[False]} (labelled sets)"] if binary else []),
        *([f"{by[True]} between scores and ratings (rated sets)"] if graded else []),
    ]
    text = f"Values are {' and '.join(statistics)}, on the pairs that all models can score."
    if any(each.statistic == "accuracy" for each in standings.sets):
        text += " A threshold is chosen on the pairs that it is judged on, so that accuracy is optimistic; the "
        text += "cross-validated one is not."
    text += f" Intervals have level {1 - standings.testing.alpha:.0%}."
    if not standings.comparisons or len(standings.models) < 2:
        return (text,)
    testing = standings.testing
    marks = (
        "A superscript such as +3\N{MINUS SIGN}1 says that a model is significantly better than three others and "
        "worse than one; **bold** marks the best value of a set and those that are not significantly worse "
        f"(alpha {testing.alpha:g}, all pairs of models on a set, {corrected(testing.correction)})."
    )
    tests = dict.fromkeys(
        f"{_COMPARED[each.comparison.statistic]} by {each.comparison.test}" for each in standings.comparisons.values()
    )
    return text, f"{marks} The tests compare {'; '.join(tests)}."


def _blocks(standings: Standings, group: SetGroup) -> Iterator[Block]:
    about = [_ABOUT[group.sets[0].origin.kind] + " " + _HARD] if group.sets[0].built else []
    about += _lacking(standings, group)
    if about:
        yield Prose(tuple(about))
    yield group_table(standings, group)
    if own := own_table(standings, group):
        yield own
    figure = group_figure(standings, group)
    if figure:
        yield figure
    yield from _other_tables(standings, group)


def _lacking(standings: Standings, group: SetGroup) -> Iterator[str]:
    """Say on which sets nothing can be compared."""
    for each in group.sets:
        if standings.valued(each):
            continue
        pairs = standings.shared(each)
        what = f"the {number(pairs)} pairs" if pairs > 1 else "the one pair" if pairs else "no pair"
        yield (
            f"“{each.title}” has no values: there is {what} that all models can score."
            if not pairs
            else f"“{each.title}” has no values: nothing can be computed on {what} that all models can score."
        )


def group_table(standings: Standings, group: SetGroup) -> Table:
    """Return the values of a group on the shared pairs: a row for each model, a column or two for each set."""
    both = group.statistic == "accuracy"
    crossed = " at the best threshold, and cross-validated (CV)" if both else ""
    return Table.from_rows(
        block_id("values", group.id),
        f"{capitalised(STATISTICS[group.statistic])} of each model{crossed}: {lowered(group.title)}.",
        ("Model", *(column for each in group.sets for column in _columns(standings, each, both=both))),
        _rows(standings, group, lambda each, model: _value_cells(standings.of(each, model), both=both)),
        _notes(standings, group),
        data=standings.frame(group.sets, ["accuracy", "accuracy_cv"] if both else ()),
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
    """Say which models take no part in the comparison on some sets."""
    names = {each: each.within for each in sets}
    if len(set(names.values())) < len(sets):  # they are of several groups
        names = {each: with_terminology(each, sets) for each in sets}
    lacking: dict[str, list[TitledSet]] = {}
    for each in sets:
        for model in standings.apart(each):
            lacking.setdefault(model, []).append(each)
    for model, some in lacking.items():
        where = f"the {plural(len(some), 'set')} {listed(f'“{names[each]}”' for each in some)}"
        where = "all of these sets" if len(some) == len(sets) > 1 else where
        yield (
            f"{bold(model)} scores too few pairs of {where} to be compared with the others: it has values on its own "
            "pairs alone (see `min_coverage`)."
        )


def _columns(standings: Standings, each: TitledSet, *, both: bool) -> tuple[Column, ...]:
    note = f"{each.id}: {numbered(standings.shared(each), 'pair')} that all models can score"
    value = Column(each.brief, numeric=True, note=note, group=each.over)
    return (value, replace(value, heading=f"{each.brief} CV", note=f"Cross-validated, {note}")) if both else (value,)


def _value_cells(one: Standing | None, *, both: bool) -> tuple[Cell, ...]:
    if one is None or one.value is None:
        why = "not scored" if one is None else "too few pairs are scored" if one.apart else "undefined on these pairs"
        return (Cell.number(None, note=why),) * (2 if both else 1)
    value = Cell.number(
        one.value,
        against=one.against,
        interval=Interval.known(one.low, one.high),
        best=one.top,
        note=f"by {one.measure}",
    )
    return (value, Cell.number(one.crossed)) if both else (value,)


def _notes(standings: Standings, group: SetGroup) -> Iterator[str]:
    measures = dict.fromkeys(one.measure for each in group.sets for one in standings.on(each))
    yield f"By {', '.join(f'`{name}`' for name in measures)}."
    if not group.graded and group.statistic != "auc":
        guesses = [(each, guess) for each in group.sets if (guess := standings.guessing(each)) is not None]
        if guesses:
            yield f"What guessing gives: {_each_or_all({each: decimal(guess, 3) for each, guess in guesses})}."
    compared = {each: standings.comparisons.get(each.id) for each in group.sets}
    detectable = {
        each: one.comparison.detectable
        for each, one in compared.items()
        if one and not math.isnan(one.comparison.detectable)
    }
    if detectable:
        said = _each_or_all({each: decimal(least, 3) for each, least in detectable.items()})
        yield f"Minimum detectable difference (80 % power): {said}."
    yield from _ceilings(standings, group)


def _ceilings(standings: Standings, group: SetGroup) -> Iterator[str]:
    """Say how far any model can go, where it is known what each rater said."""
    known = {each: standings.ceilings[each.id] for each in group.sets if each.id in standings.ceilings}
    if known:
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
    """Yield a table for each statistic that models are not compared by, such as the area under the ROC curve."""
    above = {group.statistic, *(["accuracy_cv"] if group.statistic == "accuracy" else [])}
    for statistic in OF_GRADED if group.graded else OF_BINARY:
        if statistic not in above:
            yield _other_table(standings, group, statistic)


def _other_table(standings: Standings, group: SetGroup, statistic: str) -> Table:
    frame = standings.frame(group.sets, [statistic])
    values = {(row["set"], row["model"]): row for row in frame.iter_rows(named=True)}
    columns = (Column.number(capitalised(each.within), note=f"{statistic} on {each.id}") for each in group.sets)
    return Table.from_rows(
        block_id("others", group.id, statistic),
        f"{capitalised(STATISTICS[statistic])}: {lowered(group.title)}.",
        ("Model", *columns),
        _rows(standings, group, lambda each, model: [_plain_cell(values.get((each.id, model)))]),
        notes=(_NOTES_OF_OTHERS[statistic],) if statistic in _NOTES_OF_OTHERS else (),
        data=frame.drop("wins", "losses", "not_told_from_best"),
        folded=True,
    )


def _plain_cell(row: Mapping[str, Any] | None) -> Cell:
    if row is None or row["value"] is None:
        return Cell.number(None)
    return Cell.number(row["value"], interval=Interval.known(row["low"], row["high"]))


def group_figure(standings: Standings, group: SetGroup) -> Figure | None:
    """Return a plot of the values of a group with their intervals; None if there are none."""
    order = standings.ranked_with_values(group.sets)
    shown = order[:_MOST_ROWS_OF_PLOT]
    sets = [each for each in group.sets if any(standings.value(each, model) is not None for model in shown)]
    rows = [
        {
            "set": each.id,
            "title": each.title,
            "model": model,
            "value": one.value,
            "low": one.low,
            "high": one.high,
            "standing": TOP if one.top else WORSE if one.compared else ALONE,
            "sort": "baseline" if model in standings.baselines else "model",
            "n": one.n,
        }
        for each in sets
        for model in shown
        if (one := standings.of(each, model)) and one.value is not None
    ]
    if not rows:
        return None
    left_out = len(order) - len(shown)
    lowest = plural(left_out, "model with the lowest mean is", f"{number(left_out)} models with the lowest means are")
    more = f" The {lowest} left out." if left_out else ""
    name = STATISTICS[group.statistic]
    known = any(standings.guessing(each) is not None for each in sets)
    bounded = [each for each in sets if each.id in standings.ceilings]
    guess = "no correlation" if group.graded else "what guessing gives" if known else ""

    plot = DotPlot(
        [_panel(standings, each, [row for row in rows if row["set"] == each.id]) for each in sets],
        shown,
        name,
        entries=(*_key(rows), *([KeyEntry("ceiling", INK, "line", CEILING)] if bounded else [])),
        most=1.0,
    )
    return Figure(
        id=block_id("dots", group.id),
        caption=f"{capitalised(name)}, intervals of level {1 - standings.testing.alpha:.0%}: {lowered(group.title)}."
        + (f" The dashed line is {guess}." if guess else "")
        + (" The line of dashes and dots is the ceiling that the raters' agreement sets." if bounded else "")
        + more,
        description=f"Dots with intervals for {numbered(len(shown), 'model')}, one panel for each of "
        f"{numbered(len(sets), 'set')}; " + _in_words(standings, sets),
        draw=plot.draw,
        data=pl.DataFrame(rows),
    )


def _in_words(standings: Standings, sets: Sequence[TitledSet]) -> str:
    parts = []
    for each in sets:
        best = max(standings.valued(each), key=lambda one: one.value or 0.0)
        parts.append(f"{each.title}: {best.model} is highest with {decimal(best.value, 3)}")
    return "; ".join(parts) + "."


def _panel(standings: Standings, each: TitledSet, rows: Sequence[Mapping[str, Any]]) -> DotPanel:
    dots = {}
    for row in rows:
        value, low, high = row["value"], row["low"], row["high"]
        reach = "" if low is None or high is None else f" ({decimal(low, 3)} to {decimal(high, 3)})"
        shape = BASELINE_SHAPE if row["sort"] == "baseline" else "circle"
        tip = f"{row['model']}: {decimal(value, 3)}{reach}"
        dots[row["model"]] = [Dot(value, low, high, _COLOURS[row["standing"]], shape, tip)]
    *lines, last = each.lines
    ceiling = standings.ceilings.get(each.id)
    return DotPanel(
        (*lines, f"{last}, {numbered(rows[-1]['n'], 'pair')}") if lines else (last, numbered(rows[-1]["n"], "pair")),
        dots,
        standings.guessing(each),
        ceiling.value if ceiling else None,
    )


def _key(rows: Sequence[Mapping[str, object]]) -> tuple[KeyEntry, ...]:
    present = [name for name in _COLOURS if any(row["standing"] == name for row in rows)]
    entries = [KeyEntry(name, _COLOURS[name]) for name in present] if len(present) > 1 else []
    baseline = [KeyEntry("baseline", INK, BASELINE_SHAPE)] if any(row["sort"] == "baseline" for row in rows) else []
    return (*entries, *baseline)
