"""Thesauri in SKOS, as Turtle, N-Triples or RDF/XML (W3C Recommendation "SKOS Reference", 2009).

A concept is what is said to be one, or has a preferred label, and is neither a scheme nor a collection. Labels may be
texts, or nodes of SKOS-XL with a literal form. Statements come in any order, so they are gathered by what they are
about; what has no meaning here is counted and let go.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from termgauge.io.source import tracked
from termgauge.io.xml_stream import first_element
from termgauge.plurals import numbered, plural
from termgauge.terminology.formats.documents import Rows
from termgauge.terminology.formats.ontology import dated
from termgauge.terminology.formats.rdf import TYPE, read_statements
from termgauge.terminology.formats.registry import Contents, Format, only_file_with
from termgauge.terminology.languages import language_of
from termgauge.terminology.model import FSN, IS_A, REPLACED_BY, SYNONYM, TAG_SEPARATOR

if TYPE_CHECKING:
    from termgauge.io.source import SourceFile
    from termgauge.terminology.formats.rdf import Statement
    from termgauge.terminology.options import ReadingOptions

SKOS = "http://www.w3.org/2004/02/skos/core#"
XL = "http://www.w3.org/2008/05/skos-xl#"
DCT, DC, OWL = "http://purl.org/dc/terms/", "http://purl.org/dc/elements/1.1/", "http://www.w3.org/2002/07/owl#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
KINDS = {"prefLabel": FSN, "altLabel": SYNONYM, "hiddenLabel": "related"}
"""What labels are; hidden ones are spellings to be found by, such as misspellings, not names."""
LABELS = {f"{SKOS}{name}": kind for name, kind in KINDS.items()}
XL_LABELS = {f"{XL}{name}": kind for name, kind in KINDS.items()}
_RELATIONS = {f"{SKOS}broader": IS_A, f"{SKOS}broaderTransitive": IS_A, f"{SKOS}related": "related"}
NARROWER = {f"{SKOS}narrower", f"{SKOS}narrowerTransitive"}
_IN_SCHEME = {f"{SKOS}inScheme", f"{SKOS}topConceptOf"}
_TITLES = (f"{SKOS}prefLabel", f"{DCT}title", f"{DC}title", f"{RDFS}label")
_VERSIONS = (f"{OWL}versionInfo", f"{DCT}modified", f"{DCT}issued", f"{DC}date")
_ABOUT_SCHEMES = {*_TITLES, *_VERSIONS}
_GROUPS = {f"{SKOS}{kind}" for kind in ("ConceptScheme", "Collection", "OrderedCollection")}
_UNSPOKEN = {
    f"{SKOS}{name}"
    for name in (
        *("definition", "scopeNote", "note", "example", "historyNote", "editorialNote", "changeNote", "notation"),
        *("hasTopConcept", "member", "memberList", "semanticRelation", "mappingRelation"),
        *("exactMatch", "closeMatch", "broadMatch", "narrowMatch", "relatedMatch"),
    )
}
"""Properties that hold no terms; matches are mappings to other schemes."""
_NAMES = rb"(?:Concept|ConceptScheme|prefLabel|inScheme)\b"
_IN_TURTLE = re.compile(rb"\bskos:" + _NAMES + rb"|<http://www\.w3\.org/2004/02/skos/core#")
_IN_XML = re.compile(rb"skos:" + _NAMES + rb"|skos/core#Concept\b|<(?:ConceptScheme|prefLabel)\b")
_CONCEPT = re.compile(rb"(?:skos:|skos/core#|<)Concept(?:Scheme)?\b")
_CLASS = re.compile(rb"(?:owl:|owl#|<)Class\b")
_ONTOLOGY = re.compile(rb"(?:owl:|owl#|<)Ontology\b")
_TURTLE = re.compile(rb"(?:\s|#[^\n]*(?:\n|\Z))*+(?:@?(?:prefix|base)\s|<|_:)", re.IGNORECASE)


class _Thesaurus:
    """Everything that is said and has a meaning here."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.concepts: dict[str, None] = {}
        self.groups: set[str] = set()
        self.labels: list[tuple[str, str, str, str]] = []
        self.schemes: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self.titles: defaultdict[str, dict[str, str]] = defaultdict(dict)
        """What things that may be schemes are called, and their versions, by property."""
        self.deprecated: set[str] = set()
        self.forms: dict[str, tuple[str, str]] = {}
        self.nodes: list[tuple[str, str, str]] = []
        """Labels of SKOS-XL: their forms by node; whose they are, of which kind, and which node."""

    def take(self, statement: Statement) -> None:
        """Take in one statement."""
        subject, predicate, value, language = statement
        if language is not None and predicate in _ABOUT_SCHEMES:
            self.titles[subject].setdefault(predicate, value)
        if predicate == TYPE:
            if value == f"{SKOS}Concept":
                self.concepts[subject] = None
            elif value in _GROUPS:
                self.groups.add(subject)
        elif not (predicate in _UNSPOKEN or (self._is_link if language is None else self._is_text)(statement)):
            self.rows.passed.add(f"properties named {predicate[:200]}", f"{subject}: {value}")

    def _is_text(self, statement: Statement) -> bool:
        """Take a statement about a text; return whether it has a meaning."""
        subject, predicate, text, language = statement
        if predicate in LABELS:
            self.labels.append((subject, LABELS[predicate], text, language or ""))
            if LABELS[predicate] == FSN:
                self.concepts.setdefault(subject)
        elif predicate == f"{XL}literalForm":
            self.forms[subject] = text, language or ""
        elif predicate == f"{OWL}deprecated":
            self.deprecated |= {subject} if text.strip().lower() in {"true", "1"} else set()
        else:
            return predicate in _ABOUT_SCHEMES
        return True

    def _is_link(self, statement: Statement) -> bool:
        """Take a statement about two things; return whether it has a meaning."""
        subject, predicate, other, _language = statement
        if predicate in XL_LABELS:
            self.nodes.append((subject, XL_LABELS[predicate], other))
        elif predicate in _IN_SCHEME:
            self.schemes[subject][other] = None
        elif predicate in _RELATIONS:
            self.rows.relation(subject, _RELATIONS[predicate], other)
        elif predicate in NARROWER:
            self.rows.relation(other, IS_A, subject)
        elif predicate == f"{DCT}isReplacedBy":
            self.rows.replacement(subject, other, REPLACED_BY)
        elif predicate == f"{DCT}replaces":
            self.rows.replacement(other, subject, REPLACED_BY)
        else:
            return False
        return True

    def settle(self) -> None:
        """Make rows of concepts and labels, once all is said."""
        for concept in self.concepts:
            if concept not in self.groups:
                schemes = self.schemes.get(concept, {})
                tag = TAG_SEPARATOR.join(dict.fromkeys(map(self.title, schemes)))
                self.rows.concept(concept, tag, next(iter(schemes), ""), active=concept not in self.deprecated)
        for subject, kind, node in self.nodes:
            if node in self.forms:
                self.labels.append((subject, kind, *self.forms[node]))
            else:
                self.rows.passed.add("labels of SKOS-XL without a literal form", f"{subject}: {node}")
        for subject, kind, text, language in dict.fromkeys(self.labels):  # SKOS-XL repeats plain labels
            if subject not in self.groups:
                self.rows.term(subject, text, kind, language_of(language) or "en")

    def title(self, scheme: str) -> str:
        """Return what a scheme is called, else the end of its address."""
        titles = self.titles.get(scheme, {})
        stated = (titles[predicate] for predicate in _TITLES if predicate in titles)
        return next(stated, re.split(r"[/#]", scheme.rstrip("/#"))[-1])


def read_skos(files: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read a thesaurus; labels without a language count as English."""
    (file,) = files.values()
    rows = Rows(file.label, options.language)
    thesaurus = _Thesaurus(rows)
    with tracked(file, "Reading SKOS") as opened:
        for statement in read_statements(opened):
            thesaurus.take(statement)
    thesaurus.settle()
    schemes = Counter(scheme for schemes in thesaurus.schemes.values() for scheme in schemes)
    main = max(schemes, key=schemes.__getitem__, default="")
    titles = thesaurus.titles.get(main, {})
    version = next((version for predicate in _VERSIONS if (version := dated(titles.get(predicate, "")))), "")
    edition = thesaurus.title(main) if main else file.base.rpartition(".")[0]
    unnamed = rows.passed.count("labels of SKOS-XL without a literal form")
    lacking = f"of SKOS-XL {plural(unnamed, 'has', 'have')} no literal form and {plural(unnamed, 'was', 'were')}"
    notes = [f"{file.base}: {numbered(unnamed, 'label')} {lacking} passed over."]
    return rows.contents(edition, version, notes if unnamed else [])


def looks_like_skos(head: bytes) -> bool:
    """Tell a thesaurus by its concepts."""
    signs = _IN_XML if first_element(head) else _IN_TURTLE if looks_like_turtle(head) else None
    return signs is not None and signs.search(head) is not None and not declares_classes(head)


def declares_classes(head: bytes) -> bool:
    """Tell an ontology, which may borrow labels from SKOS, by its classes; these may come after the first bytes."""
    return bool(_CLASS.search(head) or (_ONTOLOGY.search(head) and not _CONCEPT.search(head)))


def looks_like_turtle(head: bytes) -> bool:
    """Tell Turtle and N-Triples by how they begin."""
    return _TURTLE.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


FORMAT = Format(
    name="skos",
    title="SKOS thesaurus, as Turtle or RDF/XML",
    signs="a SKOS thesaurus (skos:Concept)",
    origin="From the page of the thesaurus, such as EuroVoc, AGROVOC or the NAL Thesaurus.",
    licence="Each thesaurus has its own; most are CC BY or CC0.",
    choose=lambda sources, _options: {"thesaurus": only_file_with(sources, looks_like_skos)},
    read=read_skos,
    sniff_head=looks_like_skos,
    version=2,
)
