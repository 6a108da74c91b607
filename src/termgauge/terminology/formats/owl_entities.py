"""What an ontology in OWL says about its classes, gathered from whichever syntax it is written in.

Only what becomes part of a terminology is kept, under short ids (what people call
``http://purl.obolibrary.org/obo/HP_0000118`` is ``HP:0000118``): a few words for each annotation and each superclass.
Everything else is counted.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.terminology.formats.ontology import LAY, LAYPERSON, Term, contents_of, dated, day, shown
from termgauge.terminology.formats.rdf import RDF
from termgauge.terminology.languages import language_of
from termgauge.terminology.model import FSN, IS_A, SYNONYM, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from termgauge.io.source import SourceFile
    from termgauge.terminology.formats.registry import Contents

OBO = "http://purl.obolibrary.org/obo/"
_NUMBERED = re.compile(r"([A-Za-z][A-Za-z0-9]*)_(\d+)")
_SUFFIX = re.compile(r"(?:\.(?:obo|owl|owx|ofn|ttl|nt|rdf|json|txt|xml))+$", re.IGNORECASE)


OWL, RDFS = "http://www.w3.org/2002/07/owl#", "http://www.w3.org/2000/01/rdf-schema#"
IN_OWL, SKOS = "http://www.geneontology.org/formats/oboInOwl#", "http://www.w3.org/2004/02/skos/core#"


class Names:
    """The ids of all IRIs of one ontology; no two IRIs have the same id."""

    def __init__(self) -> None:
        xsd = "http://www.w3.org/2001/XMLSchema#"
        self.prefixes = {"owl": OWL, "rdf": RDF, "rdfs": RDFS, "skos": SKOS, "xsd": xsd}
        """Those that every document may use, and those that this one declares, each with its namespace."""
        self.ontology = ""
        """The IRI of the ontology."""
        self._ids: dict[str, str] = {}
        self._iris: dict[str, str] = {}
        """By id."""
        self._namespaces: list[tuple[str, str]] = []

    def id_of(self, iri: str) -> str:
        """Return the short id of an IRI; the IRI itself if it has none.

        >>> names = Names()
        >>> names.id_of("http://purl.obolibrary.org/obo/HP_0000118"), names.id_of("http://purl.obolibrary.org/obo/go#x")
        ('HP:0000118', 'x')
        >>> names.id_of("http://www.orpha.net/ORDO/Orphanet_123"), names.id_of("urn:a")
        ('Orphanet:123', 'urn:a')
        """
        id_ = self._ids.get(iri)
        if id_ is None:
            short = self._shortened(iri)
            id_ = self._ids[iri] = short if self._iris.setdefault(short, iri) == iri else iri
        return id_

    def final(self, id_: str) -> str:
        """Return the id that something has if the ontology said its own IRI only after it had used that of this."""
        iri, start = self._iris.get(id_, ""), f"{self.ontology}#"
        short = iri.removeprefix(start)
        return short if self.ontology and short and iri.startswith(start) and short not in self._iris else id_

    def _shortened(self, iri: str) -> str:
        """Return what OBO makes of an IRI; else what a declared prefix makes of it."""
        local = re.split("[/#]", iri)[-1]
        if iri.startswith(OBO):
            prefix, _, number = local.rpartition("_")
            if "#" in iri:
                return f"{iri[len(OBO) :].partition('#')[0]}:{number}" if local.startswith("_") else local or iri
            return f"{prefix}:{number}" if prefix and number and "/" not in iri[len(OBO) :] else iri
        if numbered := _NUMBERED.fullmatch(local):
            return f"{numbered[1]}:{numbered[2]}"
        if local and self.ontology and iri == f"{self.ontology}#{local}":
            return local
        if len(self._namespaces) != len(self.prefixes):
            self._namespaces = sorted(((space, prefix) for prefix, space in self.prefixes.items()), reverse=True)
        for space, prefix in self._namespaces:  # a longer namespace comes before one that it begins with
            if space and prefix and iri.startswith(space) and len(iri) > len(space):
                return f"{prefix}:{iri[len(space) :]}"
        return iri


def edition_of(iri: str, otherwise: str) -> str:
    """Return what an ontology is called, from its IRI or else from the name of its file.

    >>> edition_of("http://purl.obolibrary.org/obo/hp/hp-international.owl", "x.owl"), edition_of("", "x.owl")
    ('hp/hp-international', 'x')
    """
    stated = iri.removeprefix(OBO) if iri.startswith(OBO) else re.split("[/#:]", iri.rstrip("/#"))[-1]
    return _SUFFIX.sub("", stated or otherwise)


SYNONYM_TYPE = f"{IN_OWL}hasSynonymType"
CLASS, PROPERTY, INDIVIDUAL = "class", "property", "individual"
KINDS_OF_PROPERTY = {
    f"{RDFS}label": FSN,
    f"{SKOS}prefLabel": FSN,
    f"{IN_OWL}hasExactSynonym": SYNONYM,
    f"{IN_OWL}hasRelatedSynonym": "related",
    f"{IN_OWL}hasSynonym": "related",
    f"{IN_OWL}hasNarrowSynonym": "narrow",
    f"{IN_OWL}hasBroadSynonym": "broad",
    f"{SKOS}altLabel": SYNONYM,
    f"{SKOS}hiddenLabel": "related",
    f"{OBO}IAO_0000118": SYNONYM,
    "http://www.ebi.ac.uk/efo/alternative_term": SYNONYM,
    "http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl#P90": SYNONYM,
}
"""The kind of term that an annotation property gives."""
_ROLES = {
    **KINDS_OF_PROPERTY,
    f"{OWL}deprecated": "deprecated",
    f"{OBO}IAO_0100001": "replaced_by",
    f"{IN_OWL}replacedBy": "replaced_by",
    f"{IN_OWL}consider": "consider",
    f"{IN_OWL}hasAlternativeId": "alternatives",
    f"{OBO}IAO_0000231": "why",
    f"{IN_OWL}hasOBONamespace": "namespace",
    f"{IN_OWL}creation_date": "since",
    f"{IN_OWL}id": "id",
    f"{IN_OWL}shorthand": "shorthand",
    f"{IN_OWL}is_metadata_tag": "is_metadata_tag",
}
_MERGED = "IAO:0000227"
"""Why an id is obsolete that lives on as an alternative id of another term."""
DEFAULT_NAMESPACE = {f"{IN_OWL}hasDefaultNamespace", f"{IN_OWL}default-namespace"}
_EVERYTHING = {f"{OWL}Thing", f"{OWL}Nothing"}
_SCOPES = (FSN, SYNONYM, LAYPERSON, "broad", "narrow", "related")
"""Kinds in the order in which OBO files have synonyms of the same text."""
_MOST_EXAMPLES, _MOST_COUNTED = 5, 1_000


class Entities:
    """What is said about the classes, properties and individuals of an ontology."""

    def __init__(self, file: SourceFile) -> None:
        self.names = Names()
        self._file = file
        self._version = self._version_text = self._namespace = ""
        self._kinds: dict[str, str] = {}
        self._facts: defaultdict[str, list[tuple[str, str, str]]] = defaultdict(list)
        """By id of the subject: role, value, language."""
        self._parents: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        self._links: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        """Annotations that lead to another entity, by property; some of these OBO takes for relations."""
        self._types: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
        """The types of a synonym, which is named by its concept, kind and text."""
        self._imports: list[str] = []
        self._skipped: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def begin(self, iri: str, version: str = "") -> None:
        """Be told which ontology it is."""
        self.names.ontology = self.names.ontology or iri
        self._version = self._version or version

    def describe(self, predicate: str, value: str) -> None:
        """Take in an annotation of the ontology itself."""
        if predicate in DEFAULT_NAMESPACE:
            self._namespace = value.strip()
        elif predicate == f"{OWL}versionInfo":
            self._version_text = value.strip()
        elif predicate == f"{OWL}versionIRI":
            self._version = value

    def add_import(self, iri: str) -> None:
        """Note another ontology, which is not followed."""
        self._imports.append(iri)
        self.skip("imported ontologies", iri)

    def declare(self, kind: str, iri: str) -> None:
        """Be told that something is a class, a property or an individual."""
        if iri in _EVERYTHING:
            return
        id_ = self.names.id_of(iri)
        before = self._kinds.setdefault(id_, kind)
        if before != kind:
            self.skip("second uses of the name of a class for a property or an individual", id_)
            if kind == CLASS:
                self._kinds[id_] = kind
        if kind == INDIVIDUAL:
            self.skip("individuals", id_)

    def annotate(
        self, subject: str, predicate: str, value: str, language: str | None, types: Iterable[str] = ()
    ) -> None:
        """Take in an annotation; its language is None if the value is an IRI."""
        role = _ROLES.get(predicate)
        if role is None:
            if language is None or value.startswith(OBO):
                self._links[self.names.id_of(predicate)].append((self.names.id_of(subject), self.names.id_of(value)))
            self.skip("annotations that have no place in a terminology", predicate)
            return
        id_ = self.names.id_of(subject)
        if role in _SCOPES:
            value = value.strip()
            if not value or language is None:
                self.skip("names and synonyms without text", f"{id_}: {predicate}")
                return
            for type_ in types:
                self.add_type(subject, predicate, value, type_)
        elif language is None or value.startswith("http"):
            value = self.names.id_of(value)
        self._facts[id_].append((role, value, language_of(language or "")))

    def add_type(self, subject: str, predicate: str, text: str, type_: str) -> None:
        """Be told the type of a synonym."""
        if kind := KINDS_OF_PROPERTY.get(predicate):
            self._types[self.names.id_of(subject), kind, text.strip()].append(self.names.id_of(type_))

    def relate(self, subject: str, predicate: str, target: str) -> None:
        """Be told that a class is below another one (``is_a``) or related to it."""
        if target not in _EVERYTHING:
            name = predicate if predicate == IS_A else self.names.id_of(predicate)
            self._parents[self.names.id_of(subject)].append((name, self.names.id_of(target)))

    def skip(self, what: str, example: str) -> None:
        """Count something that does not become part of the terminology."""
        examples = self._skipped[what]
        examples[example if example in examples or len(examples) < _MOST_COUNTED else ""] += 1

    def contents(self, language: str | None) -> Contents:
        """Make tables of all classes, in the order in which an OBO file would have them."""
        tagged = any(tag for facts in self._facts.values() for _, _, tag in facts)
        default = "en" if tagged else language or "en"
        terms = self._terms(default, language and language_of(language))
        if not terms:
            raise TermgaugeError(
                f"{self._file.label}: has no classes, so it is no ontology with terms, or an empty one; check the file."
            )
        version = edition_of(self._version, "") if dated(self._version) == self._version else self._version
        skipped = [
            Skipped(what, examples.total(), tuple(text for text, _ in examples.most_common(_MOST_EXAMPLES) if text))
            for what, examples in sorted(self._skipped.items())
        ]
        note = (
            f"{self._file.base}: imports {len(self._imports)} other ontologies, which are not read "
            f"({shown(self._imports)}); merge them into one file if you need their terms."
        )
        return contents_of(
            self._file,
            terms,
            edition=edition_of(self.names.ontology, self._file.base),
            version=dated(version or self._version_text),
            language=default,
            namespace=self._namespace or None,
            notes=[note] if self._imports else (),
            skipped=skipped,
        )

    def _terms(self, default: str, wanted: str | None) -> list[Term]:
        """Make the terms, with names in the wanted language, or in all; those of no language are in the default one."""
        final = self.names.final
        for property_, links in self._links.items():
            # OBO takes the annotations of properties that are metadata tags for relations.
            if any(role == "is_metadata_tag" and value == "true" for role, value, _ in self._facts.get(property_, ())):
                for subject, target in links:
                    self._parents[subject].append((property_, target))
        properties, lay = self._names_of_properties(), self._lay_synonyms()
        merged: defaultdict[str, list[str]] = defaultdict(list)
        terms = []
        for term_id, id_ in sorted((final(id_), id_) for id_, kind in self._kinds.items() if kind == CLASS):
            term = Term(term_id)
            texts, why = self._fill(term, self._facts.get(id_, []))
            if term.obsolete and _MERGED in why and term.replaced_by:
                if not texts:
                    for target in term.replaced_by:
                        merged[target].append(term_id)
                    continue
                if id_ in self._parents:  # a term of its own that OBO also calls an alternative id of another one
                    term.obsolete, term.replaced_by = False, []
            texts = [
                (text, LAYPERSON if (id_, kind, text) in lay else kind, language)
                for text, kind, language in texts
                if not wanted or (language or default) == wanted
            ]
            _name(term, texts, wanted or "en")
            related = [(properties.get(name) or final(name), final(end)) for name, end in self._parents.get(id_, ())]
            term.relations = sorted(related, key=lambda relation: (relation[0] != IS_A, *relation))
            terms.append(term)
        for term in terms:
            term.alternatives += merged.get(term.id, [])
        return terms

    def _fill(self, term: Term, facts: list[tuple[str, str, str]]) -> tuple[list[tuple[str, str, str]], list[str]]:
        """Fill a term with what is said about it; return its names and synonyms, and why it is obsolete."""
        texts: list[tuple[str, str, str]] = []
        others: defaultdict[str, list[str]] = defaultdict(list)
        for role, value, language in facts:
            if role in _SCOPES:
                texts.append((value, role, language))
            elif value:
                others[role].append(value)
        term.obsolete = any(value.strip().lower() in {"true", "1"} for value in others["deprecated"])
        term.namespace = next(filter(None, map(str.strip, others["namespace"])), None)
        term.since = next(filter(None, map(day, others["since"])), None)
        for role in ("replaced_by", "consider", "alternatives"):
            setattr(term, role, sorted(set(map(self.names.final, others[role]))))
        return list(dict.fromkeys(texts)), others["why"]

    def _names_of_properties(self) -> dict[str, str]:
        """Return how OBO calls properties: by their short hand, else by the id that they state."""
        stated: dict[str, str] = {}
        for id_, facts in self._facts.items():
            if self._kinds.get(id_) != CLASS:
                values = {role: value for role, value, _ in reversed(facts) if role in {"id", "shorthand"}}
                stated[id_] = values.get("shorthand") or values.get("id", "")
        return stated

    def _lay_synonyms(self) -> set[tuple[str, str, str]]:
        words = {
            type_: [self.names.final(type_), *(value for role, value, _ in self._facts.get(type_, ()) if role == FSN)]
            for type_ in {type_ for types in self._types.values() for type_ in types}
        }
        lay = {type_ for type_, texts in words.items() if LAY.search(" ".join(texts))}
        return {synonym for synonym, types in self._types.items() if lay.intersection(types)}


def _name(term: Term, texts: list[tuple[str, str, str]], wanted: str) -> None:
    """Give a term its name and its synonyms, those in the order of OBO files: by text, whatever its case."""
    labels = [entry for entry in texts if entry[1] == FSN]
    name = min(labels, key=lambda label: label[2] not in {"", wanted}, default=None)
    if name:
        term.name, term.language = name[0], name[2]
    first_of_language: dict[str, str] = {}
    synonyms = []
    for text, kind, language in texts:
        if kind == FSN and first_of_language.setdefault(language, text) != text:
            kind = SYNONYM  # noqa: PLW2901 - a second name in the same language
        if (text, kind, language) != (term.name, FSN, term.language):
            synonyms.append((text, kind, language))
    term.synonyms = sorted(
        set(synonyms), key=lambda synonym: (synonym[0].lower(), synonym[0], _SCOPES.index(synonym[1]), synonym[2])
    )
