"""Which measure of similarity suits which model, and how much the choice matters (the paper's figures B.1 and C.1)."""

from __future__ import annotations

from statistics import mean, median, pvariance
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.reporting.blocks import Cell, Column, Figure, Prose, Section, Table
from termgauge.reporting.plots.canvas import KeyEntry
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from termgauge.reporting.plots.look import MUTED, SERIES
from termgauge.reporting.set_names import STATISTICS
from termgauge.reporting.words import decimal, number
from termgauge.similarity.measures import all_measures
from termgauge.statistics.inputs import BINARY, GRADED
from termgauge.tasks.pairs.results import SHARED
from termgauge.tasks.pairs.sections.measure_tables import measure_tables
from termgauge.tasks.shown import baseline_key, model_look

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.tasks.pairs.run_comparison import MeasureComparison
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
    columns = [Column("Model"), Column("Measure")]
    columns += [
        Column(f"Mean {STATISTICS[statistic]}", numeric=True, note=f"Over {_WHAT[statistic]} sets")
        for statistic in statistics
    ]
    if tally:
        columns += [
            Column(
                "Better than", numeric=True, note="Significant wins over other measures of the model, over all sets"
            ),
            Column("Worse than", numeric=True, note="Significant losses against other measures, over all sets"),
            Column("At the top", numeric=True, note="Sets on which it is best or not significantly worse"),
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
            cells = [Cell(model), Cell(measure)]
            record: dict[str, object] = {"model": model, "measure": measure}
            for statistic in statistics:
                value = means.get(statistic, {}).get(measure)
                record[f"mean_{statistic}"] = value
                cells.append(Cell.number(value, best=value is not None and value == best[statistic]))
            if tally:
                wins, losses, top = tally.get((model, measure), (0, 0, 0))
                record |= {"wins": wins, "losses": losses, "top": top}
                cells += map(Cell.count, (wins, losses, top))
            rows.append(tuple(cells))
            data.append(record)
    return Table(
        id="measures",
        caption="Measures of each model over all sets.",
        columns=tuple(columns),
        rows=tuple(rows),
        notes=_NOTES if tally else _NOTES[:1],
        data=pl.DataFrame(data, infer_schema_length=None),
        folded=len(rows) > _MANY_ROWS,
    )


def _tally(compared: Sequence[MeasureComparison]) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Return wins, losses and sets at the top of each model and measure, over all sets."""
    tally: dict[tuple[str, str], tuple[int, int, int]] = {}
    for one in compared:
        test = one.comparison
        best = test.ranking[0]
        for place, measure in enumerate(test.names):
            wins, losses, top = tally.get((one.model, measure), (0, 0, 0))
            at_top = measure not in test.undefined and (place == best or not bool(test.significant[best, place]))
            tally[one.model, measure] = wins + test.wins[place], losses + test.losses[place], top + at_top
    return tally
