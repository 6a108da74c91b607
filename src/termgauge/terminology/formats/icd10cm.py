"""ICD-10-CM as it is published in the USA: the tabular list in XML, the order file, and the list of codes.

The tabular list has inclusion terms; the order file has short titles and the codes with a seventh character. Where
both are there, the second adds to the first. The columns of the text files are those of CMS's "icd10OrderFiles".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.io.xml_stream import first_element
from termgauge.plurals import numbered
from termgauge.terminology.formats.documents import Elements, Rows, kind_of_inclusion
from termgauge.terminology.formats.registry import Contents, Format, files_with
from termgauge.terminology.model import FSN, IS_A, SYNONYM

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
_CLASSES = {"chapter", "section", "diag"}


class _Tabular(Elements):
    """Makes rows of the tabular list: chapters, sections within them, diagnoses within these and each other."""

    passed_over = frozenset({
        "introduction", "sectionIndex", "excludes1", "excludes2", "codeFirst", "codeAlso", "useAdditionalCode", "notes",
        "sevenChrNote", "instruction", "visRange", "visMax", "visMin",
    })  # fmt: skip
    texts = frozenset({"version", "name", "desc", "note", "extension"})

    def __init__(self, file: SourceFile, rows: Rows) -> None:
        super().__init__(file)
        self._rows = rows
        self._open: list[tuple[str, str]] = []
        """The codes and titles of what is around."""
        self.version = ""

    def opened(self, name: str, attributes: dict[str, str]) -> None:
        if name in _CLASSES:
            code = attributes.get("id", "")
            # A section of one category would have the code of that category.
            self._open.append((f"{code}-{code}" if code and "-" not in code else code, ""))

    def closed(self, name: str, text: str) -> None:
        if name == "version":
            self.version = text
        elif name in _CLASSES and self._open:
            self._open.pop()
        elif not self._open:
            return
        elif name == "name":
            self._open[-1] = (text, "")
        elif name == "desc":
            self._take_title(_RANGE.sub("", text))
        elif name == "note" and self.path[-1] in {"inclusionTerm", "includes"}:
            code, title = self._open[-1]
            kind = kind_of_inclusion(title) if self.path[-1] == "inclusionTerm" else "narrow"
            self._rows.term(code, text, kind, _LANGUAGE)
        elif name == "extension":
            self._rows.passed.add("seventh characters, which the order file spells out", f"{self._open[-1][0]}: {text}")

    def _take_title(self, title: str) -> None:
        code = self._open[-1][0]
        self._open[-1] = (code, title)
        self._rows.concept(code, self._open[0][1])
        self._rows.term(code, title, FSN, _LANGUAGE)
        above = self._open[-2][0] if len(self._open) > 1 else ""
        if above and above != code:
            self._rows.relation(code, IS_A, above)


def read_icd10cm(files: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read the files of ICD-10-CM that are there."""
    main = next(iter(files.values()))
    rows, notes, version = Rows(main.label, options.language), [], ""
    for kind, file in files.items():
        if kind == "tabular":
            reader = _Tabular(file, rows)
            reader.read("Reading ICD-10-CM")
            version = reader.version
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
        if found := _ORDER.fullmatch(line):
            bare, short, title = found.groups()
        elif found := _CODE.fullmatch(line):
            bare, title = found.groups()
            short = title
        else:
            if line.strip():
                odd.append(number)
                rows.passed.add("lines that are no codes", f"line {number}: {line}")
            continue
        _take_code(rows, bare, title, short)
    return odd


def _take_code(rows: Rows, bare: str, title: str, short: str) -> None:
    code = dotted(bare)
    if code not in rows:
        rows.concept(code)
        rows.term(code, title, FSN, _LANGUAGE)
        if above := next((each for each in _prefixes(bare) if each in rows), None):
            rows.relation(code, IS_A, above)
    if short.strip() != title.strip():
        rows.term(code, short, SYNONYM, _LANGUAGE)


def _prefixes(bare: str) -> Iterator[str]:
    """Yield the codes that a code may be below, the nearest first; X fills places up to a seventh character."""
    for length in range(len(bare) - 1, 2, -1):
        yield dotted(bare[:length])


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
    chosen: dict[str, SourceFile] = {}
    for file in files_with(sources, lambda head: bool(_kind_of(head))):
        kind = _kind_of(file.head()) or ("tabular" if first_element(file.head()) else "order")
        if kind in chosen:
            raise TermgaugeError(
                f"{file.root}: holds several releases of ICD-10-CM ({chosen[kind].name}, {file.name}); name one."
            )
        chosen[kind] = file
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
