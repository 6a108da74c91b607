"""What readers share whose files are documents rather than tables: elements of XML, and rows concept by concept.

The name of a concept is its first name in the language that is wanted, or, of all languages, its first English one;
what is in languages that are not wanted is left out, and what a reader passes over is counted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import tracked
from termgauge.io.xml_stream import MOST_LETTERS, Collected, read_elements
from termgauge.terminology.formats.ontology import RANKS
from termgauge.terminology.formats.registry import Contents
from termgauge.terminology.languages import ENGLISH, language_of
from termgauge.terminology.model import SCHEMAS, SYNONYM, Tally, frame_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from termgauge.io.source import SourceFile


class Elements:
    """Keeps the way down to an element, and gathers the whole text of those whose text is wanted.

    A reader of a format says what it wants, and does its work in :meth:`opened` and :meth:`closed`.
    """

    passed_over: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()
    """Elements whose text is wanted, with that of elements inside them."""
    silent: frozenset[str] = frozenset()
    """Elements inside these whose text is not."""
    apart: frozenset[str] = frozenset()
    """Elements inside these that stand apart from the text around them."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self.found: list[None] = []
        self.path: list[str] = ["", "", "", ""]
        """The elements around, the innermost last; it never runs empty."""
        self._kept, self._inside, self._silent = False, 0, 0
        self._collected = Collected()

    def read(self, label: str) -> None:
        """Read the file; progress is shown under a label."""
        with tracked(self.file, label) as file:
            for _ in read_elements(file, self):
                pass

    def opened(self, name: str, attributes: dict[str, str]) -> None:
        """Be told that an element begins, which is now the last of the path."""

    def closed(self, name: str, text: str) -> None:
        """Be told that an element ended, with its text if it is wanted; its parent is now the last of the path."""

    def start(self, name: str, attributes: dict[str, str]) -> bool:
        """Go down."""
        if self._kept:
            self._inside += 1
            if name in self.apart:
                self._collected.add(" ")
            self._silent += bool(self._silent) or name in self.silent
            return not self._silent
        self.path.append(name)
        self.opened(name, attributes)
        self._kept = name in self.texts
        return self._kept

    def end(self, name: str) -> bool:
        """Go up."""
        if self._inside:
            self._inside -= 1
            if name in self.apart:
                self._collected.add(" ")
            self._silent -= bool(self._silent)
            return not self._silent
        if self.path[-1] != name:  # an element within itself, of those that are passed over
            return False
        self.path.pop()
        text = self._collected.taken() if self._kept else ""
        self._kept = False
        self.closed(name, text)
        return False

    def text(self, data: str) -> None:
        """Gather text."""
        collected = self._collected
        collected.add(data)
        if collected.letters > MOST_LETTERS:
            raise TermgaugeError(
                f"{self.file.label}: the text of one element '{self.path[-1]}' has more than {MOST_LETTERS >> 20} "
                "million letters, so it is none; get the file again from its source."
            )


class _Concept(NamedTuple):
    tag: str | None
    module: str | None
    active: bool
    since: date | None


class Rows:
    """The tables of a terminology while it is read."""

    def __init__(self, label: str, language: str | None) -> None:
        self._label, self._wanted = label, None if language is None else language_of(language)
        self._other_languages: set[str] = set()
        self._concepts: dict[str, _Concept] = {}
        self._terms: list[tuple[str, str, str, str, bool, date | None]] = []
        self._relations: dict[tuple[str, str, str], None] = {}
        self._replacements: dict[tuple[str, str], str] = {}
        self.passed = Tally()

    def __contains__(self, concept: str) -> bool:
        return concept in self._concepts

    def concept(
        self,
        concept: str,
        tag: str | None = None,
        module: str | None = None,
        *,
        active: bool = True,
        since: date | None = None,
    ) -> None:
        """Add a concept; of several with one id the first counts."""
        if not concept:
            self.passed.add("concepts without an id", tag or "")
        elif concept in self._concepts:
            self.passed.add("second entries of a concept", concept)
        else:
            self._concepts[concept] = _Concept(tag or None, module or None, active, since)

    def term(
        self,
        concept: str,
        text: str,
        kind: str,
        language: str,
        *,
        active: bool = True,
        since: date | None = None,
    ) -> None:
        """Add a term, if it is in the language that is wanted; `language` is a code of two letters."""
        text = " ".join(text.split())
        if not text:
            self.passed.add("terms without text", concept)
        elif self._wanted not in (None, language):
            self._other_languages.add(language)
        else:
            self._terms.append((concept, text, kind, language, active, since))

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
        terms = self._own_terms()
        if terms.is_empty() and self._other_languages:
            raise TermgaugeError(
                f"{self._label}: holds no terms in the language '{self._wanted}'; its languages are "
                f"{', '.join(sorted(self._other_languages)[:30])}."
            )
        best = terms.sort("rank", pl.col("language") != ENGLISH, maintain_order=True)
        names = best.unique("concept", keep="first", maintain_order=True).select("concept", name="text")
        schema = {name: kind for name, kind in SCHEMAS["concepts"].items() if name != "name"}
        rows = [(concept, *about) for concept, about in self._concepts.items()]
        concepts = frame_of(schema, rows).join(names, on="concept", how="left", maintain_order="left")
        replacements = [(old, new, reason) for (old, new), reason in self._replacements.items()]
        tables = {
            "concepts": concepts,
            "terms": terms,
            "relations": frame_of(SCHEMAS["relations"], self._relations),
            "replacements": frame_of(SCHEMAS["replacements"], replacements),
        }
        return Contents(tables, edition, version, notes, self.passed.skipped())

    def _own_terms(self) -> pl.DataFrame:
        """Return the terms of the concepts that are there."""
        own = []
        for row in self._terms:
            if row[0] in self._concepts:
                own.append(row)
            else:
                self.passed.add("terms of concepts that are not there", f"{row[0]}: {row[1]}")
        schema = {name: kind for name, kind in SCHEMAS["terms"].items() if name != "rank"}
        return frame_of(schema, own).with_columns(rank=pl.col("kind").replace_strict(RANKS, return_dtype=pl.Int32))


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
