"""What is to be known first about scores of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.plurals import numbered
from termgauge.reporting.blocks import Fact
from termgauge.reporting.words import corrected, count, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from termgauge.tasks.pairs.sections.standings import Standings


def facts(standings: Standings, pairs: Mapping[str, int]) -> Iterator[Fact]:
    """Yield the terminologies, models and sets, and how differences were tested."""
    total = sum(pairs.get(each.id, 0) for each in standings.sets)
    sources = dict.fromkeys(each.origin.terminology for each in standings.sets if each.built)
    if sources:
        yield Fact("Terminology" if len(sources) == 1 else "Terminologies", ", ".join(sources))
    weak, named = len(standings.baselines), number(len(standings.models))
    which = f"{named}, {count(weak)} of them {'a baseline' if weak == 1 else 'baselines'}" if weak else named
    yield Fact("Models", which)
    yield Fact("Sets", number(len(standings.sets)) + (f", {numbered(total, 'pair')}" if total else ""))
    some = next(iter(standings.comparisons.values()), None)
    if some is not None and some.comparison.comparisons:
        yield Fact("Significance", f"alpha {some.comparison.alpha:g}, {corrected(some.comparison.correction)}")
