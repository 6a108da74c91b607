"""What an audit gives: four ranked lists, and how well each model tells synonyms from other terms."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from pydantic import Field

from termgauge.io.atomic import write_text
from termgauge.plurals import numbered
from termgauge.tasks.audit.inputs import ANCESTOR, EXCHANGED, PARENT, SIBLING
from termgauge.tasks.audit.measure import UNDECIDED, Judges, consensus
from termgauge.tasks.audit.rules import WRONG, Explanations, difference
from termgauge.tasks.results import Finite, Record, Result, Value

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence
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


def audited(readings: Mapping[str, ModelReading], inputs: AuditInputs, options: AuditOptions) -> AuditResult:
    """Return the four lists."""
    entries = inputs.entries
    near: list[set[int]] = [set() for _ in entries.texts]
    """What rules and models propose for each text."""
    for one, other in inputs.rules:
        near[one].add(other)
        near[other].add(one)
    for reading in readings.values():
        for text, nearest in enumerate(reading.nearest):
            near[text].update(nearest)
    pairs = {(min(text, other), max(text, other)) for text, others in enumerate(near) for other in others}
    for old, new, _reason in inputs.stated:
        if (concept := entries.number.get(new)) is not None:
            pairs.update((text, old) for text in entries.of(concept))
    judges = Judges(readings, inputs.models, entries.texts, pairs)
    lists = {
        UNLIKE: unlike_synonyms(inputs, judges, near),
        MISSED: missed_synonyms(inputs, judges),
        UNREPLACED: unreplaced_concepts(inputs, judges, near),
        DOUBTED: doubted_replacements(inputs, judges, near),
    }
    return AuditResult(
        terminology=dict(inputs.identity),
        concepts=len(entries.number),
        terms=len(entries),
        first=options.first,
        population=judges.population,
        hierarchy=bool(inputs.hierarchy),
        counts={name: len(rows) for name, rows in lists.items()},
        kinds={name: dict(Counter(row.kind for row in rows).most_common()) for name, rows in lists.items()},
        models={
            name: AuditedModel(kind="vectors" if reading.nearest else "pairs", unknown=reading.unknown, auc=area)
            for (name, reading), area in zip(readings.items(), judges.areas, strict=True)
        },
        lists={name: rows[: options.most] for name, rows in lists.items()},
        notes=_notes(inputs, readings),
    )


def unlike_synonyms(inputs: AuditInputs, judges: Judges, near: Sequence[set[int]]) -> list[AuditRow]:
    """Return the synonyms that every model finds less like their concept than three of four synonyms are."""
    entries, rules, shares = inputs.entries, Explanations(inputs.entries.texts), judges.synonyms
    doubted = [] if not len(shares) else np.flatnonzero(_all_models(shares, shares < _UNLIKE)).tolist()
    rows = []
    for index in doubted:
        text = int(entries.synonyms[index])
        of_concept = entries.of(int(entries.concepts[text]))
        others = (
            other  # terms that differ from it by a contrast are near it wherever it stands
            for other in near[text]
            if other < len(entries) and not inputs.contrasts.between(entries.texts[text], entries.texts[other])
        )
        best, elsewhere = next(iter(judges.ranked(text, others)), (None, 0.0))
        languages = entries.languages[text], entries.languages[of_concept[0]]
        synonyms = [entries.texts[other] for other in of_concept if other != text]
        kind = rules.kind(entries.texts[text], synonyms, entries.kinds[text], languages)
        score = 1 - np.nanmean(shares[:, index]) + _ELSEWHERE * elsewhere
        rows.append(_row(inputs, kind, text, best, score, shares[:, index]))
    return sorted(rows, key=lambda row: (row.kind != WRONG, -(row.score or 0)))


def _all_models(shares: NDArray[np.float64], agreeing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say of which pairs all models that can score them find something, and one can."""
    unknown = np.isnan(shares)
    return np.asarray((agreeing | unknown).all(axis=0) & ~unknown.all(axis=0))


def missed_synonyms(inputs: AuditInputs, judges: Judges) -> list[AuditRow]:
    """Return terms of different concepts that differ by rules alone, or that every model finds alike.

    There is one row for each two concepts, with the terms that are most alike.
    """
    entries, models = inputs.entries, len(judges.percentiles)
    alike = _all_models(judges.percentiles, judges.percentiles >= UNDECIDED)
    candidates: dict[tuple[int, int], list[tuple[float, int]]] = {}
    for index, (one, other) in enumerate(judges.pairs):
        rule = inputs.rules.get((one, other), "")
        if other < len(entries) and (rule or alike[index]):
            # The rules are one more reader, who is sure or has nothing to say.
            sure = _NEARLY_SURE if rule == EXCHANGED else _SURE if rule else UNDECIDED
            score = (models * float(judges.consensus[index]) + sure) / (models + 1)
            concepts = int(entries.concepts[one]), int(entries.concepts[other])
            candidates.setdefault(concepts, []).append((score, -index))
    rows = []
    for pairs in candidates.values():
        score, index = max(pairs)
        one, other = judges.pairs[-index]
        rule = inputs.rules.get((one, other), "")
        relation = inputs.hierarchy.relation(entries.id_of(one), entries.id_of(other))
        contrast = None if rule else inputs.contrasts.between(entries.texts[one], entries.texts[other])
        evidence = [f"tells other concepts apart: {_words(contrast)}"] if contrast else []
        if rule == EXCHANGED:
            evidence.append(f"means the same elsewhere: {_words(inputs.contrasts.synonymous[one, other])}")
        if len(pairs) > 1:
            evidence.append(f"{numbered(len(pairs) - 1, 'more pair')} of their terms")
        kind = CONTRAST if contrast else rule or ALIKE
        score -= _CLOSE_BY_RIGHT.get(relation, 0)
        rows.append(_row(inputs, kind, one, other, score, judges.percentiles[:, -index], "; ".join(evidence)))
    order = {EXCHANGED: 1, ALIKE: 2, CONTRAST: 3}
    return sorted(rows, key=lambda row: (order.get(row.kind, 0), -(row.score or 0)))


def unreplaced_concepts(inputs: AuditInputs, judges: Judges, near: Sequence[set[int]]) -> list[AuditRow]:
    """Return retired concepts that have no replacement, each with the active concept that is most like it."""
    entries, rows = inputs.entries, []
    for old in sorted(set(entries.retired) - {old for old, _new, _reason in inputs.stated}):
        ranked = judges.ranked(old, near[old])
        if not ranked:
            rows.append(_row(inputs, NEAREST, old, None, None, judges.undefined))
            continue
        best, score = ranked[0]
        rule = difference(entries.texts[old], entries.texts[best])
        second = next((text for text, _score in ranked if entries.concepts[text] != entries.concepts[best]), None)
        evidence = "" if second is None else f"next: {_named(inputs, second)}"
        shares = judges.percentiles[:, judges.at(best, old)]
        rows.append(_row(inputs, rule or NEAREST, old, best, max(score, float(bool(rule))), shares, evidence))
    return sorted(rows, key=lambda row: -(-1 if row.score is None else row.score))


def doubted_replacements(inputs: AuditInputs, judges: Judges, near: Sequence[set[int]]) -> list[AuditRow]:
    """Return stated replacements that are retired themselves, far, or farther than another under every model."""
    entries = inputs.entries
    stated: dict[int, set[int]] = {}
    for old, new, _reason in inputs.stated:
        stated.setdefault(old, set()).add(entries.number.get(new, -1))
    rows = []
    for old, new, reason in inputs.stated:
        concept = entries.number.get(new)
        if concept is None:
            rows.append(_row(inputs, GONE, old, None, 1.0, judges.undefined, reason, concept2=new))
        if concept is None or not len(judges.percentiles):
            continue
        (text, _score), *_rest = judges.ranked(old, entries.of(concept))
        shares = np.fmax.reduce(judges.percentiles[:, [judges.at(other, old) for other in entries.of(concept)]], axis=1)
        mean = float(consensus(shares[:, None])[0])
        others = (other for other in near[old] if entries.concepts[other] not in stated[old])
        ahead, evidence = 0.0, reason
        for best, _score in judges.ranked(old, others)[:1]:
            theirs = judges.percentiles[:, judges.at(best, old)]
            both = ~np.isnan(shares) & ~np.isnan(theirs)
            if both.any() and (theirs > shares)[both].all():
                ahead = float(consensus(theirs[:, None])[0]) - mean
                relation = inputs.hierarchy.relation(new, entries.id_of(best))
                evidence += f"; nearer: {_named(inputs, best)}{f' ({relation})' if relation else ''}"
        if mean < _FAR or ahead >= _LEAST_DOUBT:
            kind = OTHER if ahead >= _LEAST_DOUBT else FAR
            rows.append(_row(inputs, kind, old, text, max(ahead, UNDECIDED - mean), shares, evidence))
    return sorted(rows, key=lambda row: -(row.score or 0))


def _words(pair: tuple[str, str]) -> str:
    return " / ".join(word or "nothing" for word in pair)


def _named(inputs: AuditInputs, text: int) -> str:
    return f"{inputs.entries.id_of(text)} '{inputs.entries.texts[text]}'"


def _row(
    inputs: AuditInputs,
    kind: str,
    one: int,
    other: int | None,
    score: float | None,
    percentiles: Iterable[float],
    evidence: str = "",
    **more: str,
) -> AuditRow:
    entries = inputs.entries
    about = {"concept1": entries.id_of(one), "term1": entries.texts[one], "name1": entries.name_of(one)}
    if other is not None:
        about |= {"concept2": entries.id_of(other), "term2": entries.texts[other], "name2": entries.name_of(other)}
        about["relation"] = inputs.hierarchy.relation(about["concept1"], about["concept2"])
    return AuditRow(
        kind=kind,
        score=None if score is None else round(float(score), 6),
        percentiles=[round(float(value), 4) for value in percentiles],
        evidence=evidence,
        **(about | more),
    )


def _notes(inputs: AuditInputs, readings: Mapping[str, ModelReading]) -> list[str]:
    """Say what could not be looked for."""
    lacking = {
        "No model was named, so that only rules were applied: there is no list of unlike synonyms.": not readings,
        "No model has vectors, so that only what rules propose was judged.": readings
        and not any(reading.nearest for reading in readings.values()),
        "The terminology has no synonyms, so none can look unlike its concept.": not len(inputs.entries.synonyms),
        "The terminology has no hierarchy, so that concepts that are alike by right are not marked.": (
            not inputs.hierarchy
        ),
        "The terminology has no retired concepts, so that two of the lists are empty.": not inputs.entries.retired,
    }
    return [note for note, missing in lacking.items() if missing]
