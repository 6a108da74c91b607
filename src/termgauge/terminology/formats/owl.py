"""OWL ontologies, in the four syntaxes in which they are published, as streams.

The syntaxes are read by modules of their own (:mod:`rdf_xml`, :mod:`turtle`, :mod:`owl_xml`, :mod:`functional`) into
the same place. What OBO can say comes out as it comes out of OBO, so the same ontology gives the same benchmark.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import tracked
from termgauge.io.xml_stream import first_element
from termgauge.terminology.formats.functional import read_functional
from termgauge.terminology.formats.owl_entities import OWL, Entities
from termgauge.terminology.formats.owl_statements import read_rdf
from termgauge.terminology.formats.owl_xml import read_owl_xml
from termgauge.terminology.formats.registry import Format, only_file, only_file_with
from termgauge.terminology.formats.skos import declares_classes, looks_like_skos, looks_like_turtle

if TYPE_CHECKING:
    from termgauge.io.source import SourceFile
    from termgauge.terminology.formats.registry import Contents
    from termgauge.terminology.options import ReadingOptions

SUFFIXES = (".owl", ".owx", ".ofn")
_COMMENTS = re.compile(rb"\s*(?:<\?[^>]*\?>|<!--.*?-->|<!DOCTYPE[^>[]*(?:\[.*?\])?\s*>|#[^\n]*\n|\s)*", re.DOTALL)
_ELEMENT = re.compile(rb"<(?:[\w.-]+:)?(Class|Ontology)\b")
_FUNCTIONAL = re.compile(rb"(?:Prefix|Ontology)\s*\(")
_MANCHESTER = re.compile(rb"(?:Prefix|Ontology):\s")


def read_owl(files: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read an ontology in whichever syntax its first words are of."""
    (file,) = files.values()
    entities = Entities(file)
    head = file.head()
    start = _start(head)
    if start.startswith(b"<") or looks_like_turtle(start):
        read = read_owl_xml if first_element(head) == "Ontology" else read_rdf
    elif _FUNCTIONAL.match(start):
        read = read_functional
    else:
        manchester = "OWL in Manchester syntax, which termgauge does not read"
        what = manchester if _MANCHESTER.match(start) else "no OWL in a syntax that termgauge reads"
        raise TermgaugeError(f"{file.label}: is {what}; save it as RDF/XML, Turtle, OWL/XML or functional syntax.")
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


def _looks_like_owl(head: bytes) -> bool:
    start = _start(head)
    if looks_like_turtle(start) and not first_element(head):
        return OWL.encode() in head and declares_classes(head)
    if not start.startswith(b"<"):
        return bool(_FUNCTIONAL.match(start))
    said = set(_ELEMENT.findall(head))
    return OWL.encode() in head and not said.isdisjoint({b"Class", b"Ontology"}) and not looks_like_skos(head)


def _choose(sources: list[list[SourceFile]]) -> SourceFile:
    files = [file for source in sources for file in source]
    suffix = next((each for each in SUFFIXES if any(file.base.lower().endswith(each) for file in files)), None)
    return only_file(sources, suffix) if suffix else only_file_with(sources, _looks_like_owl)


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
    version=2,
)
