"""How far models keep categories apart, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from termgauge.document.numbers import decimal, number
from termgauge.document.pieces import interval, table_of
from termgauge.tasks.categories.overlap import CATEGORIES

if TYPE_CHECKING:
    from rich.console import RenderableType

    from termgauge.tasks.categories.result import CategoryReport

_PAIRS = ("AB", "AC", "AA", "BB", "CC")


def category_tables(found: CategoryReport) -> RenderableType:
    """Return what the categories are, and overlap and mean similarities of each model and measure."""
    chosen = table_of("Category", "", "terms", right=2)
    for letter, category in zip(CATEGORIES, found.categories, strict=True):
        role = "far" if letter == "C" else "close"
        chosen.add_row(f"{letter}  {role}", Text(category.name), number(len(category.terms)))
    encoded = table_of("Terms that a model can encode", *CATEGORIES)
    table = table_of("Model", "measure", "overlap", "interval", *_PAIRS, right=2)
    for model, by_measure in found.models.items():
        for measure, values in by_measure.items():
            table.add_row(
                Text(model),
                measure,
                decimal(values.overlap, 3),
                interval(values.low, values.high),
                *(decimal(values.means[pair], 2) for pair in _PAIRS),
            )
        encoded.add_row(Text(model), *map(number, next(iter(by_measure.values())).sizes))
    legend = (
        "overlap: share of triples in which a term of A is no nearer to one of B than to one of C (0 is perfect, 0.5 "
        "is chance), with its interval over the terms of A; AB … CC: mean similarities"
    )
    parts: list[RenderableType] = [chosen, "", encoded, "", table, Text(legend, style="dim")]
    if found.shared:
        parts.append(Text(f"{number(found.shared)} terms are in more than one category.", style="dim"))
    return Group(*parts)
