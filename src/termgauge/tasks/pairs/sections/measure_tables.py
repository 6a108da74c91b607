"""Measures of each model on each set: the best one (Table B.1 of Schulz & Juric 2020), and which are better (B.2, C.4).

Names are short, as in the paper: a letter for cosine, Pearson, Spearman or Kendall, then A for that of the mean word
vectors or P for the mean over pairs of words; fJ and mJ are fuzzy and max Jaccard.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from termgauge.reporting.blocks import UNTESTED, Cell, Column, Table, WinsLosses
from termgauge.reporting.set_names import STATISTICS
from termgauge.reporting.words import corrected, lowered, raised
from termgauge.similarity.measures import all_measures
from termgauge.tasks.pairs.results import SHARED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from termgauge.reporting.set_names import SetGroup, TitledSet
    from termgauge.tasks.pairs.run_comparison import MeasureComparison
    from termgauge.tasks.pairs.sections.standings import Standings

_POOLED = {"mean": "A", "pairs": "P"}
_JACCARD = {"fuzzy_jaccard": "fJ", "max_jaccard": "mJ"}
_SUPERSCRIPTS = (
    "Superscripts: how many other measures of the same model it is significantly better (+) and worse (−) than"
)
SHORT_NAMES = (
    "c, p, s and k are cosine, Pearson, Spearman and Kendall, with A of the mean word vectors, with P as the mean over "
    "pairs of words; fJ and mJ are fuzzy and max Jaccard."
)


class BestMeasure(NamedTuple):
    """The measure with the highest value of a model on a set."""

    measure: str
    value: float


def short_name(measure: str) -> str:
    """Return what a measure is called where there is little room.

    Examples
    --------
    >>> [short_name(name) for name in ("avg_cos", "pair_kendall", "fuzzy_jaccard", "cos")]
    ['cA', 'kP', 'fJ', 'cos']
    """
    known = all_measures().get(measure)
    pooled = _POOLED.get(known.pooling, "") if known else ""
    return f"{known.family[0]}{pooled}" if known and pooled else _JACCARD.get(measure, measure)


def best_measures(standings: Standings) -> dict[tuple[str, str], BestMeasure]:
    """Return by set and model the measure with the highest value on the shared pairs, the first of equals."""
    of = {each.id: each.statistic for each in standings.sets}
    best: dict[tuple[str, str], BestMeasure] = {}
    for row in standings.results.filter(pl.col("subset") == SHARED).iter_rows(named=True):
        key = row["set"], row["model"]
        if row["statistic"] != of[row["set"]] or row["value"] is None:
            continue
        if key not in best or row["value"] > best[key].value:
            best[key] = BestMeasure(row["measure"], row["value"])
    return best


def measure_tables(standings: Standings, compared: Sequence[MeasureComparison]) -> Iterator[Table]:
    """Yield for each group of sets the best measure of each model, and which of its measures are better and worse."""
    within = {
        (one.set, one.model, name): WinsLosses(*counts)
        for one in compared
        for name, *counts in zip(
            one.comparison.names,
            one.comparison.wins,
            one.comparison.losses,
            one.comparison.open.sum(axis=1).tolist(),
            strict=True,
        )
    }
    best = best_measures(standings)
    against = {key: within.get((*key, one.measure), UNTESTED) for key, one in best.items()}
    for group in standings.groups:
        columns = columns_of(group)
        what = f"of each model: {lowered(group.title)}"
        notes = (f"{_SUPERSCRIPTS}, {corrected(compared[0].comparison.correction)}.",) if compared else ()
        yield best_table(f"best-measures-{group.id}", what, columns, group.sets, standings, against, notes=notes)
        if table := marks_table(f"measures-{group.id}", what, columns, group.sets, compared):
            yield table


def columns_of(group: SetGroup) -> tuple[Column, ...]:
    """Return a column for the model, and one for each set."""
    return Column("Model"), *(Column(each.brief, note=each.id, group=each.over) for each in group.sets)


def best_table(
    name: str,
    what: str,
    columns: Sequence[Column],
    sets: Sequence[TitledSet],
    standings: Standings,
    against: Mapping[tuple[str, str], WinsLosses],
    *,
    digits: int = 3,
    notes: Iterable[str] = (),
) -> Table:
    """Return the highest value of each model on each set, and below it the measure that gives it."""
    best = best_measures(standings)
    rows: list[tuple[Cell, ...]] = []
    for model in standings.models:
        own = [best.get((each.id, model)) for each in sets]
        if not any(own):
            continue
        values = (
            Cell.number(one.value, digits, against=against.get((each.id, model), UNTESTED))
            if one
            else Cell.number(None)
            for each, one in zip(sets, own, strict=True)
        )
        rows.append((Cell(model), *values))
        rows.append((Cell(""), *(Cell(short_name(one.measure), note=one.measure) if one else Cell("") for one in own)))
    data = [(name, model, *one) for (name, model), one in best.items() if name in {each.id for each in sets}]
    return Table(
        id=name,
        caption=f"{STATISTICS[sets[0].statistic].capitalize()} by the best measure {what}.",
        columns=(
            columns[0],
            *(Column(each.heading, numeric=True, note=each.note, group=each.group) for each in columns[1:]),
        ),
        rows=tuple(rows),
        notes=(*notes, "The measure was chosen on the same pairs, so these values are optimistic.", SHORT_NAMES),
        data=pl.DataFrame(data, ["set", "model", "measure", "value"], orient="row", infer_schema_length=None),
        sortable=False,
        folded=True,
    )


def marks_table(
    name: str, what: str, columns: Sequence[Column], sets: Sequence[TitledSet], compared: Sequence[MeasureComparison]
) -> Table | None:
    """Return the measures of each model that are better or worse than others of its own; None if there are none."""
    ids = [each.id for each in sets]
    by = {(one.set, one.model): one.comparison for one in compared if one.set in ids}
    if not by:
        return None
    rows, data = [], []
    for model in dict.fromkeys(model for _, model in by):
        cells = []
        for set_id in ids:
            test = by.get((set_id, model))
            counts = list(zip(test.names, test.wins, test.losses, strict=True)) if test else []
            data += [(set_id, model, *each) for each in counts]
            shown = (short_name(name) + raised(str(WinsLosses(*more))) for name, *more in counts if any(more))
            cells.append(Cell(", ".join(shown)))
        rows.append((Cell(model), *cells))
    some = next(iter(by.values()))
    how = f"{some.test}, alpha {some.alpha:g}, {corrected(some.correction)}"
    return Table(
        id=name,
        caption=f"Measures that are significantly better and worse than others {what}.",
        columns=tuple(columns),
        rows=tuple(rows),
        notes=(f"{_SUPERSCRIPTS} ({how}). Measures without any are left out.", SHORT_NAMES),
        data=pl.DataFrame(data, ["set", "model", "measure", "wins", "losses"], orient="row", infer_schema_length=None),
        sortable=False,
        folded=True,
    )
