"""Which differences are real, for a terminal: systems in order, with intervals and the papers' superscripts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.text import Text

from termgauge.document.numbers import decimal, number
from termgauge.document.pieces import interval, superscript, table_of
from termgauge.document.set_names import SHORT_STATISTICS
from termgauge.document.words import corrected
from termgauge.statistics.json_values import finite

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from termgauge.statistics.significance import Comparison
    from termgauge.tasks.pairs.run_comparison import RunComparison


def comparison_tables(found: RunComparison) -> RenderableType:
    """Return a table per set with the models, then a table per model and set with its measures."""
    parts: list[RenderableType] = []
    for each in found.models:
        comparison = each.comparison
        title = Text.assemble((each.set, "bold"), f"  {_about(comparison)}")
        parts += [title, _ranked(comparison, "Model", each.measures)]
        if each.detectable is not None:
            parts.append(Text(_detectable(each.detectable.difference, comparison.statistic), style="dim"))
        parts.append("")
    for one in found.measures:
        title = Text.assemble((f"{one.model} on {one.set}", "bold"), f"  {_about(one.comparison)}")
        parts += [title, _ranked(one.comparison, "Measure", {}), ""]
    legend = "⁺ⁿ: significantly better than n others; ⁻ⁿ: significantly worse than n others"
    return Group(*parts, Text(legend, style="dim"))


def comparison_document(found: RunComparison) -> dict[str, Any]:
    """Return all comparisons as JSON-like values."""
    return {
        "run": found.run,
        "models": {
            each.set: {
                **_document(each.comparison),
                "measures": each.measures,
                "detectable": None if each.detectable is None else finite(each.detectable.difference),
            }
            for each in found.models
        },
        "measures": [{"set": one.set, "model": one.model, **_document(one.comparison)} for one in found.measures],
    }


def _document(comparison: Comparison) -> dict[str, Any]:
    names = comparison.names
    return {
        "statistic": comparison.statistic,
        "test": comparison.test,
        "n": comparison.n,
        "alpha": comparison.alpha,
        "correction": comparison.correction,
        "comparisons": comparison.comparisons,
        "systems": [
            {
                "name": names[place],
                "value": finite(comparison.values[place].value),
                "low": finite(comparison.values[place].low),
                "high": finite(comparison.values[place].high),
                "wins": comparison.wins[place],
                "losses": comparison.losses[place],
            }
            for place in comparison.ranking
        ],
        "differences": [
            {key: finite(value) for key, value in comparison.between(one, other)._asdict().items()}
            for at, one in enumerate(names)
            for other in names[at + 1 :]
        ],
    }


def _ranked(comparison: Comparison, heading: str, measures: dict[str, str]) -> Table:
    extra = ("measure",) if measures else ()
    table = table_of(heading, *extra, SHORT_STATISTICS[comparison.statistic], "interval", right=2 + len(extra))
    for place in comparison.ranking:
        name, value = comparison.names[place], comparison.values[place]
        marks = superscript(comparison.wins[place], comparison.losses[place])
        cells = [measures[name]] if measures else []
        shown = Text(f"{decimal(value.value, 3):>6}{marks}")
        table.add_row(Text(name), *cells, shown, Text(interval(value.low, value.high)))
    return table


def _about(comparison: Comparison) -> str:
    return (
        f"{number(comparison.n)} pairs, {comparison.comparisons} comparisons by {comparison.test}, "
        f"alpha {comparison.alpha:g}, {corrected(comparison.correction)}"
    )


def _detectable(difference: float, statistic: str) -> str:
    name = SHORT_STATISTICS[statistic]
    if math.isinf(difference):
        return f"On a set of this size no difference in {name} between two models is found in four cases of five."
    return f"The smallest difference in {name} that is found on such a set in four cases of five: {difference:.2f}."
