"""How well models cover a domain, for a terminal: Tables 3 and 4 of Giancani et al. (2023)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from termgauge.document.numbers import decimal, number
from termgauge.document.pieces import interval, superscript, table_of
from termgauge.document.words import corrected
from termgauge.tasks.coverage.measure import DISCOUNTED, GAIN, IN_VOCABULARY

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from termgauge.tasks.coverage.result import CoverageReport

_MOST_SEEDS = 15
_MOST_INTERVALS = 2
"""With more values of k there is no room for intervals."""
_NAMES = {GAIN: "%CG", DISCOUNTED: "posDCG"}


def coverage_tables(found: CoverageReport) -> RenderableType:
    """Return what the domain is, how much of it each model has, how its neighbours are, and which seeds are missing."""
    domain = found.domain
    title = Text.assemble(("Domain", "bold"), f"  {number(len(domain))} seeds: {domain.title}")
    parts: list[RenderableType] = [title, "", _vocabulary(found), ""]
    for statistic in (GAIN, DISCOUNTED):
        parts += [_neighbours(found, statistic), ""]
    legend = (
        "%CG: share of the k nearest neighbours of the seeds that are seeds; posDCG: the same, a neighbour at rank j "
        "counting 1/log2(j + 1). Seeds out of vocabulary are all misses. Intervals are over seeds (all: --json)."
    )
    parts.append(Text(legend, style="dim"))
    if len(found.models) > 1:
        raised = "Raised: how many of the other models it significantly beats (+) and loses to (-)"
        parts.append(Text(f"{raised}, {corrected(found.statistics.correction)}.", style="dim"))
    if any(model.neighbourhood == "terminology" for model in found.models.values()):
        note = (
            "Encoders have no vocabulary of words: their neighbours are sought among the names of the terminology's "
            "concepts, which is another question: they are not compared with models that have one."
        )
        parts.append(Text(note, style="dim"))
    if table := _missing(found):
        parts += ["", table]
    return Group(*parts)


def _vocabulary(found: CoverageReport) -> Table:
    table = table_of("Model", "neighbours among", "|OOV|", "%OOV", "|IV|", "%IV", "interval", right=2)
    for name, model in found.models.items():
        share = found.value(name, IN_VOCABULARY)
        low, high = found.interval(name, IN_VOCABULARY)
        what = "concepts of the terminology" if model.neighbourhood == "terminology" else model.kind
        table.add_row(
            Text(name),
            f"{number(model.size)} {what}",
            number(len(found.domain) - model.in_vocabulary),
            f"{100 * (1 - share):.2f} %",
            number(model.in_vocabulary),
            f"{100 * share:.2f} %" + superscript(*found.wins_and_losses(name, IN_VOCABULARY)),
            interval(100 * low, 100 * high, 1),
        )
    return table


def _neighbours(found: CoverageReport, statistic: str) -> Table:
    table = table_of(_NAMES[statistic], *(f"k = {k}" for k in found.ks))
    for name in found.models:
        cells = []
        for k in found.ks:
            raised = superscript(*found.wins_and_losses(name, statistic, k))
            ends = interval(*found.interval(name, statistic, k), 3) if len(found.ks) <= _MOST_INTERVALS else ""
            cells.append(f"{decimal(found.value(name, statistic, k), 3)}{raised} {ends}".rstrip())
        table.add_row(Text(name), *cells)
    return table


def _missing(found: CoverageReport) -> Table | None:
    """Return which models have some of the seeds that not all have, those first on which models differ."""
    known = [sum(bool(model.known[place]) for model in found.models.values()) for place in range(len(found.domain))]
    lacking = [place for place, count in enumerate(known) if count < len(found.models)]
    if not lacking:
        return None
    shown = sorted(lacking, key=lambda place: known[place] == 0)[:_MOST_SEEDS]
    table = table_of("Some seeds that are missing", "", *found.models, right=0)
    for place in sorted(shown):
        seed = found.domain.seeds[place]
        marks = ["✓" if model.known[place] else "" for model in found.models.values()]
        table.add_row(Text(seed), Text(found.domain.name(seed)), *marks)
    if len(lacking) > len(shown):
        table.add_row(Text(f"({number(len(lacking) - len(shown))} more)"))
    return table
