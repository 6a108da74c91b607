"""How far models keep a distant category of terms apart from two close ones: the category pictures and table."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from termgauge.plurals import plural
from termgauge.reporting.blocks import Cell, Column, Interval, Table, block_id
from termgauge.reporting.words import bold, decimal, listed, number, plain
from termgauge.tasks.categories.result import CATEGORIES
from termgauge.tasks.shown import opening

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.reporting.blocks import Section
    from termgauge.tasks.categories.result import CategoryResult, CategorySummary, Separation
    from termgauge.tasks.contract import About

_PAIRS = {"AB": "A, B: close", "AC": "A, C: distant", "AA": "within A", "BB": "within B", "CC": "within C"}
_MEANS = [Column.number(pair, 2, meaning, "Mean similarity") for pair, meaning in _PAIRS.items()]
_INTERVALS = "Intervals are over the concepts of A, B and C; there is none where a category has one concept."


class _Row(NamedTuple):
    """A model by one measure."""

    model: str
    measure: str
    values: Separation
    """On the terms that the model encodes."""
    shared: Separation | None
    """On those that all models encode, where they differ."""

    @property
    def compared(self) -> Separation:
        """What models are compared by."""
        return self.shared or self.values


def category_sections(result: CategoryResult, about: About) -> Iterator[Section]:
    """Yield what was found about one choice of categories."""
    name = about.name
    rows = [
        _Row(model, measure, values, result.on_shared.get(model, {}).get(measure))
        for model, by_measure in result.models.items()
        for measure, values in by_measure.items()
    ]
    valued = sorted(
        (row for row in rows if row.compared.overlap is not None),
        key=lambda row: (row.model in result.too_few, row.compared.overlap or 0.0),
    )
    rows = [*valued, *(row for row in rows if row.compared.overlap is None)]
    tables = _table(name, rows), *_best_and_worst(name, rows)
    yield opening("categories", "Categories kept apart", name, result, _about(result, valued), *tables)


def _about(result: CategoryResult, valued: Sequence[_Row]) -> Iterator[str]:
    def described(category: CategorySummary) -> str:
        drawn = f"of {number(category.all_terms)} " if category.terms < category.all_terms else ""
        return f"{plain(category.name)} ({number(category.terms)} {drawn}terms)"

    a, b, c = (described(result.categories[letter]) for letter in CATEGORIES)
    text = (
        f"A, {a}, and B, {b}, are close; C, {c}, is distant from both. The overlap is the share of triples in which a "
        "term of A is no nearer to one of B than to one of C: 0 is perfect, 0.5 is chance."
    )
    if shared := result.shared_terms:
        text += f" {number(shared)} of all their terms {plural(shared, 'is', 'are')} in more than one category."
    yield text
    if not valued:
        yield "No model has a value."
        return
    if result.on_shared:
        sizes = next(iter(next(iter(result.on_shared.values())).values())).sizes
        yield (
            f"Models encode different terms, so they are compared on those that all of them encode: "
            f"{', '.join(number(size) for size in sizes)} of A, B and C."
        )
    if result.too_few:
        yield (
            f"{listed(map(bold, result.too_few))} {plural(len(result.too_few), 'encodes', 'encode')} less than half "
            "of a category, and so stand outside of the comparison."
        )


def _table(name: str, rows: Sequence[_Row]) -> Table:
    cells = []
    shared = any(row.shared is not None for row in rows)
    for row in rows:
        least = rows[0].compared.overlap
        overlap = [_overlap_cell(row.values, best=not shared and row.values.overlap == least)]
        if shared:
            overlap.append(_overlap_cell(row.shared, best=row.shared is not None and row.shared.overlap == least))
        cells.append((row.model, row.measure, *overlap, *map(row.values.means.get, _PAIRS), *row.values.sizes))
    return Table.from_rows(
        block_id("category-values", name),
        "Overlap with its interval, mean similarities between and within categories, and terms encoded.",
        (
            "Model",
            "Measure",
            Column.number("Overlap", note="0 is perfect, 0.5 is chance"),
            *([Column.number("On shared terms", note="those that all models encode")] if shared else []),
            *_MEANS,
            *(Column.count(letter, group="Terms encoded") for letter in CATEGORIES),
        ),
        cells,
        (_INTERVALS,),
    )


def _overlap_cell(values: Separation | None, *, best: bool) -> Cell:
    if values is None:
        return Cell.number(None)
    return Cell.number(values.overlap, interval=Interval.known(values.low, values.high), best=best)


def _best_and_worst(name: str, rows: Sequence[_Row]) -> Iterator[Table]:
    """Yield Table D.1 of Schulz & Juric (2020), where models were measured by several measures."""
    by_model: dict[str, list[_Row]] = {}
    for row in rows:
        if row.compared.overlap is not None:
            by_model.setdefault(row.model, []).append(row)
    several = {model: (some[0], some[-1]) for model, some in by_model.items() if len(some) > 1}
    if not several:
        return

    def both(pair: tuple[_Row, _Row], *, digits: int, of: str = "") -> Cell:
        numbers = [(row.compared.means.get(of) if of else row.compared.overlap) for row in pair]
        return Cell(" / ".join(decimal(value, digits) for value in numbers), numbers[0])

    values = []
    for model, pair in several.items():
        means = (both(pair, digits=2, of=which) for which in _PAIRS)
        values.append((model, f"{pair[0].measure} / {pair[1].measure}", both(pair, digits=3), *means))
    yield Table.from_rows(
        block_id("category-measures", name),
        "The measures with the least and the greatest overlap of each model, and the mean similarities by both "
        "(table D.1 of Schulz & Juric 2020).",
        ("Model", "Measure, best / worst", Column.number("Overlap, best / worst"), *_MEANS),
        values,
    )
