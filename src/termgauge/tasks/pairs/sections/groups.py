"""Each group of sets: tables of all models with intervals and significance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Cell, Column, Prose, Section, Table, block_id
from termgauge.reporting.set_names import STATISTICS, with_terminology
from termgauge.reporting.words import bold, capitalised, corrected, counted, decimal, listed, lowered
from termgauge.tasks.pairs.results import OF_BINARY, OF_GRADED, OWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from termgauge.reporting.set_names import SetGroup, TitledSet
    from termgauge.tasks.pairs.sections.standings import Standings

_NOTES = {
    "auc": "An area of 0.5 is chance; below it, negatives score higher than positives.",
    "ap": "Chance gives the share of positive pairs.",
    "accuracy": "The threshold was chosen on the same pairs, so these values are optimistic.",
    "f1": "The threshold was chosen on the same pairs, so these values are optimistic.",
}


def group_sections(standings: Standings) -> list[Section]:
    """Return a section that says how to read what follows, and a part of it for each group of sets."""
    if not standings.groups:
        return []
    parts = [
        Section(f"group-{group.id}", group.title, tuple(group_tables(standings, group, every=True)), level=3)
        for group in standings.groups
    ]
    return [Section("groups", "Results by group of sets", (Prose(reading(standings)),)), *parts]


def reading(standings: Standings) -> tuple[str, ...]:
    """Say how tables of values are to be read."""
    by = {entry.graded: STATISTICS[entry.statistic] for entry in standings.sets}
    kinds = {False: "labelled sets", True: "rated sets, between scores and ratings"}
    statistics = listed(f"{by[graded]} ({what})" for graded, what in kinds.items() if graded in by)
    testing = standings.testing
    text = f"Values are {statistics}, on the pairs that all models can score, with {1 - testing.alpha:.0%} intervals."
    if not standings.comparisons or len(standings.models) < 2:
        return (text,)
    compared = (entry.comparison for entry in standings.comparisons.values())
    tests = dict.fromkeys(f"{STATISTICS[entry.statistic]} by {entry.test}" for entry in compared)
    return text, (
        "A superscript such as +3\N{MINUS SIGN}1 says that a model is significantly better than three others and "
        "worse than one; **bold** marks the best value of a set and those that are not significantly worse "
        f"(alpha {testing.alpha:g}, all pairs of models on a set, {corrected(testing.correction)}). "
        f"Tests: {'; '.join(tests)}."
    )


def group_tables(standings: Standings, group: SetGroup, *, every: bool = False) -> Iterator[Table]:
    """Yield the values of a group, and those on each model's own pairs; if asked also by every other statistic."""
    yield value_table(standings, group, group.statistic)
    if any(
        standings.coverage(entry, one.model) not in (None, 1) for entry in group.sets for one in standings.on(entry)
    ):
        yield own_table(standings, group)
    for statistic in (OF_GRADED if group.graded else OF_BINARY) if every else ():
        if statistic != group.statistic:
            yield value_table(standings, group, statistic)


def value_table(standings: Standings, group: SetGroup, statistic: str) -> Table:
    """Return the values of a group on the shared pairs: a row for each model, a column for each set.

    Those that models are compared by have marks; others are folded.
    """
    main, data = statistic == group.statistic, standings.frame(group.sets, [statistic])
    columns = (
        Column.number(
            entry.brief,
            3,
            f"{entry.id}: {numbered(standings.shared(entry), 'pair')} that all models can score",
            entry.over,
        )
        for entry in group.sets
    )

    def cells(entry: TitledSet, model: str) -> Iterator[Cell]:
        one = standings.of(entry, model, statistic)
        if one is None or one.value is None:
            why = "not scored" if one is None else "undefined on these pairs" if one.n else "too few pairs are scored"
            yield Cell.number(None, note=why)
        else:
            best = bool(one.not_told_from_best)
            yield Cell.number(
                one.value, against=one.against, interval=one.interval, best=best, note=f"by {one.measure}"
            )

    return Table.from_rows(
        block_id("values", group.id) if main else block_id("others", group.id, statistic),
        f"{capitalised(STATISTICS[statistic])}: {lowered(group.title)}.",
        ("Model", *columns),
        _rows(standings, group, cells),
        [*([_NOTES[statistic]] if statistic in _NOTES else []), *(_notes(standings, group) if main else [])],
        data=data if main else data.drop("wins", "losses", "not_told_from_best"),
        folded=not main,
    )


def own_table(standings: Standings, group: SetGroup) -> Table:
    """Return for a group which share of the pairs each model can score, and its values on these pairs of its own."""
    headings = {
        "Scored": "Share of the pairs that the model can score",
        "Own": "On all pairs that the model can score",
    }
    columns = (
        Column.number(heading, 3, f"{note}: {entry.id}", entry.within)
        for entry in group.sets
        for heading, note in headings.items()
    )

    def cells(entry: TitledSet, model: str) -> Iterator[Cell]:
        one = standings.of(entry, model, subset=OWN)
        yield Cell.share(standings.coverage(entry, model))
        yield Cell.number(one and one.value, note=f"on {numbered(one.n, 'pair')}" if one else "not scored")

    return Table.from_rows(
        block_id("own-values", group.id),
        f"Pairs that each model can score, and its {STATISTICS[group.statistic]} on these: {lowered(group.title)}.",
        ("Model", *columns),
        _rows(standings, group, cells),
        apart_notes(standings, group.sets),
        data=standings.frame(group.sets, ["coverage", group.statistic], own=True),
    )


def _rows(
    standings: Standings, group: SetGroup, cells: Callable[[TitledSet, str], Iterable[Cell]]
) -> Iterator[tuple[Cell, ...]]:
    """Yield a row for each model that was scored on a set of a group, with some cells for each set."""
    for model in standings.ranked(group.sets):
        if any(standings.of(entry, model) for entry in group.sets):
            what = standings.baselines.get(model)
            named = Cell(model, note=f"A baseline that knows no medicine: {what}" if what else "")
            yield named, *(cell for entry in group.sets for cell in cells(entry, model))


def apart_notes(standings: Standings, sets: Sequence[TitledSet]) -> Iterator[str]:
    """Say which models score too few pairs of some sets to take part in the comparison on these."""
    for model in standings.models:
        few = [
            entry
            for entry in sets
            if standings.shared(entry) and (one := standings.of(entry, model)) and not one.n
            if standings.coverage(entry, model)
        ]
        names = listed(f"“{with_terminology(entry, standings.sets)}”" for entry in few) if few else ""
        where = "all of these sets" if len(few) == len(sets) > 1 else f"the {plural(len(few), 'set')} {names}"
        if few:
            yield (
                f"{bold(model)} scores too few pairs of {where} to be compared with the others: it has values on its "
                "own pairs alone (see `min_coverage`)."
            )


def _notes(standings: Standings, group: SetGroup) -> Iterator[str]:
    measures = dict.fromkeys(one.measure for entry in group.sets for one in standings.on(entry))
    yield f"By {', '.join(f'`{name}`' for name in measures)}."
    compared = {entry: comparison for entry in group.sets if (comparison := standings.comparisons.get(entry.id))}
    guesses = {entry: one.guessing for entry, one in compared.items() if one.comparison.statistic != "auc"}
    if stated := {entry: decimal(guess, 3) for entry, guess in guesses.items() if guess is not None}:
        yield f"What guessing gives: {_of_each(stated)}."
    detectable = {entry: one.comparison.detectable for entry, one in compared.items()}
    if seen := {entry: decimal(least, 3) for entry, least in detectable.items() if not math.isnan(least)}:
        yield f"Minimum detectable difference (80 % power): {_of_each(seen)}."
    records = {entry: standings.records[entry.id] for entry in group.sets if entry.id in standings.records}
    if ceilings := {entry: about.ceiling for entry, about in records.items() if about.ceiling}:
        values = (
            f"{entry.within} {decimal(one.value, 3)} ({decimal(one.low, 3)} to {decimal(one.high, 3)}, "
            f"{counted(one.raters, 'rater')})"
            for entry, one in ceilings.items()
        )
        yield f"Ceiling that the raters' agreement sets on the correlation of any model: {'; '.join(values)}."


def _of_each(texts: Mapping[TitledSet, str]) -> str:
    """Return what there is of each set; once, if it is the same of all."""
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return "; ".join(f"{entry.within} {text}" for entry, text in texts.items())
