"""OWL ontologies, in the three syntaxes in which they are published, as streams.

The syntaxes are read by modules of their own (:mod:`rdf_xml`, :mod:`owl_xml`, :mod:`functional`) into the same place.
What OBO can say comes out as it comes out of OBO, so the same ontology gives the same benchmark.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.source import tracked
from termgauge.terminology.formats.functional import read_functional
from termgauge.terminology.formats.owl_entities import OWL, Entities
from termgauge.terminology.formats.owl_statements import read_rdf
from termgauge.terminology.formats.owl_xml import read_owl_xml
from termgauge.terminology.formats.registry import Format, only_file
from termgauge.terminology.formats.skos import looks_like_skos

if TYPE_CHECKING:
    from termgauge.source import SourceFile
    from termgauge.terminology.formats.registry import Contents
    from termgauge.terminology.options import ReadingOptions

SUFFIXES = (".owl", ".owx", ".ofn")
_COMMENTS = re.compile(rb"\s*(?:<\?[^>]*\?>|<!--.*?-->|<!DOCTYPE[^>[]*(?:\[.*?\])?\s*>|#[^\n]*\n|\s)*", re.DOTALL)
_ELEMENT = re.compile(rb"<(?:[\w.-]+:)?(Class|Ontology)\b")
_FUNCTIONAL = re.compile(rb"(?:Prefix|Ontology)\s*\(")
_MANCHESTER = re.compile(rb"(?:Prefix|Ontology):\s")
_TURTLE = re.compile(rb"@(?:prefix|base)\b|PREFIX\s", re.IGNORECASE)


def read_owl(files: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read an ontology in whichever syntax its first words are of."""
    (file,) = files.values()
    entities = Entities(file)
    start = _start(file.head())
    if start.startswith(b"<"):
        first = re.match(rb"<(?:[\w.-]+:)?([\w.-]+)", start)
        read = read_owl_xml if first and first[1] == b"Ontology" else read_rdf
    elif _FUNCTIONAL.match(start):
        read = read_functional
    else:
        raise TermgaugeError(f"{file.label}: {_what_else(start)}; save it as RDF/XML, OWL/XML or functional syntax.")
    with tracked(file, "Reading OWL") as opened:
        read(opened, entities)
    return entities.contents(options.language)


def _start(head: bytes) -> bytes:
    """Return the first bytes that say something."""
    head = head.removeprefix(b"\xef\xbb\xbf")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "ignore").encode()
    between = _COMMENTS.match(head)
    return head[between.end() if between else 0 :]


def _what_else(start: bytes) -> str:
    if _MANCHESTER.match(start):
        return "is OWL in Manchester syntax, which termgauge does not read"
    if _TURTLE.match(start):
        return "is OWL in Turtle, which termgauge does not read"
    return "is no OWL in a syntax that termgauge reads"


def _looks_like_owl(head: bytes) -> bool:
    start = _start(head)
    if not start.startswith(b"<"):
        return bool(_FUNCTIONAL.match(start))
    said = set(_ELEMENT.findall(head))
    return OWL.encode() in head and not said.isdisjoint({b"Class", b"Ontology"}) and not looks_like_skos(head)


def _choose(sources: list[list[SourceFile]]) -> SourceFile:
    files = [file for source in sources for file in source]
    suffix = next((each for each in SUFFIXES if any(file.base.lower().endswith(each) for file in files)), SUFFIXES[0])
    return only_file(sources, suffix)


FORMAT = Format(
    name="owl",
    title="OWL ontology",
    signs="an OWL ontology (*.owl)",
    origin="From the OBO Foundry (obofoundry.org), BioPortal (bioportal.bioontology.org) or the page of the ontology.",
    licence="Each ontology has its own; most are CC BY 4.0 or CC0.",
    choose=lambda sources, _options: {"ontology": _choose([list(source) for source in sources])},
    read=read_owl,
    sniff_name=lambda file: file.base.lower().endswith(SUFFIXES),
    sniff_head=_looks_like_owl,
)
