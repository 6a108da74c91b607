"""SSSOM in TSV or CSV, with or without its header of metadata; or a plain table with ``source`` and ``target``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.io.decoding import table_rows
from termgauge.terminology.mappings.registry import BROAD, CLOSE, EXACT, NARROW, RELATED, Mapped, MappingForm

if TYPE_CHECKING:
    from termgauge.io.source import SourceFile

RELATION_OF_PREDICATE = {
    **dict.fromkeys(("exactmatch", "equivalentclass", "sameas", "equivalent", EXACT), EXACT),
    **dict.fromkeys(("closematch", CLOSE), CLOSE),
    **dict.fromkeys(("broadmatch", "subclassof", BROAD), BROAD),
    **dict.fromkeys(("narrowmatch", "superclassof", NARROW), NARROW),
    **dict.fromkeys(("relatedmatch", "hasdbxref", RELATED), RELATED),
}
"""By the last part of a predicate's name, in lower case."""
_COLUMNS = {"source": "subject_id", "target": "object_id", "relation": "predicate_id"}
_LAST = re.compile(r"[^:/#]+$")


def looks_like_sssom(file: SourceFile) -> bool:
    """Tell whether the first line that is no comment names the two sides of a mapping."""
    lines = file.head().decode("utf-8", "replace").removeprefix("\ufeff").splitlines()
    header = next((line for line in lines if not line.startswith("#")), "")
    return {"subject_id", "object_id"} <= set(_names(header))


def read_sssom(file: SourceFile, _first: pl.Series, _second: pl.Series) -> Mapped:
    """Read a table of mappings; a row with the modifier ``Not`` says nothing of what is the same."""
    lines = file.text().splitlines(keepends=True)
    start = next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))
    names = _names(lines[start]) if start < len(lines) else []
    if not {"subject_id", "object_id"} <= set(names):
        raise TermgaugeError(
            f"{file.label}: has no columns subject_id and object_id (or source and target) in its first line that is "
            "no comment; check the file."
        )
    known: list[tuple[str, str, str]] = []
    passed_over = 0
    table = "\n" * (start + 1) + "".join(lines[start + 1 :])  # so that its lines keep their numbers
    for _line, values in table_rows(table, file.label, _separator(lines[start]), strict=False):
        row = dict(zip(names, (value.strip() for value in values), strict=False))
        relation = _relation(row)
        if relation and row.get("subject_id") and row.get("object_id"):
            known.append((row["subject_id"], row["object_id"], relation))
        else:
            passed_over += 1
    frame = pl.DataFrame(known, schema=dict.fromkeys(("source", "target", "relation"), pl.String), orient="row")
    return Mapped(frame, passed_over)


def _relation(row: dict[str, str]) -> str:
    if row.get("predicate_modifier", "").lower() == "not":
        return ""
    last = _LAST.search(row.get("predicate_id", EXACT).lower())
    return RELATION_OF_PREDICATE.get(last[0], "") if last else ""


def _separator(header: str) -> str:
    return max("\t,;", key=header.count)


def _names(header: str) -> list[str]:
    plain = (name.strip().strip('"').lower() for name in header.split(_separator(header)))
    return [_COLUMNS.get(name, name) for name in plain]


FORM = MappingForm(
    name="sssom",
    title="an SSSOM table (subject_id, predicate_id, object_id) or one with the columns source and target",
    sniff=looks_like_sssom,
    read=read_sssom,
)
