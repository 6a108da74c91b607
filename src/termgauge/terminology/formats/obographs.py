"""OBO Graphs: an ontology as JSON, a list of nodes and a list of edges, read one node at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from termgauge.exceptions import TermgaugeError
from termgauge.io.decoding import read_values
from termgauge.io.source import tracked
from termgauge.terminology.formats.documents import begins_json, dictionaries
from termgauge.terminology.formats.owl_entities import CLASS, IN_OWL, INDIVIDUAL, OWL, PROPERTY, RDFS, Entities
from termgauge.terminology.formats.registry import Format, only_file_with

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.io.source import SourceFile
    from termgauge.terminology.formats.registry import Contents
    from termgauge.terminology.options import ReadingOptions

_KINDS = {"CLASS": CLASS, "PROPERTY": PROPERTY, "INDIVIDUAL": INDIVIDUAL}
_OF_PROPERTIES = {"subPropertyOf", "inverseOf", "type"}
"""Edges that are not between classes."""
_LEVELS = 4
"""The document, the list of graphs, a graph, a list of its nodes; below are the nodes."""


def read_obographs(files: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read an ontology from JSON."""
    (file,) = files.values()
    entities = Entities(file)
    with tracked(file, "Reading OBO Graphs") as opened:
        is_graph = False
        for keys, value in read_values(opened, _LEVELS):
            is_graph |= keys[:1] == ("graphs",)
            _take(keys[1:], value, entities)
    if not is_graph:
        raise TermgaugeError(
            f"{file.label}: is JSON, but has no 'graphs', so it is no OBO Graph; check the file, or name its format."
        )
    return entities.contents(options.language)


def _take(keys: tuple[str, ...], value: Any, entities: Entities) -> None:  # noqa: ANN401
    match keys, value:
        case ("nodes",), {"id": str(id_)}:
            _take_node(id_, value, entities)
        case ("edges",), {"sub": str(subject), "pred": str(predicate), "obj": str(target)}:
            if predicate in _OF_PROPERTIES:
                entities.skip("axioms of other kinds", predicate)
            else:
                entities.relate(subject, predicate, target)
        case ("id",), str():
            entities.begin(value)
        case ("meta", "version"), str():
            entities.begin("", value)
        case ("meta", "basicPropertyValues"), list() | dict():
            for predicate, text in _property_values(value):
                entities.describe(predicate, text)
        case (("nodes" | "edges") as list_,), _:
            entities.skip(f"{list_} that are incomplete", str(value)[:80])
        case (str(name),), dict():
            entities.skip("axioms of other kinds", name)


def _take_node(id_: str, node: dict[str, Any], entities: Entities) -> None:
    if kind := _KINDS.get(str(node.get("type"))):
        entities.declare(kind, id_)
    if isinstance(label := node.get("lbl"), str):
        entities.annotate(id_, f"{RDFS}label", label, "")
    meta = node.get("meta")
    if not isinstance(meta, dict):
        return
    if meta.get("deprecated") is True:
        entities.annotate(id_, f"{OWL}deprecated", "true", "")
    for synonym in dictionaries(meta.get("synonyms")):
        match synonym:
            case {"pred": str(predicate), "val": str(text)}:
                types = [type_] if isinstance(type_ := synonym.get("synonymType"), str) else []
                entities.annotate(id_, IN_OWL + predicate.removeprefix(IN_OWL), text, "", types)
    for predicate, text in _property_values(meta.get("basicPropertyValues")):
        entities.annotate(id_, predicate, text, "")
    for key in ("definition", "xrefs", "subsets", "comments"):
        if meta.get(key):
            entities.skip("annotations that have no place in a terminology", key)


def _property_values(values: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401
    for entry in values if isinstance(values, list) else [values]:
        match entry:
            case {"pred": str(predicate), "val": str(text)}:
                yield predicate, text


def _looks_like_graphs(head: bytes) -> bool:
    return begins_json(head) and b'"graphs"' in head[:1000] and b'"nodes"' in head


FORMAT = Format(
    name="obographs",
    title="OBO Graphs (JSON)",
    signs="an OBO Graph (JSON with graphs, nodes and edges)",
    origin="From the OBO Foundry (obofoundry.org), beside the OBO file of an ontology.",
    licence="Each ontology has its own; most are CC BY 4.0 or CC0.",
    choose=lambda sources, _options: {"ontology": only_file_with(sources, _looks_like_graphs)},
    read=read_obographs,
    sniff_head=_looks_like_graphs,
    version=2,
)
