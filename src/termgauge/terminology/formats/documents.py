"""What readers share whose files are documents rather than tables: rows, concept by concept.

The name of a concept is its first name in the language that is wanted, or, of all languages, its first English one;
what is in languages that are not wanted is left out, and what a reader passes over is counted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.io.xml_stream import first_element
from termgauge.terminology.formats.registry import Contents
from termgauge.terminology.languages import ENGLISH, language_of
from termgauge.terminology.model import SYNONYM, Tally, active_terms, frame_of

if TYPE_CHECKING:
    from collections.abc import Container, Sequence
    from datetime import date

    from termgauge.io.source import SourceFile


def require_root(file: SourceFile, roots: Container[str], what: str) -> None:
    """Refuse a file whose first element is none of some; `what` says what it should be, and what to do."""
    if (root := first_element(file.head())) not in roots:
        why = f"its first element is '{root}'" if root else "it does not begin as XML"
        raise TermgaugeError(f"{file.label}: {why}, so it is no {what}.")


def begins_json(head: bytes) -> bool:
    """Tell whether a file that begins so may be an object of JSON."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def dictionaries(value: object) -> list[dict[str, Any]]:
    """Return the objects in what may be a list of them in JSON."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


class Rows:
    """The tables of a terminology while it is read."""

    def __init__(self, label: str, language: str | None) -> None:
        self._label, self._wanted = label, None if language is None else language_of(language)
        self._other_languages: set[str] = set()
        self._concepts: dict[str, tuple[str | None, str | None, bool, date | None]] = {}
        """By id: the tag, the module, whether it is active, and since when."""
        self._terms: list[tuple[str, str, str, str, date | None]] = []
        self._relations: dict[tuple[str, str, str], None] = {}
        self._replacements: dict[tuple[str, str], str] = {}
        self.passed = Tally()

    def __contains__(self, concept: str) -> bool:
        return concept in self._concepts

    def concept(
        self, concept: str, tag: str = "", module: str = "", *, active: bool = True, since: date | None = None
    ) -> None:
        """Add a concept; of several with one id the first counts."""
        if not concept:
            self.passed.add("concepts without an id", tag)
        elif concept in self._concepts:
            self.passed.add("second entries of a concept", concept)
        else:
            self._concepts[concept] = tag or None, module or None, active, since

    def term(self, concept: str, text: str, kind: str, language: str, since: date | None = None) -> None:
        """Add a term, if it is in the language that is wanted; `language` is a code of two letters."""
        text = " ".join(text.split())
        if not text:
            self.passed.add("terms without text", concept)
        elif self._wanted not in (None, language):
            self._other_languages.add(language)
        else:
            self._terms.append((concept, text, kind, language, since))

    def relation(self, source: str, kind: str, target: str) -> None:
        """Add a relation, once."""
        self._relations[source, kind, target] = None

    def replacement(self, old: str, new: str, reason: str) -> None:
        """Add what replaced a retired concept; the first reason counts."""
        self._replacements.setdefault((old, new), reason)

    def contents(self, edition: str, version: str, notes: Sequence[str] = ()) -> Contents:
        """Return all of it, if there are concepts, and terms in the language that is wanted."""
        if not self._concepts:
            raise TermgaugeError(f"{self._label}: holds no concepts; check that it is the file you meant.")
        rows = []
        for row in self._terms:
            if row[0] in self._concepts:
                rows.append(row)
            else:
                self.passed.add("terms of concepts that are not there", f"{row[0]}: {row[1]}")
        terms = active_terms(frame_of("terms", rows, ("concept", "text", "kind", "language", "since")))
        if terms.is_empty() and self._other_languages:
            raise TermgaugeError(
                f"{self._label}: holds no terms in the language '{self._wanted}'; its languages are "
                f"{', '.join(sorted(self._other_languages)[:30])}."
            )
        best = terms.sort("rank", pl.col("language") != ENGLISH, maintain_order=True)
        names = best.unique("concept", keep="first", maintain_order=True).select("concept", name="text")
        entries = ((concept, *about) for concept, about in self._concepts.items())
        concepts = frame_of("concepts", entries, ("concept", "tag", "module", "active", "since"))
        replacements = ((*pair, reason) for pair, reason in self._replacements.items())
        tables = {
            "concepts": concepts.join(names, on="concept", how="left", maintain_order="left"),
            "terms": terms,
            "relations": frame_of("relations", self._relations),
            "replacements": frame_of("replacements", replacements),
        }
        return Contents(tables, edition, version, notes, self.passed.skipped())


_OTHERS = re.compile(
    r"\b(?:others?|elsewhere|sonstige[rns]?|andere[rns]?|anderweitig|autres?|ailleurs|otr[oa]s?|altr[oiea]|outr[oa]s?|"
    r"overige|ander|annan|andra)\b",
    re.IGNORECASE,
)


def kind_of_inclusion(title: str) -> str:
    """Return what a term is that is listed as included in the class with this title.

    >>> kind_of_inclusion("Acute myocardial infarction, unspecified"), kind_of_inclusion("Other specified sepsis")
    ('synonym', 'narrow')
    """
    return "narrow" if _OTHERS.search(title) else SYNONYM
