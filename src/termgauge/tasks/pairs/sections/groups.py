"""Each group of sets: a table of all models with intervals and significance, and a plot of the same."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.document.blocks import Cell, Column, Figure, Interval, Prose, Section, Table, WinsLosses, block_id
from termgauge.document.numbers import decimal, number, share
from termgauge.document.plots.canvas import KeyEntry
from termgauge.document.plots.dots import Dot, DotPanel, DotPlot
from termgauge.document.plots.look import ACCENT, INK, MUTED, QUIET
from termgauge.document.set_names import STATISTICS
from termgauge.document.words import capitalised, corrected, listed, lowered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from termgauge.document.blocks import Block
    from termgauge.document.set_names import SetGroup, TitledSet
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
    by = "areas under the ROC curve"
    if any(each.statistic == "accuracy" for each in standings.sets):
        by = "accuracy at the threshold that is best for the model and set"
    statistics = [
        *([f"{by} (labelled sets)"] if binary else []),
        *(["Spearman's rho between scores and ratings (rated sets)"] if graded else []),
    ]
    text = f"Values are {' and '.join(statistics)}, on the pairs that all models can score."
    text += f" Intervals have level {1 - standings.alpha:.0%}."
    some = next(iter(standings.comparisons.values()), None)
    if some is None or len(standings.models) < 2:
        return (text,)
    test = some.comparison
    marks = (
        "A superscript such as +3\N{MINUS SIGN}1 says that a model is significantly better than three others and "
        "worse than one; **bold** marks the best value of a set and those that are not significantly worse "
        f"(alpha {test.alpha:g}, all pairs of models on a set, {corrected(test.correction)})."
    )
    compared = {"accuracy": "accuracies", "auc": "areas", "spearman": "correlations"}
    tests = dict.fromkeys(
        f"{compared[each.comparison.statistic]} by {each.comparison.test}" for each in standings.comparisons.values()
    )
    return text, f"{marks} The tests compare {'; '.join(tests)}."


def _blocks(standings: Standings, group: SetGroup) -> Iterator[Block]:
    about = [_ABOUT[group.sets[0].origin.kind] + " " + _HARD] if group.sets[0].built else []
    about += _lacking(standings, group)
    if about:
        yield Prose(tuple(about))
    yield group_table(standings, group)
    figure = group_figure(standings, group)
    if figure:
        yield figure
    if not group.graded:
        yield _other_table(standings, group)


def _lacking(standings: Standings, group: SetGroup) -> Iterator[str]:
    """Say on which sets nothing can be compared."""
    without = [each for each in group.sets if all(standings.value(each, model) is None for model in standings.models)]
    for each in without:
        pairs = standings.shared(each)
        what = f"the {number(pairs)} pairs" if pairs > 1 else "the one pair" if pairs else "no pair"
        yield (
            f"“{each.title}” has no values: there is {what} that all models can score."
            if not pairs
            else f"“{each.title}” has no values: nothing can be computed on {what} that all models can score."
        )


def group_table(standings: Standings, group: SetGroup) -> Table:
    """Return the values of a group: a row for each model, a column for each set."""
    order = standings.ranked(group.sets)
    partly = any(
        (one := standings.of(each, model)) and (one.coverage or 0) < 1
        for each in group.sets
        for model in standings.models
    )
    columns = [Column("Model"), *(_column(standings, each) for each in group.sets)]
    if partly:
        columns.append(Column("Pairs scored", numeric=True, note="Share of the pairs that the model can score"))
    rows = tuple(
        (
            _model_cell(standings, model),
            *(_value_cell(standings.of(each, model)) for each in group.sets),
            *([_coverage_cell([standings.of(each, model) for each in group.sets])] if partly else []),
        )
        for model in order
        if any(standings.of(each, model) for each in group.sets)
    )
    return Table(
        id=block_id("values", group.id),
        caption=f"{capitalised(STATISTICS[group.statistic])} of each model: {lowered(group.title)}.",
        columns=tuple(columns),
        rows=rows,
        notes=tuple(_notes(standings, group)),
        data=standings.frame(group.sets),
    )


def _column(standings: Standings, each: TitledSet) -> Column:
    note = f"{each.id}: {number(standings.shared(each))} pairs that all models can score"
    return Column(each.brief, numeric=True, note=note, group=each.over)


def _model_cell(standings: Standings, model: str) -> Cell:
    what = standings.baselines.get(model)
    return Cell(model, note=f"A baseline that knows no medicine: {what}" if what else "")


def _value_cell(one: Standing | None) -> Cell:
    if one is None or one.value is None:
        return Cell.number(None, note="not scored" if one is None else "undefined on these pairs")
    return Cell.number(
        one.value,
        against=WinsLosses(one.wins, one.losses),
        interval=Interval.known(one.low, one.high),
        best=one.top,
        note=f"by {one.measure}",
    )


def _coverage_cell(several: Sequence[Standing | None]) -> Cell:
    shares = [one.coverage for one in several if one is not None and one.coverage is not None]
    if not shares:
        return Cell.share(None)
    low, high = share(min(shares)), share(max(shares))
    text = low if low == high else f"{low.removesuffix(' %')}–{high}"
    return Cell(text, min(shares))


def _notes(standings: Standings, group: SetGroup) -> Iterator[str]:
    measures = dict.fromkeys(
        one.measure for each in group.sets for model in standings.models if (one := standings.of(each, model))
    )
    yield f"By {', '.join(f'`{name}`' for name in measures)}."
    shown, nothing = [], []
    for each in group.sets:
        compared = standings.comparisons.get(each.id)
        if compared is None or compared.detectable is None:
            continue
        least = compared.detectable.difference
        name = f"{each.over}, {each.brief}".lower() if each.over else each.brief
        if math.isinf(least):
            nothing.append(name)
        else:
            shown.append(f"{name} {decimal(least, 3)}")
    if shown:
        yield f"Minimum detectable difference (80 % power): {'; '.join(shown)}."
    if nothing:
        yield f"These sets have too few pairs to detect any difference with 80 % power: {'; '.join(nothing)}."


def _other_table(standings: Standings, group: SetGroup) -> Table:
    """Return the other values of labelled sets, such as the area under the ROC curve."""
    others = [name for name in ("auc", "accuracy", "accuracy_cv") if name != group.statistic]
    frame = standings.frame(group.sets, others)
    values = {(row["set"], row["model"], row["statistic"]): row for row in frame.iter_rows(named=True)}
    columns = [
        Column(_within(each), numeric=True, group=capitalised(STATISTICS[statistic]), note=f"{statistic} on {each.id}")
        for statistic in others
        for each in group.sets
    ]
    rows = tuple(
        (
            _model_cell(standings, model),
            *(_plain_cell(values.get((each.id, model, statistic))) for statistic in others for each in group.sets),
        )
        for model in standings.ranked(group.sets)
        if any(standings.of(each, model) for each in group.sets)
    )
    return Table(
        id=block_id("others", group.id),
        caption=f"{capitalised(listed(STATISTICS[name] for name in others))}: {lowered(group.title)}.",
        columns=(Column("Model"), *columns),
        rows=rows,
        notes=(
            "An area of 0.5 is chance; below it, negatives score higher than positives.",
            "Accuracy without cross-validation is optimistic, because its threshold was chosen on the same pairs.",
        ),
        data=frame.drop("wins", "losses", "not_told_from_best"),
        folded=True,
    )


def _within(each: TitledSet) -> str:
    return f"{each.brief}, {each.sampling}" if each.built else each.brief


def _plain_cell(row: Mapping[str, Any] | None) -> Cell:
    if row is None or row["value"] is None:
        return Cell.number(None)
    return Cell.number(row["value"], interval=Interval.known(row["low"], row["high"]))


def group_figure(standings: Standings, group: SetGroup) -> Figure | None:
    """Return a plot of the values of a group with their intervals; None if there are none."""
    order = [
        model
        for model in standings.ranked(group.sets)
        if any(standings.value(s, model) is not None for s in group.sets)
    ]
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
    more = f" The {number(left_out)} models with the lowest means are left out." if left_out else ""
    name = STATISTICS[group.statistic]
    guess = "what guessing gives" if group.sets[0].built else "no correlation" if group.graded else ""

    plot = DotPlot(
        [_panel(standings, each, shown) for each in sets],
        shown,
        name,
        reference=0.0 if group.graded else 0.5 if guess else None,
        entries=_key(rows),
        most=1.0,
    )
    return Figure(
        id=block_id("dots", group.id),
        caption=f"{capitalised(name)} with intervals at level {1 - standings.alpha:.0%}: {lowered(group.title)}."
        + (f" The dashed line is {guess}." if guess else "")
        + more,
        description=f"Dots with intervals for {len(shown)} models, one panel for each of {len(sets)} sets; "
        + _in_words(standings, sets),
        draw=plot.draw,
        data=pl.DataFrame(rows),
    )


def _in_words(standings: Standings, sets: Sequence[TitledSet]) -> str:
    parts = []
    for each in sets:
        best = max(standings.models, key=lambda model: _or_lowest(standings.value(each, model)))
        parts.append(f"{each.title}: {best} is highest with {decimal(standings.value(each, best), 2)}")
    return "; ".join(parts) + "."


def _or_lowest(value: float | None) -> float:
    return -math.inf if value is None else value


def _panel(standings: Standings, each: TitledSet, models: Sequence[str]) -> DotPanel:
    dots = {}
    pairs = 0
    for model in models:
        one = standings.of(each, model)
        if one is None or one.value is None:
            continue
        pairs = one.n
        standing = TOP if one.top else WORSE if one.compared else ALONE
        reach = "" if one.low is None or one.high is None else f" ({one.low:.3f} to {one.high:.3f})"
        tip = f"{model}: {one.value:.3f}{reach}"
        shape = "diamond" if model in standings.baselines else "circle"
        dots[model] = [Dot(one.value, one.low, one.high, _COLOURS[standing], shape, tip)]
    size = f"{number(pairs)} pairs"
    return DotPanel((each.over, f"{each.brief.lower()}, {size}") if each.over else (each.brief, size), dots)


def _key(rows: Sequence[Mapping[str, object]]) -> tuple[KeyEntry, ...]:
    present = [name for name in _COLOURS if any(row["standing"] == name for row in rows)]
    entries = [KeyEntry(name, _COLOURS[name]) for name in present] if len(present) > 1 else []
    baseline = [KeyEntry("baseline", INK, "diamond")] if any(row["sort"] == "baseline" for row in rows) else []
    return (*entries, *baseline)
