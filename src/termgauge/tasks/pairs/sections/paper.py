"""The tables of Schulz & Juric (2020) for a run: models down, kinds and difficulties across, significance as counts.

Tables 5 and C.1 of the paper are accuracies in per cent, C.2 and C.3 areas under the ROC curve, Table 4 correlations
with human ratings, B.1 the same by the best measure, B.2 to B.5 and C.4 to C.8 which measures are better than others.
The row below the headings says which part of each set all models can score.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from termgauge.benchmark.sets import DIFFICULTIES, STRATEGIES
from termgauge.plurals import numbered
from termgauge.reporting.blocks import UNTESTED, Cell, Column, Figure, Section, Table, WinsLosses, block_id
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from termgauge.reporting.set_names import KINDS, STATISTICS
from termgauge.reporting.words import MISSING, capitalised, decimal, raised
from termgauge.similarity.measures import all_measures
from termgauge.tasks.pairs.results import SHARED
from termgauge.tasks.pairs.sections.groups import apart_notes
from termgauge.tasks.shown import model_look

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.reporting.blocks import Block
    from termgauge.reporting.set_names import TitledSet
    from termgauge.tasks.pairs.sections.standings import Standings

_KINDS = {
    "fsn-syn": "FSN-SYN",
    "syn-syn": "SYN-SYN",
    "possibly-equivalent-to": "POSS.-EQU.",
    "replaced-by": "REPL.-BY",
    "same-as": "SAME-AS",
}
_SAMPLING = {"random": "random", "levenshtein": "Levenshtein"}
_MOST_SETS = 10
_AS_PUBLISHED = (
    " As published, pairs that share a concept are taken as independent, and thresholds are chosen on the pairs that "
    "they are judged on."
)
_POOLED = {"mean": "A", "pairs": "P"}
_JACCARD = {"fuzzy_jaccard": "fJ", "max_jaccard": "mJ"}
_SUPERSCRIPTS = (
    "Superscripts: how many other measures of the same model it is significantly better (+) and worse (−) than"
)
_SHORT_NAMES = (
    "c, p, s and k are cosine, Pearson, Spearman and Kendall, with A of the mean word vectors, with P as the mean over "
    "pairs of words; fJ and mJ are fuzzy and max Jaccard."
)


def paper_section(standings: Standings, best: Standings | None = None) -> Section | None:
    """Return the tables in the paper's layout; None if there is nothing to put into them.

    With where models stand by their `best` measures on rated sets also Table B.1.
    """
    blocks: list[Block] = [*_built(standings), *_rated(standings, best), *_variances(standings)]
    return Section("paper", "Tables for a paper", tuple(blocks)) if blocks else None


def _built(standings: Standings) -> Iterator[Table]:
    terminologies = dict.fromkeys(entry.origin.terminology for entry in standings.sets if entry.built)
    for terminology in terminologies:
        several = terminology if len(terminologies) > 1 else ""
        built = [entry for entry in standings.sets if entry.built and entry.origin.terminology == terminology]
        built.sort(
            key=lambda entry: (list(KINDS).index(entry.origin.kind), DIFFICULTIES.index(entry.origin.difficulty))
        )
        for strategy in STRATEGIES[::-1]:
            if sets := [entry for entry in built if entry.origin.strategy == strategy]:
                where = f"sets with {_SAMPLING[strategy]} negative sampling" + (f" from {several}" if several else "")
                for statistic in dict.fromkeys(("accuracy", "auc", sets[0].statistic)):
                    unit = " (in per cent)" if statistic == "accuracy" else ""
                    caption = f"{capitalised(STATISTICS[statistic])}{unit} of each model on {where}."
                    name = block_id(f"paper-{statistic}", strategy, several)
                    yield _values(standings, sets, statistic, name, caption)
                name = block_id("paper-measures", strategy, several)
                yield from _marks(standings, sets, name, f"of each model on {where}")


def _rated(standings: Standings, best: Standings | None) -> Iterator[Table]:
    rated = [entry for entry in standings.sets if entry.graded]
    for part, start in enumerate(range(0, len(rated), _MOST_SETS)):
        sets, number = rated[start : start + _MOST_SETS], str(part) if part else ""
        statistic, what = sets[0].statistic, "of each model on sets rated by people"
        caption = f"{STATISTICS[statistic]} of each model with human ratings."
        yield _values(standings, sets, statistic, block_id("paper-rho", number), caption)
        if best is not None:
            yield _by_best_measures(best, sets, block_id("paper-best-measures", number), what)
        yield from _marks(standings, sets, block_id("paper-measures", number), what)


def _variances(standings: Standings) -> Iterator[Figure]:
    """Yield figures B.1 and C.1: the least, median and greatest variance between the measures of a model over sets."""
    for statistic, figure in (("spearman", "B.1"), ("pearson", "B.1"), ("accuracy", "C.1"), ("auc", "C.1")):
        values = standings.results.filter(pl.col("value").is_not_null(), statistic=statistic, subset=SHARED)
        by_set = values.group_by("model", "set", maintain_order=True)
        data = by_set.agg(measures=pl.len(), variance=pl.col("value").var(ddof=0)).filter(pl.col("measures") > 1)
        ends = [pl.col("variance").median(), pl.min("variance").alias("low"), pl.max("variance").alias("high")]
        dots = {
            model: [
                Dot(middle, low, high, *model_look(baseline=model in standings.baselines), f"{model}: {middle:.5f}")
            ]
            for model, middle, low, high in data.group_by("model", maintain_order=True).agg(ends).iter_rows()
        }
        if dots:
            what = f"variance of {STATISTICS[statistic]} between the measures of a model, over sets"
            yield Figure(
                id=block_id("paper-variance", statistic),
                caption=f"Least, median and greatest {what} (figure {figure} of the paper).",
                description="; ".join(f"{model}: median {dot.value:.4f}" for model, (dot,) in dots.items()) + ".",
                draw=DotPlot([DotPanel((), dots)], list(dots), f"variance of {STATISTICS[statistic]}", least=0.0).draw,
                data=data,
                folded=True,
            )


def _values(standings: Standings, sets: Sequence[TitledSet], statistic: str, name: str, caption: str) -> Table:
    """Return the values of a statistic, accuracies in per cent; with marks if models are compared by it."""
    digits, scale = (1, 100) if statistic == "accuracy" else (2, 1)
    tested, data = statistic == sets[0].statistic, standings.frame(sets, [statistic])
    values = {
        (model, entry): (one, Cell.number(None if one.value is None else scale * one.value, digits, top=scale))
        for model in standings.models
        for entry in sets
        if (one := standings.of(entry, model, statistic))
    }
    shown = {
        key: float(cell.text) for key, (_, cell) in values.items() if cell.value is not None
    }  # equal if it looks so
    best = {entry: max((value for key, value in shown.items() if key[1] == entry), default=None) for entry in sets}
    rows = [[Cell("Subset size"), *(_size(standings, entry) for entry in sets)]]
    for model in standings.models:
        rows.append([Cell(model)])
        for entry in sets:
            one, cell = values.get((model, entry), (None, Cell.number(None)))
            top = (model, entry) in shown and shown[model, entry] == best[entry]
            note = f"by {one.measure}" if one else ""
            rows[-1].append(replace(cell, against=one.against if one else UNTESTED, best=top, note=note))
    return Table(
        name,
        caption,
        _columns(sets),
        tuple(map(tuple, rows)),
        tuple(_notes(standings, sets)) if tested else (),
        data if tested else data.drop("wins", "losses", "not_told_from_best"),
        sortable=False,
        folded=True,
    )


def _columns(sets: Sequence[TitledSet], *, numeric: bool = True) -> tuple[Column, ...]:
    """Return a column for the model, and one for each set; built ones stand under their kinds."""
    heads = (
        (entry.brief, "") if entry.graded else (entry.origin.difficulty, _KINDS[entry.origin.kind]) for entry in sets
    )
    return Column("Model"), *(
        Column(heading, numeric=numeric, note=entry.id, group=group)
        for entry, (heading, group) in zip(sets, heads, strict=True)
    )


def _size(standings: Standings, entry: TitledSet) -> Cell:
    shared, total = standings.shared(entry), standings.size(entry)
    if entry.graded:
        return Cell(f"{shared}/{total}")
    value = shared / total if total else None
    percent = MISSING if value is None else f"{decimal(100 * value, top=100)}%"
    return Cell(percent, value, note=f"of {numbered(total, 'pair')}")


def _notes(standings: Standings, sets: Sequence[TitledSet]) -> Iterator[str]:
    """Yield what the paper says below its tables."""
    measures = dict.fromkeys(f"`{standing.measure}`" for entry in sets for standing in standings.on(entry))
    yield f"By {', '.join(measures)}."
    yield from apart_notes(standings, sets)
    yield from _tested(standings, sets)


def _tested(standings: Standings, sets: Sequence[TitledSet]) -> Iterator[str]:
    tests = [standings.comparisons[entry.id].comparison for entry in sets if entry.id in standings.comparisons]
    testing = standings.testing
    if tests and len(standings.models) > 1:
        count = len(tests[0].differences)
        level = f"α = {testing.alpha:g}"
        if testing.correction == "bonferroni" and count:
            level = f"α = {testing.alpha / count:.2g}, i.e. α = {testing.alpha:g} with Bonferroni correction"
        elif testing.correction == "holm":
            level += " with Holm correction"
        yield (
            "A model is significantly better/worse than the number of models given by the positive/negative "
            f"superscripts ({tests[0].test}; {level}).{_AS_PUBLISHED if testing.tests == 'paper' else ''}"
        )


def short_name(measure: str) -> str:
    """Return what a measure is called where there is little room.

    >>> [short_name(name) for name in ("avg_cos", "pair_kendall", "fuzzy_jaccard", "cos")]
    ['cA', 'kP', 'fJ', 'cos']
    """
    details = all_measures().get(measure)
    pooled = _POOLED.get(details.pooling, "") if details else ""
    return f"{details.family[0]}{pooled}" if details and pooled else _JACCARD.get(measure, measure)


def _by_best_measures(best: Standings, sets: Sequence[TitledSet], name: str, what: str) -> Table:
    """Return the highest value of each model on each set, and below it the measure that gives it."""
    rows: list[list[str | Cell]] = []
    for model in best.models:
        values_of_model = [
            one if one and one.value is not None else None for one in (best.of(entry, model) for entry in sets)
        ]
        if any(values_of_model):
            values = (
                Cell.number(one.value, 2, against=one.against) if one else Cell.number(None) for one in values_of_model
            )
            rows.append([model, *values])
            rows.append(
                ["", *(Cell(short_name(one.measure), note=one.measure) if one else Cell("") for one in values_of_model)]
            )
    return Table.from_rows(
        name,
        f"{STATISTICS[sets[0].statistic].capitalize()} by the best measure {what}.",
        _columns(sets),
        rows,
        notes=(
            *_tested(best, sets),
            "The measure was chosen on the same pairs, so these values are optimistic.",
            _SHORT_NAMES,
        ),
        data=best.frame(sets).select("set", "model", "measure", "value"),
        sortable=False,
        folded=True,
    )


def _marks(standings: Standings, sets: Sequence[TitledSet], name: str, what: str) -> Iterator[Table]:
    """Yield the measures of each model that are better or worse than others of its own; nothing if there are none."""
    ids = [entry.id for entry in sets]
    by = {(one.set, one.model): one.comparison for one in standings.measures if one.set in ids}
    counts = {key: test.counts for key, test in by.items()}
    if not by:
        return

    def marked(set_id: str, model: str) -> str:
        tallies = counts.get((set_id, model), {}).items()
        return ", ".join(
            f"{short_name(name)}{raised(str(WinsLosses(*tally)))}" for name, tally in tallies if any(tally)
        )

    rows = [(model, *(marked(set_id, model) for set_id in ids)) for model in dict.fromkeys(model for _, model in by)]
    data = [(*key, name, *both) for key, tally in counts.items() for name, both in tally.items()]
    yield Table.from_rows(
        name,
        f"Measures that are significantly better and worse than others {what}.",
        _columns(sets, numeric=False),
        rows,
        notes=(
            f"{_SUPERSCRIPTS} ({next(iter(by.values())).test}). Measures without any are left out.",
            _SHORT_NAMES,
        ),
        data=pl.DataFrame(data, ["set", "model", "measure", "wins", "losses"], orient="row", infer_schema_length=None),
        sortable=False,
        folded=True,
    )
