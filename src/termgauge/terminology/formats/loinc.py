"""LOINC: the folder or zip of a release, or its table alone (``Loinc.csv``).

A concept is a LOINC code; its long common name is its name. The component hierarchy adds LOINC's parts as concepts
above the codes. Files and columns are those of the "LOINC Users' Guide" (Regenstrief Institute).
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.io.tables import open_table, peek_table
from termgauge.progress import track
from termgauge.terminology.formats.documents import Rows
from termgauge.terminology.formats.registry import Contents, Format, files_with
from termgauge.terminology.languages import language_of
from termgauge.terminology.model import FSN, IS_A, POSSIBLY_EQUIVALENT_TO, REPLACED_BY, SYNONYM

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.io.source import SourceFile
    from termgauge.terminology.options import ReadingOptions

NEEDED = ("LOINC_NUM", "LONG_COMMON_NAME", "STATUS")
BESIDE = {
    "mapto.csv": "replacements",
    "componenthierarchybysystem.csv": "hierarchy",
    "multiaxialhierarchy.csv": "hierarchy",
    "consumername.csv": "consumer names",
}
"""What the files are that lie beside the table; the hierarchy was renamed in 2.73."""
_VARIANT = re.compile(r"([a-z]{2,3})([A-Z]{2})\d*LinguisticVariant\.csv", re.IGNORECASE)
_STATUSES = {"ACTIVE", "TRIAL", "DISCOURAGED", "DEPRECATED"}
_PART = "Part"
_HAN = "\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef"
_BETWEEN_NAMES = re.compile(rf";|(?<=[{_HAN}])\s+|\s+(?=[{_HAN}])")
"""A space beside a Chinese character ends a name; Latin words beside each other are one."""


def chosen_files(sources: Sequence[Sequence[SourceFile]], options: ReadingOptions) -> dict[str, SourceFile]:
    """Choose the table, what lies beside it, and the translations into the language that is wanted, or all of them."""
    files = [file for source in sources for file in source]
    # A release also holds a core table, with fewer columns.
    tables = [file for file in files if file.base.lower() == "loinc.csv"] or files_with(sources, looks_like_loinc)
    folders = {file.name: PurePosixPath(file.name.lower()).parent.name for file in tables}
    # The panels and forms, among the accessory files, have a table of that name of their own.
    tables = [file for file in tables if folders[file.name] != "panelsandforms"] or tables
    tables = [file for file in tables if folders[file.name] == "loinctable"] or tables
    if len(tables) != 1:
        names = ", ".join(file.name for file in tables[:5]) or "none"
        raise TermgaugeError(f"{files[0].root}: one table of LOINC (Loinc.csv) is needed, found {names}; name one.")
    chosen = {"table": tables[0]}
    wanted = None if options.language is None else language_of(options.language)
    for file in files:
        if kind := BESIDE.get(file.base.lower()):
            chosen.setdefault(kind, file)
        elif (variant := _VARIANT.fullmatch(file.base)) and wanted in (None, language_of(variant[1])):
            chosen[f"variant {variant[1].lower()}-{variant[2].upper()}"] = file
    order = {kind: at for at, kind in enumerate(("table", *BESIDE.values()))}
    return dict(sorted(chosen.items(), key=lambda item: (order.get(item[0], len(order)), item[0])))


def read_loinc(files: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read a release, or the part of it that is there."""
    rows = Rows(files["table"].label, options.language)
    with track("Reading LOINC", total=sum(file.size for file in files.values()), unit="bytes") as advance:
        version = ""
        for kind, file in files.items():
            if kind == "table":
                version = _take_table(rows, file)
            elif kind == "replacements":
                _take_replacements(rows, file)
            elif kind == "hierarchy":
                _take_hierarchy(rows, file)
            elif kind == "consumer names":
                for number, name in _rows(file, "LoincNumber", "ConsumerName"):
                    rows.term(number, name, "layperson", "en")
            else:
                _take_variant(rows, file, language_of(kind.rpartition(" ")[2]))
            advance(file.size)
    lost = {
        "hierarchy": ("ComponentHierarchyBySystem.csv", "the terminology has no relations"),
        "replacements": ("MapTo.csv", "it has no replacements of deprecated codes"),
    }
    notes = [f"No {name}: {what}." for kind, (name, what) in lost.items() if kind not in files]
    return rows.contents("loinc", version, notes)


def _take_table(rows: Rows, file: SourceFile) -> str:
    """Take the codes with their names; return the latest version that is spoken of."""
    latest: tuple[int, ...] = ()
    columns = ("CLASS", "SHORTNAME", "DisplayName", "CONSUMER_NAME", "RELATEDNAMES2", "VersionLastChanged")
    for number, name, status, kind, short, display, consumer, related, changed in _rows(file, *NEEDED, *columns):
        if status not in _STATUSES:
            rows.passed.add("statuses that LOINC does not document", f"{number}: {status}")
        rows.concept(number, kind, active=status != "DEPRECATED")
        if name:
            rows.term(number, name, FSN, "en")
        for text in dict.fromkeys((display, short)):
            if text and text != name:
                rows.term(number, text, SYNONYM, "en")
        if consumer:
            rows.term(number, consumer, "layperson", "en")
        for text in _related(related):
            rows.term(number, text, "related", "en")
        if re.fullmatch(r"\d{1,4}(?:\.\d{1,4})+", changed):
            latest = max(latest, tuple(map(int, changed.split("."))))
    return ".".join(f"{part:02}" if at else str(part) for at, part in enumerate(latest))


def _take_replacements(rows: Rows, file: SourceFile) -> None:
    """Take what deprecated codes map to; one of several is only possibly meant."""
    targets: dict[str, list[str]] = {}
    for old, new in _rows(file, "LOINC", "MAP_TO"):
        if old and new:
            targets.setdefault(old, []).append(new)
    for old, several in targets.items():
        for new in several:
            rows.replacement(old, new, REPLACED_BY if len(several) == 1 else POSSIBLY_EQUIVALENT_TO)


def _take_hierarchy(rows: Rows, file: SourceFile) -> None:
    for parent, code, text in _rows(file, "IMMEDIATE_PARENT", "CODE", "CODE_TEXT"):
        if code and code not in rows:
            rows.concept(code, _PART)
            rows.term(code, text, FSN, "en")
        if code and parent:
            rows.relation(code, IS_A, parent)


def _take_variant(rows: Rows, file: SourceFile, language: str) -> None:
    """Take a translation; what has no long name has its display name as name."""
    columns = ("LOINC_NUM", "LONG_COMMON_NAME", "LinguisticVariantDisplayName", "SHORTNAME", "RELATEDNAMES2")
    for number, long, display, short, related in _rows(file, *columns):
        texts = list(dict.fromkeys(filter(None, (long, display, short))))
        if not texts:
            rows.passed.add("translations without a name", f"{number} ({language})")
        for at, text in enumerate(texts):
            rows.term(number, text, SYNONYM if at else FSN, language)
        for text in _related(related):
            rows.term(number, text, "related", language)


def _related(names: str) -> list[str]:
    """Return related names, each once; in Chinese they come in groups, with spaces between these."""
    return [text for text in dict.fromkeys(map(str.strip, _BETWEEN_NAMES.split(names))) if text]


def _rows(file: SourceFile, *wanted: str) -> Iterator[tuple[str, ...]]:
    """Yield the wanted columns of each row, without spaces around; those that the table does not have are empty."""
    table = open_table(file, wanted)
    places = [table.find(name) for name in wanted]
    if places[0] is None:
        raise TermgaugeError(f"{file.label}: has no column {wanted[0]}, so it is no file of LOINC; get it again.")
    for row in table.rows(header=True).cells:
        yield tuple("" if index is None else row[index] for index in places)


def looks_like_loinc(head: bytes) -> bool:
    """Tell the table of LOINC by its columns; translations have no STATUS."""
    return peek_table(head, NEEDED).names(NEEDED)


FORMAT = Format(
    name="loinc",
    title="LOINC, its table and accessory files",
    signs="LOINC (Loinc.csv)",
    origin="From the Regenstrief Institute (loinc.org/downloads).",
    licence="The LOINC licence, free of charge (loinc.org/license).",
    choose=chosen_files,
    read=read_loinc,
    sniff_head=looks_like_loinc,
    accompanied_by=frozenset({"fhir"}),
    version=2,
)
