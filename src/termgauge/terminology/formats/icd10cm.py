"""ICD-10-CM as it is published in the USA: the tabular list in XML, the order file, and the list of codes.

The tabular list has inclusion terms; the order file has short titles and the codes with a seventh character. Where
both are there, the second adds to the first. The columns of the text files are those of CMS's "icd10OrderFiles".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import tracked
from termgauge.io.xml_stream import first_element, read_elements, text_of
from termgauge.plurals import numbered
from termgauge.terminology.formats.documents import Rows, kind_of_inclusion
from termgauge.terminology.formats.registry import Contents, Format, files_with, one_of_each
from termgauge.terminology.model import FSN, IS_A, SYNONYM

if TYPE_CHECKING:
    from collections.abc import Sequence
    from xml.etree.ElementTree import Element

    from termgauge.io.source import SourceFile
    from termgauge.terminology.options import ReadingOptions

ROOT = "ICD10CM.tabular"
_ORDER = re.compile(r"\d{5} ([A-Z]\d[0-9A-Z]{1,5}) {1,5}[01] (.{60}) (\S.*)")
"""A number, the code without its dot, whether it is billable, the short title in 60 columns, the long one."""
_CODE = re.compile(r"(?=.{8}\S)([A-Z]\d[0-9A-Z]{1,5}) +(\S.*)")
"""The code without its dot in seven columns, and its title."""
_RANGE = re.compile(r"\s*\([A-Z]\d[0-9A-Z](?:\s*-\s*[A-Z]\d[0-9A-Z])?\)$")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LANGUAGE = "en"
_CLASSES = ("chapter", "section", "diag")
_PASSED_OVER = frozenset({
    "introduction", "sectionIndex", "excludes1", "excludes2", "codeFirst", "codeAlso", "useAdditionalCode", "notes",
    "sevenChrNote", "instruction", "visRange", "visMax", "visMin",
})  # fmt: skip


def _take_tabular(rows: Rows, file: SourceFile) -> str:
    """Take the tabular list; return its version."""
    version = ""
    with tracked(file, "Reading ICD-10-CM") as opened:
        for element in read_elements(opened, _PASSED_OVER):
            if element.tag == "version":
                version = text_of(element)
            elif element.tag in _CLASSES:
                _take_class(rows, element, "", "")
    return version


def _take_class(rows: Rows, class_: Element, chapter: str, above: str) -> None:
    """Take a chapter, a section of it, or a diagnosis in these, with all that is below it."""
    id_ = class_.get("id", "")
    # A section of one category would have the code of that category.
    code = text_of(class_.find("name")) or (f"{id_}-{id_}" if id_ and "-" not in id_ else id_)
    title = _RANGE.sub("", text_of(class_.find("desc")))
    chapter = chapter or title
    if class_.find("desc") is not None:
        rows.concept(code, chapter)
        rows.term(code, title, FSN, _LANGUAGE)
        if above and above != code:
            rows.relation(code, IS_A, above)
    for part in class_:
        if part.tag in ("inclusionTerm", "includes"):
            kind = kind_of_inclusion(title) if part.tag == "inclusionTerm" else "narrow"
            for note in part.iterfind("note"):
                rows.term(code, text_of(note), kind, _LANGUAGE)
        elif part.tag == "sevenChrDef":
            for extension in part.iterfind("extension"):
                what = "seventh characters, which the order file spells out"
                rows.passed.add(what, f"{code}: {text_of(extension)}")
        elif part.tag in _CLASSES:
            _take_class(rows, part, chapter, code)


def read_icd10cm(files: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read the files of ICD-10-CM that are there."""
    main = next(iter(files.values()))
    rows, notes, version = Rows(main.label, options.language), [], ""
    for kind, file in files.items():
        if kind == "tabular":
            version = _take_tabular(rows, file)
        elif odd := _take_lines(rows, file):
            notes.append(
                f"{file.base}: {numbered(len(odd), 'line is no code and was', 'lines are no codes and were')} passed "
                f"over (line {odd[0]})."
            )
    if "tabular" not in files:
        notes.append("No tabular list: the terminology has titles only, no inclusion terms.")
    year = _YEAR.search(version) or _YEAR.search(main.base)
    return rows.contents("icd10cm", year[0] if year else version, notes)


def _take_lines(rows: Rows, file: SourceFile) -> list[int]:
    """Take the codes of an order file or a list of codes; return the numbers of the lines that hold none."""
    odd = []
    for number, line in enumerate(file.text().splitlines(), 1):
        if fields := _ORDER.fullmatch(line) or _CODE.fullmatch(line):
            bare, short, title = fields[1], fields[2], fields.groups()[-1]
            code = dotted(bare)
            if code not in rows:
                rows.concept(code)
                rows.term(code, title, FSN, _LANGUAGE)
                above = (dotted(bare[:length]) for length in range(len(bare) - 1, 2, -1))  # the nearest first
                if nearest := next((shorter for shorter in above if shorter in rows), None):
                    rows.relation(code, IS_A, nearest)
            if short.strip() != title.strip():
                rows.term(code, short, SYNONYM, _LANGUAGE)
        elif line.strip():
            odd.append(number)
            rows.passed.add("lines that are no codes", f"line {number}: {line}")
    return odd


def dotted(bare: str) -> str:
    """Return a code as it is written in the tabular list.

    >>> dotted("A000"), dotted("A00")
    ('A00.0', 'A00')
    """
    return f"{bare[:3]}.{bare[3:]}" if len(bare) > len("A00") else bare


def _kind_of(head: bytes) -> str:
    """Tell what a file of ICD-10-CM is; nothing if it is none."""
    if first_element(head) == ROOT:
        return "tabular"
    lines = head.decode("utf-8-sig", "replace").split("\n")
    whole = [line.rstrip("\r") for line in (lines[:-1] or lines)[:20] if line.strip()]
    if whole and all(_ORDER.fullmatch(line) for line in whole):
        return "order"
    return "codes" if whole and all(_CODE.fullmatch(line) for line in whole) else ""


def chosen_files(sources: Sequence[Sequence[SourceFile]], _options: ReadingOptions) -> dict[str, SourceFile]:
    """Choose the tabular list and the order file, or the list of codes if there is no order file."""
    files = files_with(sources, lambda head: bool(_kind_of(head)))
    chosen = one_of_each(
        files,
        lambda file: _kind_of(file.head()) or ("tabular" if first_element(file.head()) else "order"),
        "releases of ICD-10-CM",
    )
    if not chosen:
        raise TermgaugeError(f"{sources[0][0].root}: holds no ICD-10-CM; name its tabular list or its order file.")
    wanted = ("tabular", "order") if "order" in chosen else ("tabular", "codes")
    return {kind: chosen[kind] for kind in wanted if kind in chosen}


FORMAT = Format(
    name="icd10cm",
    title="ICD-10-CM, tabular list, order file or codes",
    signs="ICD-10-CM (a tabular list in XML, an order file)",
    origin="From CMS (cms.gov/medicare/coding-billing/icd-10-codes) or the CDC (cdc.gov/nchs/icd).",
    licence="Free of charge; the copyright of ICD-10 is WHO's.",
    choose=chosen_files,
    read=read_icd10cm,
    sniff_head=lambda head: bool(_kind_of(head)),
)
