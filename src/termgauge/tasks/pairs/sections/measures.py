"""Which measure of similarity suits which model, and how much the choice matters.

These are figures B.1 and C.1 and tables B.1, B.2 and C.4 of Schulz & Juric (2020).
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import mean, median, pvariance
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from termgauge.reporting.blocks import UNTESTED, Cell, Column, Figure, Prose, Section, Table, WinsLosses
from termgauge.reporting.plots.canvas import MUTED, SERIES, KeyEntry
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from termgauge.reporting.set_names import STATISTICS
from termgauge.reporting.words import decimal, lowered, number, raised
from termgauge.similarity.measures import all_measures
from termgauge.statistics.inputs import BINARY, GRADED
from termgauge.tasks.pairs.results import SHARED
from termgauge.tasks.shown import baseline_key, model_look

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.reporting.set_names import SetGroup, TitledSet
    from termgauge.tasks.pairs.compare import MeasureComparison
    from termgauge.tasks.pairs.sections.standings import Standings

_WHAT = {**dict.fromkeys(BINARY, "labelled"), **dict.fromkeys(GRADED, "rated")}
_FAMILIES = ("cosine", "pearson", "spearman", "kendall", "jaccard")
_FAMILY_NAMES = ("cosine", "Pearson", "Spearman", "Kendall", "Jaccard")
_WAYS = {"avg": "of the mean word vectors", "pair": "mean over pairs of words"}
_MANY_ROWS = 24
_BOLD = "Bold: the best mean of the model."
_WINS = "Wins and losses are between measures of the same model, corrected for their number on each set."
_NOTES = (_BOLD, _WINS)


def measure_section(standings: Standings, compared: Iterable[MeasureComparison] = ()) -> Section | None:
    """Return how the measures of each model compare; None if no model has more than one."""
    values, tests = _values(standings), list(compared)
    if not values:
        return None
    blocks: list[Block] = [
        *(figure for statistic in _WHAT if (figure := _means_figure(standings, values, statistic))),
        *(figure for statistic in _WHAT if (figure := _variance_figure(standings, values, statistic))),
        _table(standings, values, tests),
        *measure_tables(standings, tests),
    ]
    about = (
        "A model's vectors can be compared in several ways. Values are on the pairs that all models can score; "
        "a mean is over the sets on which all measures of the model have a value."
    )
    return Section(
        "measures", "Measures of similarity compared", (Prose((about, *_best_in_words(standings, values))), *blocks)
    )


_Values = dict[tuple[str, str], dict[str, dict[str, float]]]
"""By statistic and model: by set, the value of each measure."""


def _values(standings: Standings) -> _Values:
    """Return the values of models with several measures, on the sets where all their measures have one."""
    rows = standings.results.filter(
        (pl.col("subset") == SHARED) & pl.col("statistic").is_in([each.statistic for each in standings.sets])
    )
    by: _Values = {}
    owned: dict[str, dict[str, None]] = {}
    for row in rows.iter_rows(named=True):
        owned.setdefault(row["model"], {})[row["measure"]] = None
        if row["value"] is not None:
            by.setdefault((row["statistic"], row["model"]), {}).setdefault(row["set"], {})[row["measure"]] = row[
                "value"
            ]
    whole = {
        key: {name: own for name, own in sets.items() if len(own) == len(owned[key[1]])}
        for key, sets in by.items()
        if len(owned[key[1]]) > 1
    }
    return {key: sets for key, sets in whole.items() if sets}


def _means(sets: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over sets."""
    measures = next(iter(sets.values()))
    return {name: mean(own[name] for own in sets.values()) for name in measures}


def _best_in_words(standings: Standings, values: _Values) -> Iterator[str]:
    for statistic, what in _WHAT.items():
        best = {}
        for model in standings.models:
            sets = values.get((statistic, model))
            if sets:
                means = _means(sets)
                best[model] = max(means, key=lambda name: means[name])
        if best:
            parts = ", ".join(f"`{measure}` for {model}" for model, measure in list(best.items())[:6])
            more = f" and others for {number(len(best) - 6)} more" if len(best) > 6 else ""
            yield f"On {what} sets the best mean {STATISTICS[statistic]} comes from {parts}{more}."


def _family(measure: str) -> str:
    return all_measures()[measure].family if measure in all_measures() else ""


def _style(measure: str) -> tuple[str, str]:
    """Return the colour and the shape of a measure: by its family, and by how words become terms."""
    family = _family(measure)
    colour = SERIES[_FAMILIES.index(family)] if family in _FAMILIES else MUTED
    shape = "diamond" if measure.startswith("pair_") else "square" if measure == "max_jaccard" else "circle"
    return colour, shape


def _means_figure(standings: Standings, values: _Values, statistic: str) -> Figure | None:
    models = [model for model in standings.ranked(standings.sets) if (statistic, model) in values]
    if not models:
        return None
    means = {model: _means(values[statistic, model]) for model in models}
    dots = {
        model: [
            Dot(value, None, None, *_style(measure), tip=f"{model}, {measure}: {decimal(value, 3)}")
            for measure, value in sorted(own.items(), key=lambda item: item[1])
        ]
        for model, own in means.items()
    }
    used = list(dict.fromkeys(measure for own in means.values() for measure in own))
    entries = [
        KeyEntry(name, SERIES[place])
        for place, name in enumerate(_FAMILY_NAMES)
        if any(_family(measure) == _FAMILIES[place] for measure in used)
    ]
    if any(measure.startswith("pair_") for measure in used):
        entries += [KeyEntry(_WAYS["pair"], MUTED, "diamond")]
    if "max_jaccard" in used:
        entries += [KeyEntry("max_jaccard", MUTED, "square")]
    sets = max(len(values[statistic, model]) for model in models)
    plot = DotPlot([DotPanel((), dots)], models, f"mean {STATISTICS[statistic]}", entries=tuple(entries), most=1.0)
    return Figure(
        id=f"measures-{statistic}",
        caption=f"Mean {STATISTICS[statistic]} of each measure over {number(sets)} {_WHAT[statistic]} sets.",
        description="; ".join(_extremes(model, own) for model, own in means.items()) + ".",
        draw=plot.draw,
        data=pl.DataFrame(
            [
                {"model": model, "set": name, "measure": measure, "value": value}
                for model in models
                for name, own in values[statistic, model].items()
                for measure, value in own.items()
            ]
        ),
    )


def _extremes(model: str, own: Mapping[str, float]) -> str:
    best, worst = max(own, key=lambda name: own[name]), min(own, key=lambda name: own[name])
    return f"{model}: from {worst} with {decimal(own[worst], 3)} to {best} with {decimal(own[best], 3)}"


def _variance_figure(standings: Standings, values: _Values, statistic: str) -> Figure | None:
    """Return the least, the median and the greatest variance between a model's measures over the sets."""
    models = [model for model in standings.ranked(standings.sets) if (statistic, model) in values]
    rows: list[dict[str, Any]] = [
        {"model": model, "set": name, "measures": len(own), "variance": pvariance(own.values())}
        for model in models
        for name, own in values[statistic, model].items()
    ]
    if not rows:
        return None
    dots = {}
    for model in models:
        own = [float(row["variance"]) for row in rows if row["model"] == model]
        tip = f"{model}: median {median(own):.5f} ({min(own):.5f} to {max(own):.5f})"
        dots[model] = [Dot(median(own), min(own), max(own), *model_look(baseline=model in standings.baselines), tip)]
    key = baseline_key(baselines=any(model in standings.baselines for model in models))
    plot = DotPlot([DotPanel((), dots)], models, f"variance of {STATISTICS[statistic]}", key, least=0.0)
    figure = "B.1" if statistic in GRADED else "C.1"
    return Figure(
        id=f"variance-{statistic}",
        caption=(
            f"How much the choice of measure matters: least, median and greatest variance of {STATISTICS[statistic]} "
            f"between the measures of a model, over the {_WHAT[statistic]} sets (figure {figure} of the paper)."
        ),
        description="; ".join(f"{model}: median {dot.value:.4f}" for model, (dot,) in dots.items()) + ".",
        draw=plot.draw,
        data=pl.DataFrame(rows),
        folded=True,
    )


def _table(standings: Standings, values: _Values, compared: Sequence[MeasureComparison]) -> Table:
    tally = _tally(compared)
    statistics = [statistic for statistic in _WHAT if any(key[0] == statistic for key in values)]
    columns: list[Column | str] = ["Model", "Measure"]
    columns += [
        Column.number(f"Mean {STATISTICS[statistic]}", note=f"Over {_WHAT[statistic]} sets") for statistic in statistics
    ]
    if tally:
        columns += [
            Column.count("Better than", "Significant wins over other measures of the model, over all sets"),
            Column.count("Worse than", "Significant losses against other measures, over all sets"),
            Column.count("At the top", "Sets on which it is best or not significantly worse"),
        ]
    rows = []
    data = []
    for model in standings.ranked(standings.sets):
        means = {
            statistic: _means(values[statistic, model]) for statistic in statistics if (statistic, model) in values
        }
        measures = dict.fromkeys(name for own in means.values() for name in own)
        best = {statistic: max(own.values()) for statistic, own in means.items()}
        for measure in measures:
            own = {statistic: means.get(statistic, {}).get(measure) for statistic in statistics}
            counts = tally.get((model, measure), (0, 0, 0)) if tally else ()
            bold = (Cell.number(value, best=value == best.get(statistic, math.inf)) for statistic, value in own.items())
            rows.append((model, measure, *bold, *counts))
            values_of = {f"mean_{statistic}": value for statistic, value in own.items()}
            tallied = dict(zip(("wins", "losses", "top"), counts, strict=False))
            data.append({"model": model, "measure": measure, **values_of, **tallied})
    return Table.from_rows(
        "measures",
        "Measures of each model over all sets.",
        columns,
        rows,
        notes=_NOTES if tally else _NOTES[:1],
        data=pl.DataFrame(data, infer_schema_length=None),
        folded=len(rows) > _MANY_ROWS,
    )


def _tally(compared: Sequence[MeasureComparison]) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Return wins, losses and sets at the top of each model and measure, over all sets."""
    tally: dict[tuple[str, str], tuple[int, int, int]] = {}
    for one in compared:
        for measure, (more, fewer) in one.comparison.counts.items():
            wins, losses, top = tally.get((one.model, measure), (0, 0, 0))
            tally[one.model, measure] = wins + more, losses + fewer, top + (measure in one.comparison.top)
    return tally


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
        for name, counts in one.comparison.counts.items()
    }
    best = best_measures(standings)
    against = {key: within.get((*key, one.measure), UNTESTED) for key, one in best.items()}
    for group in standings.groups:
        columns = columns_of(group)
        what = f"of each model: {lowered(group.title)}"
        notes = (f"{_SUPERSCRIPTS}.",) if compared else ()
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
    rows: list[tuple[str | Cell, ...]] = []
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
        rows.append((model, *values))
        rows.append(("", *(Cell(short_name(one.measure), note=one.measure) if one else Cell("") for one in own)))
    data = [(name, model, *one) for (name, model), one in best.items() if name in {each.id for each in sets}]
    return Table.from_rows(
        name,
        f"{STATISTICS[sets[0].statistic].capitalize()} by the best measure {what}.",
        (columns[0], *(replace(column, numeric=True) for column in columns[1:])),
        rows,
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
            counts = [(name, *both) for name, both in test.counts.items()] if test else []
            data += [(set_id, model, *each) for each in counts]
            shown = (short_name(name) + raised(str(WinsLosses(*more))) for name, *more in counts if any(more))
            cells.append(", ".join(shown))
        rows.append((model, *cells))
    return Table.from_rows(
        name,
        f"Measures that are significantly better and worse than others {what}.",
        columns,
        rows,
        notes=(f"{_SUPERSCRIPTS} ({next(iter(by.values())).test}). Measures without any are left out.", SHORT_NAMES),
        data=pl.DataFrame(data, ["set", "model", "measure", "wins", "losses"], orient="row", infer_schema_length=None),
        sortable=False,
        folded=True,
    )
