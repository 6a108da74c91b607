"""Code systems of HL7 FHIR, as JSON or XML: a CodeSystem, a Bundle or a package of several, an expanded ValueSet.

Elements and properties are those of FHIR R4 and R5 (hl7.org/fhir/codesystem.html, codesystem-concept-properties). Where
there are several systems a concept is called ``system|code``, as FHIR writes tokens, because codes are only unique
within their system. A value set is read where there is no code system, or where it is asked for.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from termgauge.exceptions import TermgaugeError
from termgauge.io.xml_stream import first_element, read_elements
from termgauge.terminology.formats.documents import Rows, begins_json, dictionaries
from termgauge.terminology.formats.ontology import day
from termgauge.terminology.formats.registry import Contents, Format, files_with
from termgauge.terminology.languages import language_of
from termgauge.terminology.model import FSN, IS_A, REPLACED_BY, SYNONYM

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from xml.etree.ElementTree import Element

    from termgauge.io.source import SourceFile
    from termgauge.terminology.options import ReadingOptions

REPLACED = "http://hl7.org/fhir/StructureDefinition/codesystem-replacedby"
PREFERRED = {"preferredForLanguage", "display", "900000000000003001"}
"""Uses of a designation that make it the name in its language; the number is SNOMED CT's fully specified name."""
_INACTIVE = {"retired", "inactive"}
"""Values of ``status``; what is only deprecated may still be used, says FHIR."""
_KINDS = ("CodeSystem", "ValueSet")
_RESOURCE = re.compile(rb'"resourceType"\s*:\s*"(CodeSystem|Bundle|ValueSet)"')
_LISTS = {"concept", "contains", "designation", "additionalUse", "property", "extension", "entry"}
"""Elements that may be repeated."""
_PLAIN = {
    "notSelectable", "definition", "comment", "itemWeight", "order", "deprecated", "deprecationDate", "retirementDate",
    "synonym", "synonymCode",
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


def chosen_files(sources: Sequence[Sequence[SourceFile]], options: ReadingOptions) -> dict[str, SourceFile]:
    """Choose the files with code systems, else all of FHIR; of a package, also the file that names it."""
    files = files_with(sources, _kind_of)
    if not files:
        raise TermgaugeError(f"{sources[0][0].root}: holds no file of this format; name it.")
    if options.resource is not None:
        names = {f"{kind}-{options.resource}" for kind in _KINDS}
        named = [file for file in files if PurePosixPath(file.base).stem in names]
    else:
        named = [file for file in files if len(files) > 1 and _kind_of(file.head()) == "CodeSystem"]
    chosen = {f"systems {at}" if at > 1 else "systems": file for at, file in enumerate(named or files, 1)}
    package = [file for source in sources for file in source if file.base == "package.json"]
    return chosen | ({"package": package[0]} if len(package) == 1 and len(chosen) > 1 else {})


def read_fhir(files: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read the code systems of a file, or of several."""
    package = _dictionary(files["package"].json()) if "package" in files else {}
    resource_files = [file for kind, file in files.items() if kind != "package"]
    name = resource_files[0].base.rpartition(".")[0] if len(resource_files) == 1 else resource_files[0].root.name
    label = resource_files[0].label if len(resource_files) == 1 else str(resource_files[0].root)
    resources = [entry for file in resource_files for entry in _resources(file)]
    systems = _wanted(resources, options.resource, label)
    rows, notes = Rows(label, options.language), []
    if systems[0]["resourceType"] == "CodeSystem":
        urls = {_text(resource.get("url")) for resource in systems}
    else:
        urls = {_text(concept.get("system")) for resource in systems for concept in _contained(resource)}
    for resource in systems:
        system = _system(resource, several=len(urls) > 1 or len(systems) > 1)
        for concept in _contained(resource) if resource["resourceType"] == "ValueSet" else ():
            url = _text(concept.get("system"))
            inactive = {"code": "inactive", "valueBoolean": concept.get("inactive", False)}
            concept_system = system._replace(url=url, prefix=f"{url}|" if system.prefix else "")
            _take_concept(rows, {**concept, "property": [inactive]}, concept_system)
        for concept, above in _nested(resource, "concept") if resource["resourceType"] == "CodeSystem" else ():
            _take_concept(rows, concept, system)
            if above and (code := _text(concept.get("code"))):
                rows.relation(system.prefix + code, system.hierarchy, system.prefix + above)
        content = _text(resource.get("content"))
        if content not in {"complete", ""}:
            title = _text(resource.get("name")) or system.url
            notes.append(f"{name}: the code system {title} says that its content is '{content}', so it is not all.")
    only = systems[0] if len(systems) == 1 else {}
    edition = _text(only.get("name")) or _text(only.get("id")) or _text(package.get("name")) or name
    version = _text(only.get("version")) or _text(only.get("date")) or _text(package.get("version") if not only else "")
    return rows.contents(edition, version, notes[:5])


def _resources(file: SourceFile) -> list[dict[str, Any]]:
    """Return the resource of a file, or those of a bundle."""
    resource = _read_xml(file) if first_element(file.head()) else file.json()
    if not isinstance(resource, dict):
        raise TermgaugeError(f"{file.label}: is JSON, but no FHIR resource; name a CodeSystem or a Bundle of these.")
    if resource.get("resourceType") != "Bundle":
        return [resource]
    inside = [_dictionary(entry.get("resource")) for entry in dictionaries(resource.get("entry"))]
    return inside or [resource]


def _wanted(resources: list[dict[str, Any]], id_: str | None, label: str) -> list[dict[str, Any]]:
    """Return the code systems, else the expanded value sets; of one id, if that is given."""
    candidates = [resource for resource in resources if resource.get("resourceType") in _KINDS]
    if id_ is not None:
        ids = ", ".join(sorted({_text(resource.get("id")) for resource in candidates} - {""})[:10]) or "none"
        candidates = [resource for resource in candidates if id_ in map(resource.get, ("id", "url", "name"))]
        if not candidates:
            raise TermgaugeError(f"{label}: holds no CodeSystem or ValueSet of the id '{id_}'; it has {ids}.")
    systems = [resource for resource in candidates if resource["resourceType"] == "CodeSystem"]
    expanded = [resource for resource in candidates if isinstance(resource.get("expansion"), dict)]
    if systems or expanded:
        return systems or expanded
    kinds = ", ".join(sorted({_text(resource.get("resourceType"))[:40] for resource in resources})[:10])
    more = ", or have a terminology server expand it" if candidates else ""
    raise TermgaugeError(
        f"{label}: has no CodeSystem and no expanded ValueSet (it has: {kinds}); name the resource that holds the "
        f"concepts{more}."
    )


def _nested(resource: object, part: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield what is in a list, and in the lists of this name inside, in their order, each with the code above it."""
    waiting = [(entry, "") for entry in reversed(dictionaries(_dictionary(resource).get(part)))]
    while waiting:
        entry, above = waiting.pop()
        yield entry, above
        waiting += [(inside, _text(entry.get("code"))) for inside in reversed(dictionaries(entry.get(part)))]


def _contained(resource: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the concepts of an expansion; that one is inside another means nothing."""
    return [concept for concept, _above in _nested(resource.get("expansion"), "contains") if concept.get("code")]


def _read_xml(file: SourceFile) -> dict[str, Any]:
    """Return a resource in XML as it would be in JSON."""
    elements = read_elements(file, ("text",), most_letters=1 << 30)
    root = next(elements)
    root.extend(list(elements))
    return _as_json(root)


def _as_json(element: Element) -> dict[str, Any]:
    is_resource = element.tag[:1].isupper()
    parts: dict[str, Any] = {"resourceType": element.tag} if is_resource else dict(element.attrib)
    for child in element:
        value = _as_json(child)
        if child.tag[:1].isupper():
            parts.update(value)
        elif child.tag in _LISTS:
            parts.setdefault(child.tag, []).append(value)
        else:
            parts.setdefault(child.tag, value.get("value", value))
    return parts


def _system(resource: dict[str, Any], *, several: bool) -> _System:
    url, meaning = _text(resource.get("url")), _text(resource.get("hierarchyMeaning"))
    declared = dictionaries(resource.get("property"))
    properties = {
        _text(property_.get("code")): _text(property_.get("uri")).rpartition("#")[2] or _text(property_.get("code"))
        for property_ in declared
    }
    language = language_of(_text(resource.get("language"))) or "en"
    return _System(url, language, meaning.replace("-", "_") or IS_A, properties, f"{url}|" if several else "")


def _take_concept(rows: Rows, concept: dict[str, Any], system: _System) -> None:
    code, active, since = _text(concept.get("code")), True, None
    if not code:
        rows.passed.add("concepts without an id", _text(concept.get("display")))
        return
    id_ = system.prefix + code
    for name, value in _properties(concept, system):
        other = system.prefix + value
        match name:
            case "inactive":
                active = active and value.lower() != "true"
            case "status":
                active = active and value not in _INACTIVE
            case "effectiveDate":
                since = day(value)
            case "parent" | "subsumedBy":
                rows.relation(id_, system.hierarchy, other)
            case "child":
                rows.relation(other, system.hierarchy, id_)
            case "partOf":
                rows.relation(id_, "part_of", other)
            case "replacedBy" | "replaced-by":
                rows.replacement(id_, other, REPLACED_BY)
            case _ if name not in _PLAIN:
                rows.passed.add(f"properties named {name}", f"{id_}: {value}")
    rows.concept(id_, module=system.url, active=active, since=since)
    _take_terms(rows, concept, system)


def _take_terms(rows: Rows, concept: dict[str, Any], system: _System) -> None:
    """Take the display and the designations; the first, or preferred, one of another language is the name there."""
    id_ = system.prefix + _text(concept.get("code"))
    named = set()
    if display := _text(concept.get("display")):
        rows.term(id_, display, FSN, system.language)
        named.add(system.language)
    texts = []
    for designation in dictionaries(concept.get("designation")):
        uses = [_dictionary(designation.get("use")), *dictionaries(designation.get("additionalUse"))]
        preferred = any(_text(use.get("code")) in PREFERRED for use in uses)
        language = language_of(_text(designation.get("language"))) or system.language
        texts.append((not preferred, language, _text(designation.get("value"))))
    names = {}
    for at, (_other, language, text) in sorted(enumerate(texts), key=lambda entry: entry[1][0]):
        if text.strip() and language not in named:
            named.add(language)
            names[at] = language
    for at, (_other, language, text) in enumerate(texts):
        if text != display or language != system.language:
            rows.term(id_, text, FSN if at in names else SYNONYM, language)
    for name, value in _properties(concept, system):
        if name == "synonym":
            rows.term(id_, value, SYNONYM, system.language)


def _properties(concept: dict[str, Any], system: _System) -> Iterator[tuple[str, str]]:
    """Yield the properties of a concept: what each means, and its value, whatever its type."""
    for property_ in dictionaries(concept.get("property")):
        code = _text(property_.get("code"))
        kind, value = next(((key, value) for key, value in property_.items() if key.startswith("value")), ("", ""))
        if isinstance(value, dict):
            value = _text(value.get("code"))
        name = system.properties.get(code, code)
        if code and value != "":
            # By the definition of FHIR a synonym is another code; only where a system gives texts are these terms.
            yield "synonymCode" if name == "synonym" and kind != "valueString" else name, str(value)
    for extension in dictionaries(concept.get("extension")):
        if extension.get("url") == REPLACED and (new := _text(_dictionary(extension.get("valueCoding")).get("code"))):
            yield "replacedBy", new


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _dictionary(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _kind_of(head: bytes) -> str:
    """Return which resource a file holds that begins so; nothing if it is none that may hold concepts."""
    if begins_json(head):
        return match[1].decode() if (match := _RESOURCE.search(head)) else ""
    root = first_element(head) if b"http://hl7.org/fhir" in head else ""
    return root if root in {"CodeSystem", "Bundle", "ValueSet"} else ""


FORMAT = Format(
    name="fhir",
    title="FHIR CodeSystem or expanded ValueSet, a bundle or a package of these",
    signs="a FHIR CodeSystem (JSON or XML)",
    origin="From a terminology server, terminology.hl7.org, or the page of an implementation guide.",
    licence="That of the code system; HL7's own are CC0.",
    choose=chosen_files,
    read=read_fhir,
    sniff_head=lambda head: bool(_kind_of(head)),
    options=frozenset({"resource"}),
    version=2,
)
