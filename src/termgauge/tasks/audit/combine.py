"""What rules and all models say together."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from termgauge.tasks.audit.lists import (
    doubted_replacements,
    judged_pairs,
    missed_synonyms,
    unlike_synonyms,
    unreplaced_concepts,
)
from termgauge.tasks.audit.percentiles import Judges, percentiles
from termgauge.tasks.audit.result import DOUBTED, MISSED, UNLIKE, UNREPLACED, AuditedModel, AuditResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from termgauge.tasks.audit.inputs import AuditInputs
    from termgauge.tasks.audit.measure import ModelReading
    from termgauge.tasks.audit.task import AuditOptions


def audited(readings: Mapping[str, ModelReading], inputs: AuditInputs, options: AuditOptions) -> AuditResult:
    """Return the four lists."""
    entries = inputs.entries
    judges = Judges(readings, inputs.models, entries.texts)
    pairs = judged_pairs(inputs, readings.values(), judges)
    lists = {
        UNLIKE: unlike_synonyms(inputs, readings, judges, pairs),
        MISSED: missed_synonyms(inputs, pairs),
        UNREPLACED: unreplaced_concepts(inputs, readings.values(), pairs),
        DOUBTED: doubted_replacements(inputs, readings.values(), pairs),
    }
    return AuditResult(
        terminology=dict(inputs.identity),
        concepts=len(entries.ids),
        terms=len(entries),
        first=options.first,
        population=judges.population,
        hierarchy=bool(inputs.hierarchy),
        counts={name: len(rows) for name, rows in lists.items()},
        kinds={name: dict(Counter(row.kind for row in rows).most_common()) for name, rows in lists.items()},
        models={
            name: AuditedModel(
                kind="vectors" if reading.nearest else "pairs",
                unknown=reading.unknown,
                auc=_mean(percentiles(judges.random[name], judges.own[name])),
            )
            for name, reading in readings.items()
        },
        lists={name: rows[: options.most] for name, rows in lists.items()},
        notes=_notes(inputs, readings),
    )


def _mean(values: np.ndarray) -> float | None:
    known = values[~np.isnan(values)]
    return round(float(known.mean()), 6) if len(known) else None


def _notes(inputs: AuditInputs, readings: Mapping[str, ModelReading]) -> list[str]:
    """Say what could not be looked for."""
    notes = []
    if not readings:
        notes.append("No model was named, so that only rules were applied: there is no list of unlike synonyms.")
    elif not any(reading.nearest for reading in readings.values()):
        notes.append("No model has vectors, so that only what rules propose was judged.")
    if not len(inputs.entries.synonyms):
        notes.append("The terminology has no synonyms, so none can look unlike its concept.")
    if not inputs.hierarchy:
        notes.append("The terminology has no hierarchy, so that concepts that are alike by right are not marked.")
    if not inputs.entries.retired:
        notes.append("The terminology has no retired concepts, so that two of the lists are empty.")
    return notes
