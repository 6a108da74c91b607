"""What ontologies have in common, however they are written: terms with names and synonyms, live ones and obsolete ones.

Readers of OBO, OWL and OBO Graphs fill :class:`Term`; this module makes tables of them, the same ones for the same
ontology.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.plurals import numbered, plural
from termgauge.terminology.formats.registry import Contents
from termgauge.terminology.model import (
    FSN,
    POSSIBLY_EQUIVALENT_TO,
    REPLACED_BY,
    SYNONYM,
    Skipped,
    active_terms,
    frame_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl

    from termgauge.io.source import SourceFile

KIND_OF_SCOPE = {"EXACT": SYNONYM, "RELATED": "related", "NARROW": "narrow", "BROAD": "broad"}
LAYPERSON = "layperson"
LAY = re.compile(r"\blay(?:person|[ -]?term)?\b", re.IGNORECASE)
"""Found in the name of a type of synonyms that are for laypeople."""
_OBSOLETE = re.compile(r"obsolete[ :_]+(?=\S)", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_MOST_SHOWN = 3
_MOST_WORDS_OF_VERSION = 10


@dataclass(slots=True)
class Term:
    """A term of an ontology, as it is being read."""

    id: str = ""
    name: str | None = None
    namespace: str | None = None
    obsolete: bool = False
    since: date | None = None
    language: str = ""
    """Of its name; empty if that is not said."""
    synonyms: list[tuple[str, str, str]] = field(default_factory=list)
    """Each with its kind and its language; also names in other languages."""
    relations: list[tuple[str, str]] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)
    replaced_by: list[str] = field(default_factory=list)
    consider: list[str] = field(default_factory=list)


def contents_of(
    file: SourceFile,
    terms: list[Term],
    *,
    edition: str,
    version: str,
    language: str = "en",
    namespace: str | None = None,
    notes: Iterable[str] = (),
    skipped: Iterable[Skipped] = (),
) -> Contents:
    """Make tables of the terms of an ontology, in their order; terms that do not say theirs are of a `namespace`."""
    for term in terms:
        if term.obsolete and term.name and (prefix := _OBSOLETE.match(term.name)):
            term.name = term.name[prefix.end() :]
    notes, skipped = list(notes), list(skipped)
    if unsaid := [term.id for term in terms if not _says_something(term)]:
        skipped.append(Skipped("classes of which nothing is said", len(unsaid), tuple(unsaid[:_MOST_SHOWN])))
        terms = list(filter(_says_something, terms))
    if not terms:
        raise TermgaugeError(
            f"{file.label}: has no class with a name, a synonym or a relation, so it is no ontology with terms, or an "
            "empty one; check the file."
        )
    replacements, dead_ends = _replacements(terms)
    if dead_ends:
        notes.append(
            f"{file.base}: {numbered(len(dead_ends), 'obsolete term names', 'obsolete terms name')} a replacement "
            f"that leads to no live term ({shown(dead_ends)}), and {plural(len(dead_ends), 'has', 'have')} none here."
        )
        what = "replacements of obsolete terms that lead to no live term"
        skipped.append(Skipped(what, len(dead_ends), tuple(dead_ends[:_MOST_SHOWN])))
    tables = _tables(terms, replacements, namespace, language)
    return Contents(tables, edition, version, notes, skipped)


def _says_something(term: Term) -> bool:
    """Tell whether more than its id is known of a term."""
    links = (term.relations, term.alternatives, term.replaced_by, term.consider)
    return bool(term.name or term.synonyms or term.obsolete or any(links))


def dated(text: str) -> str:
    """Return the release date that a version holds, else the version as written; a paragraph is no version.

    >>> dated("releases/2024-05-01"), dated("1.2 beta"), dated("This version of 2024-05-01 " + "has more words " * 3)
    ('2024-05-01', '1.2 beta', '')
    """
    if len(text.split()) > _MOST_WORDS_OF_VERSION:
        return ""
    match_ = _DATE.search(text)
    return match_[0] if match_ else text


def day(text: str) -> date | None:
    """Return the day that a date begins with, if it is one."""
    match_ = _DATE.match(text)
    try:
        return date(*map(int, match_.groups())) if match_ else None
    except ValueError:
        return None


def shown(things: Sequence[object]) -> str:
    """Return the first of some things, as a note names them."""
    more = ", …" if len(things) > _MOST_SHOWN else ""
    return ", ".join(map(str, things[:_MOST_SHOWN])) + more


def _replacements(terms: list[Term]) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Follow what obsolete terms name as replacement to live terms.

    A replacement that is itself obsolete is followed on; a step by ``consider`` makes the whole way a possible
    equivalence. Ids that live on as an alternative id of another term lead to that term.
    """
    by_id = {alternative: term for term in terms if not term.obsolete for alternative in term.alternatives}
    by_id |= {term.id: term for term in terms}
    live: dict[str, dict[str, str]] = {}
    for term in terms:
        if term.obsolete:
            _follow(term, by_id, live)
    live = {term.id: live[term.id] for term in terms if term.obsolete}
    dead_ends = [term.id for term in terms if (term.replaced_by or term.consider) and live.get(term.id) == {}]
    return [(old, new, reason) for old, targets in live.items() for new, reason in targets.items()], dead_ends


def _follow(term: Term, by_id: dict[str, Term], live: dict[str, dict[str, str]]) -> None:
    """Note where an obsolete term leads to; one that names a single other leads to where that one does."""
    way = [term]
    on_way = {term.id}
    while way[-1].id not in live and len(way[-1].replaced_by) + len(way[-1].consider) == 1:
        target = by_id.get((way[-1].replaced_by or way[-1].consider)[0])
        if target is None or not target.obsolete or target.id in on_way:
            break
        way.append(target)
        on_way.add(target.id)
    last = way.pop()
    if last.id not in live:
        live[last.id] = _live_terms(last, by_id)
    targets = live[last.id]
    for step in reversed(way):
        targets = targets if step.replaced_by else dict.fromkeys(targets, POSSIBLY_EQUIVALENT_TO)
        live[step.id] = targets


def _live_terms(term: Term, by_id: dict[str, Term]) -> dict[str, str]:
    """Return the live terms that an obsolete one leads to, with the reason of the surest way there."""
    live: dict[str, str] = {}
    seen = {term.id}
    ways, considered = deque(term.replaced_by), deque(term.consider)
    reason = REPLACED_BY
    while ways or considered:
        if not ways:  # all that is surely meant was followed; what may be meant comes after it
            ways, considered, reason = considered, deque(), POSSIBLY_EQUIVALENT_TO
        target = by_id.get(ways.popleft())
        if target is None or target.id in seen:
            continue
        seen.add(target.id)
        if target.obsolete:
            ways += target.replaced_by
            considered += target.consider
        else:
            live[target.id] = reason
    return live


def _tables(
    terms: list[Term], replacements: list[tuple[str, str, str]], namespace: str | None, language: str
) -> dict[str, pl.DataFrame]:
    concepts = []
    for term in terms:
        prefix = term.id.partition(":")[0] if ":" in term.id else None
        concepts.append((term.id, term.name, term.namespace or namespace, prefix, not term.obsolete, term.since))
    texts = (
        (term.id, text, kind, tongue or language)
        for term in terms
        for text, kind, tongue in ([(term.name, FSN, term.language)] if term.name else []) + term.synonyms
    )
    return {
        "concepts": frame_of("concepts", concepts),
        "terms": active_terms(frame_of("terms", texts, ("concept", "text", "kind", "language"))),
        "relations": frame_of("relations", ((term.id, *relation) for term in terms for relation in term.relations)),
        "replacements": frame_of("replacements", replacements),
    }
