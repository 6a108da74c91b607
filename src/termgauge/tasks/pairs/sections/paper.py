"""The tables of Schulz & Juric (2020) for a run: models down, kinds and difficulties across, significance as counts.

Tables 5 and C.1 of the paper are accuracies in per cent, C.2 and C.3 areas under the ROC curve, Table 4 correlations
with human ratings. The row below the headings says which part of each set all models can score.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from termgauge.benchmark.sets import DIFFICULTIES, STRATEGIES
from termgauge.document.blocks import UNTESTED, Cell, Column, Section, Table, block_id
from termgauge.document.numbers import MISSING, decimal, number
from termgauge.document.set_names import KINDS
from termgauge.tasks.pairs.sections.groups import apart_notes
from termgauge.tasks.pairs.sections.measure_tables import best_table, marks_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from termgauge.document.set_names import TitledSet
    from termgauge.statistics.significance import Comparison
    from termgauge.tasks.pairs.run_comparison import MeasureComparison
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


def paper_section(
    standings: Standings,
    pairs: Mapping[str, int],
    measures: Sequence[MeasureComparison] = (),
    best: Standings | None = None,
) -> Section | None:
    """Return the tables in the paper's layout; None if there is nothing to put into them.

    With comparisons of `measures` also those of Tables B.2 to B.5 and C.4 to C.8; with where models stand by their
    `best` measures on rated sets also Table B.1.
    """
    tables = [*_built(standings, pairs, measures), *_rated(standings, pairs, measures, best)]
    return Section("paper", "Tables for a paper", tuple(tables)) if tables else None


def _built(standings: Standings, pairs: Mapping[str, int], measures: Sequence[MeasureComparison]) -> Iterator[Table]:
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
                yield _accuracy(standings, sets, pairs, block_id("paper-accuracy", strategy, several), where)
                yield _areas(standings, sets, pairs, block_id("paper-auc", strategy, several), where)
                name, columns = block_id("paper-measures", strategy, several), _kind_columns(sets, numeric=False)
                if table := marks_table(name, f"of each model on {where}", columns, sets, measures):
                    yield table


def _accuracy(
    standings: Standings, sets: Sequence[TitledSet], pairs: Mapping[str, int], name: str, where: str
) -> Table:
    values = {(each.id, model): standings.value(each, model) for each in sets for model in standings.models}
    scaled = {key: None if value is None else 100 * value for key, value in values.items()}
    rows = _rows(standings, sets, scaled, digits=1, marks=True)
    sizes = (Cell("Subset size"), *(_share(standings, each, pairs) for each in sets))
    caption = f"Accuracy (in per cent) of each model on {where}."
    return Table(
        name, caption, _kind_columns(sets), (sizes, *rows), tuple(_notes(standings, sets)), standings.frame(sets),
        sortable=False, folded=True,
    )  # fmt: skip


def _areas(standings: Standings, sets: Sequence[TitledSet], pairs: Mapping[str, int], name: str, where: str) -> Table:
    frame = standings.frame(sets, ["auc"])
    values = {(row["set"], row["model"]): row["value"] for row in frame.iter_rows(named=True)}
    rows = _rows(standings, sets, values, digits=2, marks=False)
    sizes = (Cell("Subset size"), *(_share(standings, each, pairs) for each in sets))
    caption = f"Area under the ROC curve of each model on {where}."
    data = frame.drop("wins", "losses", "not_told_from_best")
    return Table(name, caption, _kind_columns(sets), (sizes, *rows), (), data, sortable=False, folded=True)


def _rated(
    standings: Standings, pairs: Mapping[str, int], measures: Sequence[MeasureComparison], best: Standings | None
) -> Iterator[Table]:
    rated = [each for each in standings.sets if each.graded]
    for part, start in enumerate(range(0, len(rated), _MOST_SETS)):
        sets = rated[start : start + _MOST_SETS]
        columns = (Column("Model"), *(Column(each.brief, numeric=True, note=each.id) for each in sets))
        values = {(each.id, model): standings.value(each, model) for each in sets for model in standings.models}
        sizes = (Cell("Subset size"), *(Cell(f"{standings.shared(each)}/{pairs.get(each.id, 0)}") for each in sets))
        yield Table(
            block_id("paper-rho", str(part) if part else ""),
            "Spearman's correlation of each model with human ratings.",
            columns,
            (sizes, *_rows(standings, sets, values, digits=2, marks=True)),
            tuple(_notes(standings, sets)),
            standings.frame(sets),
            sortable=False,
            folded=True,
        )
        number_of = str(part) if part else ""
        what, plain = "of each model on sets rated by people", [replace(column, numeric=False) for column in columns]
        if best is not None:
            by_model = {(each.id, one.model): one.against for each in sets for one in best.on(each)}
            name, notes = block_id("paper-best-measures", number_of), _tested(best, sets)
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
    return Cell(percent, value, note=f"of {number(total)} pairs")


def _notes(standings: Standings, sets: Sequence[TitledSet]) -> Iterator[str]:
    """Yield what the paper says below its tables."""
    by_kind: dict[str, None] = {}
    for each in sets:
        for model in standings.models:
            if standing := standings.of(each, model):
                by_kind[f"`{standing.measure}`"] = None
    yield f"By {', '.join(by_kind)}."
    yield from apart_notes(standings, sets)
    yield from _tested(standings, sets)


def _tested(standings: Standings, sets: Sequence[TitledSet]) -> Iterator[str]:
    tests: list[Comparison] = [
        standings.comparisons[each.id].comparison for each in sets if each.id in standings.comparisons
    ]
    if tests and len(standings.models) > 1:
        test = tests[0]
        level = f"α = {test.alpha:g}"
        if test.correction != "none" and test.comparisons:
            level = f"α = {test.level:.2g}, i.e. α = {test.alpha:g} with {test.correction.capitalize()} correction"
        yield (
            "A model is significantly better/worse than the number of models given by the positive/negative "
            f"superscripts ({test.test}; {level}). As published, pairs that share a concept are taken as independent, "
            "and thresholds are chosen on the pairs that they are judged on."
        )
