"""What an audit gives: four ranked lists, and how well each model tells synonyms from other terms."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from pydantic import Field

from termgauge.io.atomic import write_text
from termgauge.plurals import numbered
from termgauge.tasks.audit.inputs import ANCESTOR, EXCHANGED, PARENT, SIBLING
from termgauge.tasks.audit.measure import UNDECIDED, Judges, consensus, percentiles
from termgauge.tasks.audit.rules import WRONG, Explanations, difference
from termgauge.tasks.results import Finite, Record, Result, Value

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from termgauge.tasks.audit.inputs import AuditInputs
    from termgauge.tasks.audit.measure import ModelReading
    from termgauge.tasks.audit.task import AuditOptions


UNLIKE, MISSED, UNREPLACED, DOUBTED = "unlike", "missed", "unreplaced", "doubted"
LISTS = {
    UNLIKE: "Synonyms that look unlike their concept",
    MISSED: "Terms of different concepts that look the same",
    UNREPLACED: "Retired concepts without a replacement, and the likeliest one",
    DOUBTED: "Replacements that look doubtful",
}
"""Each list and its title."""
TABLE, PAGE = "audit.csv", "audit.html"
TEXTS = ("kind", "concept1", "term1", "name1", "concept2", "term2", "name2", "relation", "evidence")


class AuditRow(Record):
    """Something to look at."""

    kind: str
    concept1: str
    term1: str
    name1: str
    """The name of the first concept."""
    concept2: str = ""
    term2: str = ""
    name2: str = ""
    relation: str = ""
    """How the two concepts stand to each other in the hierarchy."""
    score: Finite = None
    """By which the list is ranked, the greatest first, after what the kind and the relation explain."""
    percentiles: list[Finite] = Field(default_factory=list)
    """Of each model: the share of the terminology's synonyms that it finds less alike."""
    evidence: str = ""


class AuditedModel(Record):
    """How well a model reads this terminology."""

    kind: str
    unknown: int
    """Terms that it does not know."""
    auc: Finite
    """How often a synonym is more alike to its own concept than two random terms of different concepts are."""


class AuditResult(Result):
    """What rules and models found. Each list is ranked."""

    terminology: dict[str, str]
    concepts: int
    terms: int
    first: int
    """How many rows of each list reports show."""
    population: str
    """What percentiles are of: ``synonyms``, or ``random pairs`` where there are not enough synonyms."""
    hierarchy: bool
    """Whether the terminology has one."""
    counts: dict[str, int]
    """How many rows each list has, also those that are not kept."""
    kinds: dict[str, dict[str, int]]
    """Of each list, how many rows are of each kind."""
    models: dict[str, AuditedModel]
    lists: dict[str, list[AuditRow]]
    notes: list[str] = Field(default_factory=list)

    def values(self) -> Iterator[Value]:
        """Yield how well each model tells synonyms from random pairs, and how many terms it does not know."""
        for name, model in self.models.items():
            yield Value(name, "auc", model.auc)
            yield Value(name, "unknown", model.unknown, n=self.terms, better="lower")

    def brief(self) -> dict[str, Any]:
        """Return it as JSON has it, with the first rows of each list alone."""
        document = self.as_dict()
        return {**document, "lists": {name: rows[: self.first] for name, rows in document["lists"].items()}}

    def write(self, folder: str | os.PathLike[str]) -> tuple[Path, Path]:
        """Write ``audit.csv`` and ``audit.html``, each whole or not at all, and return where they are."""
        from termgauge.io.paths import expanded
        from termgauge.reporting.writers.write import write_table
        from termgauge.tasks.audit.sections import audit_page

        table, page = expanded(folder) / TABLE, expanded(folder) / PAGE
        write_table(self.rows(), table)
        write_text(page, audit_page(self))
        return table, page

    def rows(self) -> pl.DataFrame:
        """Return all rows of all lists as one table, as ``audit.csv`` has it."""
        rows = [
            {"list": name, "rank": rank, **{column: getattr(row, column) for column in TEXTS[:-1]}, "score": row.score}
            | {f"percentile {model}": value for model, value in zip(self.models, row.percentiles, strict=True)}
            | {"evidence": row.evidence, "verdict": "", "note": ""}
            for name, listing in self.lists.items()
            for rank, row in enumerate(listing, 1)
        ]
        texts = dict.fromkeys(TEXTS[:-1], pl.String)
        numbers = {"score": pl.Float64, **{f"percentile {model}": pl.Float64 for model in self.models}}
        schema = {"list": pl.String, "rank": pl.Int64, **texts, **numbers}
        return pl.DataFrame(rows, schema={**schema, **dict.fromkeys(("evidence", "verdict", "note"), pl.String)})


ALIKE, CONTRAST, NEAREST = "models find them alike", "differ by a contrast", "nearest concept"
FAR, OTHER, GONE = "far", "another is nearer", "retired itself"
_SURE, _NEARLY_SURE = 1.0, 0.9
"""What rules say, as one more reader: of terms that differ by form alone, and by words that are used for each other."""
_UNLIKE = 0.25
"""A synonym with a lower percentile under every model looks unlike its concept."""
_ELSEWHERE = 0.2
"""What it weighs that a synonym is near another concept, beside its being far from its own."""
_CLOSE_BY_RIGHT = {PARENT: 0.15, ANCESTOR: 0.1, SIBLING: 0.1}
"""What is taken from the score of concepts that are near each other in the hierarchy."""
_FAR = 0.25
"""A replacement with a lower mean percentile is far."""
_LEAST_DOUBT = 0.1


class Judged(NamedTuple):
    """Pairs of texts that all models have judged, each once, the lesser number first."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    percentiles: NDArray[np.float64]
    """A row for each model."""
    consensus: NDArray[np.float64]
    place: dict[tuple[int, int], int]

    def at(self, one: int, other: int) -> int:
        """Return the place of a pair."""
        return self.place[min(one, other), max(one, other)]

    @property
    def unknown(self) -> list[float]:
        """What no model can say anything of."""
        return [np.nan] * len(self.percentiles)


def judged_pairs(inputs: AuditInputs, readings: Iterable[ModelReading], judges: Judges) -> Judged:
    """Bring together what rules and models propose, and let all models judge it."""
    entries = inputs.entries
    pairs = set(inputs.rules)
    pairs.update((entry, entries.retired_texts[old]) for old, matches in inputs.renamed.items() for entry in matches)
    for reading in readings:
        pairs.update((min(one, other), max(one, other)) for one, near in enumerate(reading.nearest) for other in near)
    for old, new, _reason in inputs.stated:
        if (concept := entries.number.get(new)) is not None:
            pairs.update((int(entry), int(entries.retired_texts[old])) for entry in entries.of(concept))
    ordered = np.array(sorted(pairs), np.int64).reshape(-1, 2)
    first, second = ordered[:, 0].copy(), ordered[:, 1].copy()
    percentiles = judges.judged(first, second)
    positions = {pair: at for at, pair in enumerate(map(tuple, ordered.tolist()))}
    return Judged(first, second, percentiles, consensus(percentiles), positions)  # type: ignore[arg-type]


def unlike_synonyms(
    inputs: AuditInputs, readings: Mapping[str, ModelReading], judges: Judges, pairs: Judged
) -> list[AuditRow]:
    """Return the synonyms that every model finds less like their concept than three of four synonyms are."""
    if not len(judges):
        return []
    entries, rules = inputs.entries, Explanations(inputs.entries.texts)
    shares = judges.synonyms()
    mask = ~np.isnan(shares)
    doubted = mask.any(axis=0) & ((shares < _UNLIKE) | ~mask).all(axis=0)
    mean = np.array([np.nanmean(column) for column in shares.T[doubted]])
    rows = []
    by_rules = _partners(inputs)
    for mine, index in zip(mean, np.flatnonzero(doubted).tolist(), strict=True):
        entry = int(entries.synonyms[index])
        concept = int(entries.concepts[entry])
        others = [entries.texts[other] for other in entries.of(concept).tolist() if other != entry]
        near = {other for reading in readings.values() for other in (reading.nearest[entry] if reading.nearest else ())}
        near.update(by_rules.get(entry, ()))
        # Terms that differ from it by a contrast are near it wherever it stands.
        near = {other for other in near if not inputs.contrasts.between(entries.texts[entry], entries.texts[other])}
        best = max(near, key=lambda other: (pairs.consensus[pairs.at(entry, other)], -other), default=None)
        elsewhere = 0.0 if best is None else float(pairs.consensus[pairs.at(entry, best)])
        languages = (entries.languages[entry], entries.languages[entries.offsets[concept]])
        kind = rules.kind(entries.texts[entry], others, entries.kinds[entry], languages)
        rows.append(_row(inputs, kind, entry, best, 1 - mine + _ELSEWHERE * elsewhere, shares[:, index]))
    return sorted(rows, key=lambda row: (row.kind != WRONG, -(row.score or 0)))


def _partners(inputs: AuditInputs) -> dict[int, list[int]]:
    """Return the terms of other concepts from which each term differs by rules alone."""
    partners: dict[int, list[int]] = {}
    for one, other in inputs.rules:
        partners.setdefault(one, []).append(other)
        partners.setdefault(other, []).append(one)
    return partners


def missed_synonyms(inputs: AuditInputs, pairs: Judged) -> list[AuditRow]:
    """Return terms of different concepts that differ by rules alone, or that every model finds alike.

    There is one row for each two concepts, with the terms that are most alike.
    """
    entries = inputs.entries
    active = pairs.second < len(entries)
    mask = ~np.isnan(pairs.percentiles)
    alike = np.logical_and(mask.any(axis=0), ((pairs.percentiles >= UNDECIDED) | ~mask).all(axis=0))
    models = len(pairs.percentiles)
    best: dict[tuple[int, int], tuple[float, int, str]] = {}
    count: dict[tuple[int, int], int] = {}
    for index in np.flatnonzero(active).tolist():
        one, other = int(pairs.first[index]), int(pairs.second[index])
        rule = inputs.rules.get((one, other), "")
        if not (rule or alike[index]):
            continue
        # The rules are one more reader, who is sure or has nothing to say.
        sure = _NEARLY_SURE if rule == EXCHANGED else _SURE if rule else UNDECIDED
        score = (models * float(pairs.consensus[index]) + sure) / (models + 1)
        concepts = int(entries.concepts[one]), int(entries.concepts[other])
        count[concepts] = count.get(concepts, 0) + 1
        if concepts not in best or score > best[concepts][0]:
            best[concepts] = score, index, rule
    rows = []
    for concepts, (sure, index, rule) in best.items():
        one, other = int(pairs.first[index]), int(pairs.second[index])
        relation = inputs.hierarchy.relation(entries.id_of(one), entries.id_of(other))
        score = sure - _CLOSE_BY_RIGHT.get(relation, 0)
        contrast = None if rule else inputs.contrasts.between(entries.texts[one], entries.texts[other])
        evidence = [f"tells other concepts apart: {_words(contrast)}"] if contrast else []
        if rule == EXCHANGED:
            evidence.append(f"means the same elsewhere: {_words(inputs.contrasts.synonymous[one, other])}")
        if more := count[concepts] - 1:
            evidence.append(f"{numbered(more, 'more pair')} of their terms")
        kind = CONTRAST if contrast else rule or ALIKE
        rows.append(_row(inputs, kind, one, other, score, pairs.percentiles[:, index], "; ".join(evidence)))
    order = {EXCHANGED: 1, ALIKE: 2, CONTRAST: 3}
    return sorted(rows, key=lambda row: (order.get(row.kind, 0), -(row.score or 0)))


def unreplaced_concepts(inputs: AuditInputs, readings: Iterable[ModelReading], pairs: Judged) -> list[AuditRow]:
    """Return retired concepts that have no replacement, each with the active concept that is most like it."""
    entries = inputs.entries
    replaced = {old for old, _new, _reason in inputs.stated}
    rows = []
    for old in range(len(entries.retired)):
        if old in replaced:
            continue
        text = int(entries.retired_texts[old])
        near = _candidates(inputs, readings, old)
        ranked = sorted(near, key=lambda entry: (-pairs.consensus[pairs.at(text, entry)], entry))
        if not ranked:
            rows.append(_row(inputs, NEAREST, text, None, None, pairs.unknown))
            continue
        best = ranked[0]
        index = pairs.at(text, best)
        rule = difference(entries.texts[text], entries.texts[best])
        second = next((entry for entry in ranked if entries.concepts[entry] != entries.concepts[best]), None)
        evidence = f"next: {_named(inputs, second)}" if second is not None else ""
        score = max(float(pairs.consensus[index]), float(bool(rule)))
        rows.append(_row(inputs, rule or NEAREST, text, best, score, pairs.percentiles[:, index], evidence))
    return sorted(rows, key=lambda row: -(-1 if row.score is None else row.score))


def doubted_replacements(inputs: AuditInputs, readings: Iterable[ModelReading], pairs: Judged) -> list[AuditRow]:
    """Return stated replacements that are retired themselves, far, or farther than another under every model."""
    entries, readings = inputs.entries, list(readings)
    stated: dict[int, set[int]] = {}
    for old, new, _reason in inputs.stated:
        stated.setdefault(old, set()).add(entries.number.get(new, -1))
    rows = []
    for old, new, reason in inputs.stated:
        text = int(entries.retired_texts[old])
        concept = entries.number.get(new)
        if concept is None:
            gone = _row(inputs, GONE, text, None, 1.0, pairs.unknown, reason)
            rows.append(gone.model_copy(update={"concept2": new}))
            continue
        if not len(pairs.percentiles):
            continue
        places = [pairs.at(text, int(entry)) for entry in entries.of(concept)]
        entry = int(entries.of(concept)[int(np.argmax(pairs.consensus[places]))])
        shares = np.fmax.reduce(pairs.percentiles[:, places], axis=1)
        mean = float(consensus(shares[:, None])[0])
        others = [
            number for number in _candidates(inputs, readings, old) if entries.concepts[number] not in stated[old]
        ]
        other = max(others, key=lambda number: (pairs.consensus[pairs.at(text, number)], -number), default=None)
        theirs = np.full(len(shares), np.nan) if other is None else pairs.percentiles[:, pairs.at(text, other)]
        both = ~np.isnan(shares) & ~np.isnan(theirs)
        ahead, evidence = 0.0, reason
        if other is not None and both.any() and (theirs > shares)[both].all():
            ahead = float(consensus(theirs[:, None])[0]) - mean
            relation = inputs.hierarchy.relation(new, entries.id_of(other))
            evidence += f"; nearer: {_named(inputs, other)}{f' ({relation})' if relation else ''}"
        if mean < _FAR or ahead >= _LEAST_DOUBT:
            kind = OTHER if ahead >= _LEAST_DOUBT else FAR
            rows.append(_row(inputs, kind, text, entry, max(ahead, UNDECIDED - mean), shares, evidence))
    return sorted(rows, key=lambda row: -(row.score or 0))


def _candidates(inputs: AuditInputs, readings: Iterable[ModelReading], old: int) -> set[int]:
    """Return the entries that rules or models propose for a retired concept."""
    text = len(inputs.entries) + old
    near = (entry for reading in readings if reading.nearest for entry in reading.nearest[text])
    return {*inputs.renamed.get(old, ()), *near}


def _words(pair: tuple[str, str]) -> str:
    return " / ".join(word or "nothing" for word in pair)


def _named(inputs: AuditInputs, entry: int) -> str:
    return f"{inputs.entries.id_of(entry)} '{inputs.entries.texts[entry]}'"


def _row(
    inputs: AuditInputs,
    kind: str,
    one: int,
    other: int | None,
    score: float | None,
    percentiles: Iterable[float],
    evidence: str = "",
) -> AuditRow:
    entries = inputs.entries
    second = None if other is None else entries.id_of(other)
    return AuditRow(
        kind=kind,
        concept1=entries.id_of(one),
        term1=entries.texts[one],
        name1=entries.name_of(one),
        concept2=second or "",
        term2="" if other is None else entries.texts[other],
        name2="" if other is None else entries.name_of(other),
        relation=inputs.hierarchy.relation(entries.id_of(one), second) if second else "",
        score=None if score is None else round(float(score), 6),
        percentiles=[round(float(value), 4) for value in percentiles],
        evidence=evidence,
    )


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
    numbers = values[~np.isnan(values)]
    return round(float(numbers.mean()), 6) if len(numbers) else None


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
