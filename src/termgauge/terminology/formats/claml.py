"""Classifications in ClaML (EN ISO 13120), versions 2 and 3: ICD-10 of WHO, ICD-10-GM, OPS, ICPC, ICF.

A concept is a class; its preferred rubric is its name. Inclusions are synonyms, unless the title speaks of others, as
in ICD-10-CM; those of chapters and blocks describe what is in them, and are narrower. A document type that lies
elsewhere is not fetched.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.io.xml_stream import first_element
from termgauge.terminology.formats.documents import Elements, Rows, kind_of_inclusion
from termgauge.terminology.formats.registry import Contents, Format, only_file_with
from termgauge.terminology.languages import language_of
from termgauge.terminology.model import FSN, IS_A, SYNONYM

if TYPE_CHECKING:
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


@dataclass
class _Class:
    code: str
    kind: str
    above: list[str] = field(default_factory=list)
    labels: list[tuple[str, str, str]] = field(default_factory=list)
    """The kind of rubric, the language and the text of each."""


class _Classes(Elements):
    """Gathers the classes of one file."""

    passed_over = frozenset({"History", "Authors", "Variants", "Usage", "Display"})
    texts = frozenset({"Label"})
    silent = frozenset({"Reference"})
    apart = frozenset({"Para", "Fragment", "ListItem", "Cell", "Row"})

    def __init__(self, file: SourceFile, rows: Rows) -> None:
        super().__init__(file)
        self._rows = rows
        self.classes: list[_Class] = []
        self.title: dict[str, str] = {}
        self.name = ""
        self._language, self._own_language, self._rubric = "en", "en", ""

    def opened(self, name: str, attributes: dict[str, str]) -> None:
        match name:
            case "Class":
                self.classes.append(_Class(attributes.get("code", ""), attributes.get("kind", "")))
            case "Rubric":
                self._rubric = attributes.get("kind", "")
            case "Label":
                self._own_language = language_of(attributes.get("xml:lang", "")) or self._language
            case "SuperClass" if self.path[-2] == "Class":
                self.classes[-1].above.append(attributes.get("code", ""))
            case "ModifierClass":
                self._rows.passed.add("classes of modifiers", attributes.get("code", ""))
            case "Title":
                self.title = attributes
            case "Identifier":
                self.name = self.name or attributes.get("uid", "")
            case "ClaML":
                self._language = language_of(attributes.get("xml:lang", "")) or self._language
            case "Meta" if attributes.get("name") == "lang":
                self._language = language_of(attributes.get("value", "")) or self._language

    def closed(self, name: str, text: str) -> None:
        if name == "Label" and self.path[-1] == "Rubric" and self.path[-2] == "Class":
            self.classes[-1].labels.append((self._rubric, self._own_language, text))


def read_claml(files: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read a classification."""
    (file,) = files.values()
    if (root := first_element(file.head())) != ROOT:
        found = f"its first element is '{root}'" if root else "it does not begin as XML"
        raise TermgaugeError(f"{file.label}: is no ClaML, since {found}; name a file whose first element is ClaML.")
    rows = Rows(file.label, options.language)
    reader = _Classes(file, rows)
    reader.read("Reading ClaML")
    tops = _tops(reader.classes)
    for each in reader.classes:
        _take(rows, each, tops)
    modified = rows.passed.count("classes of modifiers")
    notes = [f"{file.base}: {modified} class(es) of modifiers are not combined with the classes that they modify."]
    edition = reader.title.get("name") or reader.name or file.base.rpartition(".")[0]
    version = reader.title.get("version") or reader.title.get("date", "")
    return rows.contents(edition, version, notes if modified else [])


def _take(rows: Rows, each: _Class, tops: dict[str, str]) -> None:
    rows.concept(each.code, tops.get(each.code))
    titles = {language: text for kind, language, text in each.labels if kind in NAMES}
    for kind, language, text in each.labels:
        if kind in NAMES:
            rows.term(each.code, text, FSN, language)
        elif kind in SYNONYMS:
            rows.term(each.code, text, SYNONYM, language)
        elif kind in INCLUSIONS:
            wide = each.kind in _CLASSES
            rows.term(each.code, text, "narrow" if wide else kind_of_inclusion(titles.get(language, "")), language)
        elif kind not in _UNSPOKEN:
            rows.passed.add(f"rubrics of the kind {kind}", f"{each.code}: {text}")
    for above in each.above:
        rows.relation(each.code, IS_A, above)


def _tops(classes: list[_Class]) -> dict[str, str]:
    """Return the title of the topmost class above each class: its chapter, as a rule."""
    above = {each.code: each.above[0] for each in classes if each.above}
    titles = {each.code: next((text for kind, _, text in each.labels if kind in NAMES), "") for each in classes}
    tops: dict[str, str] = {}
    for each in classes:
        way = {each.code: None}  # in order, and quick to look up
        last = each.code
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
