"""What is to be known first of scored pairs: the verdict, what is missing, and what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.plurals import numbered, plural
from termgauge.reporting.blocks import Fact
from termgauge.reporting.words import corrected, count, listed, named, number, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from termgauge.statistics.comparison import Joint
    from termgauge.tasks.pairs.sections.standings import Standings


def summary(standings: Standings, main: Joint | None, failures: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the verdict and what is missing; `failures` are models that were left out or did not finish."""
    lost = tuple(_failures(standings, failures or {}))
    if not standings.models:
        return ("Nothing was measured: no model has a value on any set.", *lost)
    return (*((plain(main.verdict),) if main else ()), *lost)


def _failures(standings: Standings, failures: Mapping[str, str]) -> Iterator[str]:
    lost = [name for name in failures if name not in standings.models]
    partly = [name for name in failures if name in standings.models]
    parts = [
        *([f"{named(lost)} {plural(len(lost), 'was', 'were')} left out"] if lost else []),
        *([f"{named(partly)} did not finish every step"] if partly else []),
    ]
    if parts:
        yield f"{listed(parts)}; the reasons are given below."


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
    if standings.comparisons and len(standings.models) > 1:
        yield Fact("Significance", f"alpha {standings.testing.alpha:g}, {corrected(standings.testing.correction)}")
