"""The tables of Schulz & Juric (2020) for a run: models down, kinds and difficulties across, significance as counts.

Tables 5 and C.1 of the paper are accuracies in per cent, C.2 and C.3 areas under the ROC curve, Table 4 correlations
with human ratings. The row below the headings says which part of each set all models can score.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from termgauge.benchmark.sets import DIFFICULTIES, STRATEGIES
from termgauge.plurals import numbered
from termgauge.reporting.blocks import UNTESTED, Cell, Column, Section, Table, block_id
from termgauge.reporting.set_names import KINDS, STATISTICS
from termgauge.reporting.words import MISSING, capitalised, decimal
from termgauge.tasks.pairs.sections.groups import apart_notes
from termgauge.tasks.pairs.sections.measures import best_table, marks_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from termgauge.reporting.set_names import TitledSet
    from termgauge.tasks.pairs.compare import MeasureComparison
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


def paper_section(
    standings: Standings,
    pairs: Mapping[str, int],
    measures: Sequence[MeasureComparison] = (),
    best: Standings | None = None,
    *,
    published: bool = False,
) -> Section | None:
    """Return the tables in the paper's layout; None if there is nothing to put into them.

    With comparisons of `measures` also those of Tables B.2 to B.5 and C.4 to C.8; with where models stand by their
    `best` measures on rated sets also Table B.1. If the tests are the `published` ones, notes say so.
    """
    as_published = _AS_PUBLISHED if published else ""
    tables = [
        *_built(standings, pairs, measures, as_published),
        *_rated(standings, pairs, measures, best, as_published),
    ]
    return Section("paper", "Tables for a paper", tuple(tables)) if tables else None


def _built(
    standings: Standings, pairs: Mapping[str, int], measures: Sequence[MeasureComparison], as_published: str
) -> Iterator[Table]:
    terminologies = dict.fromkeys(each.origin.terminology for each in standings.sets if each.built)
    for terminology in terminologies:
        several = terminology if len(terminologies) > 1 else ""
        for strategy in STRATEGIES[::-1]:
            sets = sorted(
                (
                    each
                    for each in standings.sets
                    if each.origin.terminology == terminology and each.origin.strategy == strategy
                ),
                key=lambda each: (list(KINDS).index(each.origin.kind), DIFFICULTIES.index(each.origin.difficulty)),
            )
            if sets:
                where = f"sets with {_SAMPLING[strategy]} negative sampling" + (f" from {several}" if several else "")
                for statistic in dict.fromkeys(("accuracy", "auc", sets[0].statistic)):
                    name = block_id(f"paper-{statistic}", strategy, several)
                    yield _values(standings, sets, pairs, statistic, name, where, as_published)
                name, columns = block_id("paper-measures", strategy, several), _kind_columns(sets, numeric=False)
                if table := marks_table(name, f"of each model on {where}", columns, sets, measures):
                    yield table


def _values(
    standings: Standings,
    sets: Sequence[TitledSet],
    pairs: Mapping[str, int],
    statistic: str,
    name: str,
    where: str,
    as_published: str,
) -> Table:
    """Return the values of a statistic, accuracies in per cent; with marks if models are compared by it."""
    digits, scale, unit = (1, 100, " (in per cent)") if statistic == "accuracy" else (2, 1, "")
    tested, data = statistic == sets[0].statistic, standings.frame(sets, [statistic])
    rows = data.select("set", "model", "value").iter_rows()
    values = {(each, model): None if value is None else scale * value for each, model, value in rows}
    sizes = (Cell("Subset size"), *(_share(standings, each, pairs) for each in sets))
    return Table(
        name,
        f"{capitalised(STATISTICS[statistic])}{unit} of each model on {where}.",
        _kind_columns(sets),
        (sizes, *_rows(standings, sets, values, digits=digits, marks=tested)),
        tuple(_notes(standings, sets, as_published)) if tested else (),
        data if tested else data.drop("wins", "losses", "not_told_from_best"),
        sortable=False,
        folded=True,
    )


def _rated(
    standings: Standings,
    pairs: Mapping[str, int],
    measures: Sequence[MeasureComparison],
    best: Standings | None,
    as_published: str,
) -> Iterator[Table]:
    rated = [each for each in standings.sets if each.graded]
    for part, start in enumerate(range(0, len(rated), _MOST_SETS)):
        sets = rated[start : start + _MOST_SETS]
        columns = (Column("Model"), *(Column(each.brief, numeric=True, note=each.id) for each in sets))
        values = {(each.id, model): standings.value(each, model) for each in sets for model in standings.models}
        sizes = (Cell("Subset size"), *(Cell(f"{standings.shared(each)}/{pairs.get(each.id, 0)}") for each in sets))
        yield Table(
            block_id("paper-rho", str(part) if part else ""),
            f"{STATISTICS[sets[0].statistic]} of each model with human ratings.",
            columns,
            (sizes, *_rows(standings, sets, values, digits=2, marks=True)),
            tuple(_notes(standings, sets, as_published)),
            standings.frame(sets),
            sortable=False,
            folded=True,
        )
        number_of = str(part) if part else ""
        what, plain = "of each model on sets rated by people", [replace(column, numeric=False) for column in columns]
        if best is not None:
            by_model = {(each.id, one.model): one.against for each in sets for one in best.on(each)}
            name, notes = block_id("paper-best-measures", number_of), _tested(best, sets, as_published)
            yield best_table(name, what, plain, sets, best, by_model, digits=2, notes=notes)
        if table := marks_table(block_id("paper-measures", number_of), what, plain, sets, measures):
            yield table


def _kind_columns(sets: Sequence[TitledSet], *, numeric: bool = True) -> tuple[Column, ...]:
    return Column("Model"), *(
        Column(each.origin.difficulty, numeric=numeric, note=each.id, group=_KINDS[each.origin.kind]) for each in sets
    )


def _rows(
    standings: Standings,
    sets: Sequence[TitledSet],
    values: Mapping[tuple[str, str], float | None],
    *,
    digits: int,
    marks: bool,
) -> Iterator[tuple[Cell, ...]]:
    best = {
        each.id: max((_printed(values.get((each.id, model)), digits) for model in standings.models), default=None)
        for each in sets
    }
    for model in standings.models:
        cells = [Cell(model)]
        for each in sets:
            value, standing = values.get((each.id, model)), standings.of(each, model)
            against = standing.against if marks and standing else UNTESTED
            highest = value is not None and _printed(value, digits) == best[each.id]
            note = f"by {standing.measure}" if standing else ""
            top = 100 if digits == 1 else 1
            cells.append(Cell.number(value, digits, top=top, against=against, best=highest, note=note))
        yield tuple(cells)


def _printed(value: float | None, digits: int) -> float:
    """Return a value as it is printed, so that what looks equal is equal; the lowest of all if there is none."""
    return float("-inf") if value is None else float(decimal(value, digits, top=100 if digits == 1 else 1))


def _share(standings: Standings, each: TitledSet, pairs: Mapping[str, int]) -> Cell:
    total = pairs.get(each.id, 0)
    value = standings.shared(each) / total if total else None
    percent = MISSING if value is None else f"{decimal(100 * value, top=100)}%"
    return Cell(percent, value, note=f"of {numbered(total, 'pair')}")


def _notes(standings: Standings, sets: Sequence[TitledSet], as_published: str) -> Iterator[str]:
    """Yield what the paper says below its tables."""
    measures = dict.fromkeys(f"`{standing.measure}`" for each in sets for standing in standings.on(each))
    yield f"By {', '.join(measures)}."
    yield from apart_notes(standings, sets)
    yield from _tested(standings, sets, as_published)


def _tested(standings: Standings, sets: Sequence[TitledSet], as_published: str) -> Iterator[str]:
    tests = [standings.comparisons[each.id].comparison for each in sets if each.id in standings.comparisons]
    if tests and len(standings.models) > 1:
        alpha, count = standings.testing.alpha, len(tests[0].differences)
        level = f"α = {alpha:g}"
        if standings.testing.correction == "bonferroni" and count:
            level = f"α = {alpha / count:.2g}, i.e. α = {alpha:g} with Bonferroni correction"
        elif standings.testing.correction == "holm":
            level += " with Holm correction"
        yield (
            "A model is significantly better/worse than the number of models given by the positive/negative "
            f"superscripts ({tests[0].test}; {level}).{as_published}"
        )
