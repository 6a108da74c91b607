"""The most confident wrong pairs, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from termgauge.document.numbers import decimal, number
from termgauge.document.pieces import table_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from termgauge.tasks.pairs.worst import WorstPairs


def worst_table(found: WorstPairs) -> RenderableType:
    """Return a table of the wrong pairs, the worst first, with what the model said and what is true."""
    graded = found.threshold is None
    about = f"{number(found.wrong)} of {number(found.scored)} pairs "
    about += (
        "have another rank than people gave them" if graded else f"are wrong at the threshold {found.threshold:.3f}"
    )
    table = table_of("", "score", "rating" if graded else "label", "off by", "Term", "Term", right=0)
    for column in (1, 2, 3):
        table.columns[column].justify = "right"
    for pair in found.pairs:
        truth = decimal(pair.truth, 2) if graded else f"{pair.truth:.0f}"
        off = f"{100 * pair.size:.0f} % of ranks" if graded else decimal(pair.size, 3)
        table.add_row(pair.error, decimal(pair.score, 3), truth, off, Text(pair.term_1), Text(pair.term_2))
    title = Text.assemble((f"{found.model} on {found.set}", "bold"), f"  {found.measure}, {about}")
    return Group(title, table)
