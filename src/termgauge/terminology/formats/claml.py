"""Classifications in ClaML (EN ISO 13120), versions 2 and 3: ICD-10 of WHO, ICD-10-GM, OPS, ICPC, ICF.

A concept is a class; its preferred rubric is its name. Inclusions are synonyms, unless the title speaks of others, as
in ICD-10-CM; those of chapters and blocks describe what is in them, and are narrower. A document type that lies
elsewhere is not fetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from termgauge.io.source import tracked
from termgauge.io.xml_stream import first_element, read_elements, text_of
from termgauge.terminology.formats.documents import Rows, kind_of_inclusion, require_root
from termgauge.terminology.formats.registry import Contents, Format, only_file_with
from termgauge.terminology.languages import language_of
from termgauge.terminology.model import FSN, IS_A, SYNONYM

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from termgauge.io.source import SourceFile
    from termgauge.terminology.options import ReadingOptions

ROOT = "ClaML"
NAMES = {"preferred"}
SYNONYMS = {"preferredLong", "preferredlong", "shortTitle", "synonym", "abbreviation"}
INCLUSIONS = {"inclusion", "includes"}
_UNSPOKEN = {
    "exclusion", "excludes", "introduction", "text", "note", "coding-hint", "definition", "footnote", "criteria",
    "consider", "description", "remark",
}  # fmt: skip
"""Kinds of rubrics that hold no terms."""
_CLASSES = ("chapter", "block", "group")
_PASSED_OVER = ("History", "Authors", "Variants", "Usage", "Display")
_PARAGRAPHS = ("Para", "Fragment", "ListItem", "Cell", "Row")


class _Class(NamedTuple):
    code: str
    kind: str
    above: list[str]
    labels: list[tuple[str, str, str]]
    """The kind of rubric, the language and the text of each."""


def read_claml(files: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read a classification."""
    (file,) = files.values()
    require_root(file, (ROOT,), "ClaML; name a file whose first element is ClaML")
    rows, classes, language = Rows(file.label, options.language), list[_Class](), "en"
    title: dict[str, str] = {}
    name = ""
    with tracked(file, "Reading ClaML") as opened:
        for element in read_elements(opened, _PASSED_OVER):
            match element.tag:
                case "ClaML":
                    language = language_of(element.get("xml:lang", "")) or language
                case "Meta" if element.get("name") == "lang":
                    language = language_of(element.get("value", "")) or language
                case "Title":
                    title = element.attrib
                case "Identifier":
                    name = name or element.get("uid", "")
                case "ModifierClass":
                    rows.passed.add("classes of modifiers", element.get("code", ""))
                case "Class":
                    classes.append(_class(element, language))
    tops = _tops(classes)
    for class_ in classes:
        _take(rows, class_, tops)
    modified = rows.passed.count("classes of modifiers")
    notes = [f"{file.base}: {modified} class(es) of modifiers are not combined with the classes that they modify."]
    edition = title.get("name") or name or file.base.rpartition(".")[0]
    return rows.contents(edition, title.get("version") or title.get("date", ""), notes if modified else [])


def _class(element: Element, language: str) -> _Class:
    labels = [
        (
            rubric.get("kind", ""),
            language_of(label.get("xml:lang", "")) or language,
            text_of(label, ("Reference",), _PARAGRAPHS),
        )
        for rubric in element.iterfind("Rubric")
        for label in rubric.iterfind("Label")
    ]
    above = [parent.get("code", "") for parent in element.iterfind("SuperClass")]
    return _Class(element.get("code", ""), element.get("kind", ""), above, labels)


def _take(rows: Rows, class_: _Class, tops: dict[str, str]) -> None:
    code = class_.code
    rows.concept(code, tops.get(code, ""))
    titles = {language: text for kind, language, text in class_.labels if kind in NAMES}
    for kind, language, text in class_.labels:
        if kind in NAMES:
            rows.term(code, text, FSN, language)
        elif kind in SYNONYMS:
            rows.term(code, text, SYNONYM, language)
        elif kind in INCLUSIONS:
            wide = class_.kind in _CLASSES
            rows.term(code, text, "narrow" if wide else kind_of_inclusion(titles.get(language, "")), language)
        elif kind not in _UNSPOKEN:
            rows.passed.add(f"rubrics of the kind {kind}", f"{code}: {text}")
    for above in class_.above:
        rows.relation(code, IS_A, above)


def _tops(classes: list[_Class]) -> dict[str, str]:
    """Return the title of the topmost class above each class: its chapter, as a rule."""
    above = {entry.code: entry.above[0] for entry in classes if entry.above}
    titles = {entry.code: next((text for kind, _, text in entry.labels if kind in NAMES), "") for entry in classes}
    tops: dict[str, str] = {}
    for class_ in classes:
        way = {class_.code: None}  # in order, and quick to look up
        last = class_.code
        while last not in tops and (parent := above.get(last)) in titles and parent not in way:
            way[parent] = None
            last = parent
        tops.update(dict.fromkeys(way, tops.get(last) or last))
    return {code: titles[top] for code, top in tops.items() if top in titles}


def _looks_like_claml(head: bytes) -> bool:
    return first_element(head) == ROOT


FORMAT = Format(
    name="claml",
    title="ClaML, classifications such as ICD-10 and ICD-10-GM",
    signs="a classification in ClaML",
    origin="From WHO (icd.who.int/browse10) or the national institute of your country, such as the BfArM.",
    licence="WHO's licence of ICD-10, or that of the institute; mostly free of charge for use that is not commercial.",
    choose=lambda sources, _options: {"classification": only_file_with(sources, _looks_like_claml)},
    read=read_claml,
    sniff_head=_looks_like_claml,
)
