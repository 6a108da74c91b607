"""What an audit gives: four ranked lists, and how well each model tells synonyms from other terms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
from pydantic import Field

from termgauge.tasks.results import Finite, Record, Result, Value

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

UNLIKE, MISSED, UNREPLACED, DOUBTED = "unlike", "missed", "unreplaced", "doubted"
LISTS = {
    UNLIKE: "Synonyms that look unlike their concept",
    MISSED: "Terms of different concepts that look the same",
    UNREPLACED: "Retired concepts without a replacement, and the likeliest one",
    DOUBTED: "Replacements that look doubtful",
}
"""Each list and its title."""
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
        """Write ``audit.csv`` and ``audit.html`` into a folder, and return where they are."""
        from termgauge.io.paths import expanded
        from termgauge.tasks.audit.sections import write_audit

        return write_audit(self, expanded(folder))

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
