"""A run in brief: what a terminal shows after scoring, and a notebook of a run folder."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.reporting.blocks import Document, Fact, Prose, Section
from termgauge.reporting.numbers import number
from termgauge.tasks.pairs.result import PairsResult
from termgauge.tasks.pairs.sections.values import value_section

if TYPE_CHECKING:
    from termgauge.engine.run_folder import RunFolder


def run_in_brief(run: RunFolder) -> Document:
    """Return what a run holds, and its values; nothing is compared that was not compared before."""
    record = run.record()
    facts = [Fact("Folder", str(run.path)), Fact("Models", number(len(record.models)))]
    facts += [Fact("Sets", number(len(record.sets)))] if record.sets else []
    facts += [Fact("Other measurements", ", ".join(others))] if (others := [*record.tasks]) else []
    facts += [Fact("Could not be used", ", ".join(record.failures))] if record.failures else []
    sections = (values_of_run(run),) if record.sets and record.models else ()
    return Document(record.title, (), tuple(facts), sections)


def values_of_run(run: RunFolder, *, compare: str = "never") -> Section:
    """Return the values of a run.

    Which differences are significant is said if `compare` is ``known``, as its report knows them, or ``now``.
    """
    from termgauge.tasks.pairs.compare import compare_sets

    scored, compared = run.scored(), None
    result = PairsResult(results=scored.results(), scored=scored)
    if not result.results.height:
        return Section("values", "Values", (Prose(("No pair was scored.",)),))
    with warnings.catch_warnings(), suppress(TermgaugeError):  # nothing to compare
        warnings.simplefilter("ignore", TermgaugeWarning)  # evaluating has said what takes no part
        if compare == "known":
            known = result.compared[0]
            compared = replace(known, models=tuple(replace(each, detectable=None) for each in known.models))
        elif compare == "now" and len(scored.models) > 1:
            compared = compare_sets(scored, between_measures=False, power=False)
    return value_section(result.standings_by(compared), result.pairs, scored.testing.groups)
