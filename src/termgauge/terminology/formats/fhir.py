"""Code systems of HL7 FHIR, as JSON: a CodeSystem, or a Bundle of several.

Elements and properties are those of FHIR R4 and R5 (hl7.org/fhir/codesystem.html, codesystem-concept-properties). In a
bundle of several systems a concept is called ``system|code``, as FHIR writes tokens, because codes are only unique
within their system.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from termgauge.exceptions import TermgaugeError
from termgauge.terminology.formats.registry import Contents, Format, only_file_with
from termgauge.terminology.formats.rows import Rows
from termgauge.terminology.languages import language_of
from termgauge.terminology.model import FSN, IS_A, REPLACED_BY, SYNONYM
from termgauge.xml_stream import first_element

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.source import SourceFile
    from termgauge.terminology.options import ReadingOptions

REPLACED = "http://hl7.org/fhir/StructureDefinition/codesystem-replacedby"
PREFERRED = {"preferredForLanguage", "display", "900000000000003001"}
"""Uses of a designation that make it the name in its language; the number is SNOMED CT's fully specified name."""
_HIERARCHY = {"is-a": IS_A}
_INACTIVE = {"retired", "inactive"}
"""Values of ``status``; what is only deprecated may still be used, says FHIR."""
_RESOURCE = re.compile(rb'"resourceType"\s*:\s*"(CodeSystem|Bundle)"')
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_PLAIN = {
    "notSelectable", "definition", "comment", "itemWeight", "order", "deprecated", "deprecationDate", "retirementDate",
    "synonym",
}  # fmt: skip
"""Properties that say nothing about the state or the place of a concept."""


class _System(NamedTuple):
    """What concepts share."""

    url: str
    language: str
    hierarchy: str
    properties: dict[str, str]
    """What each property code means, by the address that defines it."""
    prefix: str


def read_fhir(files: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read the code systems of a file."""
    (file,) = files.values()
    if first_element(file.head()):
        raise TermgaugeError(f"{file.label}: is XML; termgauge reads FHIR as JSON, so save it as JSON and name that.")
    systems = _code_systems(file.json(), file)
    rows = Rows(file.label, options.language)
    notes = []
    for resource in systems:
        system = _system(resource, several=len(systems) > 1)
        _take_concepts(rows, resource, system)
        content = _text(resource.get("content"))
        if content not in {"complete", ""}:
            name = _text(resource.get("name")) or system.url
            notes.append(f"{file.base}: the code system {name} says that its content is '{content}', so it is not all.")
    first = systems[0]
    edition = _text(first.get("name")) or _text(first.get("id")) or file.base.rpartition(".")[0]
    alone = len(systems) == 1
    version = _text(first.get("version")) or _text(first.get("date"))
    return rows.contents(edition if alone else file.base.rpartition(".")[0], version if alone else "", notes[:5])


def _code_systems(resource: Any, file: SourceFile) -> list[dict[str, Any]]:  # noqa: ANN401
    """Return the code systems of a file, of which there must be one."""
    if not isinstance(resource, dict):
        raise TermgaugeError(f"{file.label}: is JSON, but no FHIR resource; name a CodeSystem or a Bundle of these.")
    kind = _text(resource.get("resourceType"))
    if kind == "CodeSystem":
        return [resource]
    inside = [_dictionary(entry.get("resource")) for entry in _dictionaries(resource.get("entry"))]
    systems = [each for each in inside if each.get("resourceType") == "CodeSystem"]
    if not systems:
        found = "a Bundle without a CodeSystem" if kind == "Bundle" else f"no CodeSystem but '{kind[:40]}'"
        raise TermgaugeError(f"{file.label}: is {found}; name the resource that holds the concepts.")
    return systems


def _system(resource: dict[str, Any], *, several: bool) -> _System:
    url, meaning = _text(resource.get("url")), _text(resource.get("hierarchyMeaning"))
    declared = _dictionaries(resource.get("property"))
    properties = {
        _text(each.get("code")): _text(each.get("uri")).rpartition("#")[2] or _text(each.get("code"))
        for each in declared
    }
    hierarchy = _HIERARCHY.get(meaning, meaning.replace("-", "_")) or IS_A
    language = language_of(_text(resource.get("language"))) or "en"
    return _System(url, language, hierarchy, properties, f"{url}|" if several else "")


def _take_concepts(rows: Rows, resource: dict[str, Any], system: _System) -> None:
    """Take the concepts of a system, in the order of the file; those inside others are below them."""
    waiting: list[tuple[dict[str, Any], str]] = [
        (each, "") for each in reversed(_dictionaries(resource.get("concept")))
    ]
    while waiting:
        concept, above = waiting.pop()
        code = _text(concept.get("code"))
        _take_concept(rows, concept, system)
        if above and code:
            rows.relation(system.prefix + code, system.hierarchy, system.prefix + above)
        waiting += [(each, code) for each in reversed(_dictionaries(concept.get("concept")))]


def _take_concept(rows: Rows, concept: dict[str, Any], system: _System) -> None:
    code, active, since = _text(concept.get("code")), True, None
    if not code:
        rows.passed.add("concepts without an id", _text(concept.get("display")))
        return
    own = system.prefix + code
    for name, value in _properties(concept, system):
        if name == "inactive":
            active = active and str(value).lower() != "true"
        elif name == "status":
            active = active and str(value) not in _INACTIVE
        elif name == "effectiveDate":
            since = _day(str(value))
        elif not _is_link(rows, own, name, system.prefix + str(value), system) and name not in _PLAIN:
            rows.passed.add(f"properties named {name}", f"{own}: {value}")
    for extension in _dictionaries(concept.get("extension")):
        if extension.get("url") == REPLACED and (new := _text(_dictionary(extension.get("valueCoding")).get("code"))):
            rows.replacement(own, system.prefix + new, REPLACED_BY)
    rows.concept(own, module=system.url, active=active, since=since)
    _take_terms(rows, concept, system)


def _is_link(rows: Rows, own: str, name: str, other: str, system: _System) -> bool:
    """Take a property that leads to another concept, if it is one."""
    match name:
        case "parent" | "subsumedBy":
            rows.relation(own, system.hierarchy, other)
        case "child":
            rows.relation(other, system.hierarchy, own)
        case "partOf":
            rows.relation(own, "part_of", other)
        case "replacedBy" | "replaced-by":
            rows.replacement(own, other, REPLACED_BY)
        case _:
            return False
    return True


def _take_terms(rows: Rows, concept: dict[str, Any], system: _System) -> None:
    """Take the display and the designations; the first, or preferred, one of another language is the name there."""
    own = system.prefix + _text(concept.get("code"))
    named = set()
    if display := _text(concept.get("display")):
        rows.term(own, display, FSN, system.language)
        named.add(system.language)
    texts = []
    for each in _dictionaries(concept.get("designation")):
        uses = [_dictionary(each.get("use")), *_dictionaries(each.get("additionalUse"))]
        preferred = any(_text(use.get("code")) in PREFERRED for use in uses)
        language = language_of(_text(each.get("language"))) or system.language
        texts.append((not preferred, language, _text(each.get("value"))))
    names = {}
    for at, (_other, language, text) in sorted(enumerate(texts), key=lambda each: each[1][0]):
        if text.strip() and language not in named:
            named.add(language)
            names[at] = language
    for at, (_other, language, text) in enumerate(texts):
        if text != display or language != system.language:
            rows.term(own, text, FSN if at in names else SYNONYM, language)
    for name, value in _properties(concept, system):
        if name == "synonym":
            rows.term(own, str(value), SYNONYM, system.language)


def _properties(concept: dict[str, Any], system: _System) -> Iterator[tuple[str, object]]:
    """Yield the properties of a concept: what each means, and its value, whatever its type."""
    for each in _dictionaries(concept.get("property")):
        code = _text(each.get("code"))
        value = next((value for key, value in each.items() if key.startswith("value")), "")
        if isinstance(value, dict):
            value = _text(value.get("code"))
        if code and value != "":
            yield system.properties.get(code, code), value


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10]) if _DATE.match(text) else None
    except ValueError:
        return None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _dictionary(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dictionaries(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _looks_like_fhir(head: bytes) -> bool:
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return _RESOURCE.search(head) is not None
    return b"http://hl7.org/fhir" in head and first_element(head) in {"CodeSystem", "Bundle"}


FORMAT = Format(
    name="fhir",
    title="FHIR CodeSystem, as JSON",
    signs="a FHIR CodeSystem (JSON)",
    origin="From a terminology server, terminology.hl7.org, or the page of an implementation guide.",
    licence="That of the code system; HL7's own are CC0.",
    choose=lambda sources, _options: {"systems": only_file_with(sources, _looks_like_fhir)},
    read=read_fhir,
    sniff_head=_looks_like_fhir,
)
