"""FHIR's ConceptMap in JSON: R4 says ``equivalence``, R5 ``relationship``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.terminology.mappings.registry import BROAD, CLOSE, EXACT, NARROW, RELATED, Mapped, MappingForm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.io.source import SourceFile

RELATION_OF_CODE = {
    **dict.fromkeys(("equivalent", "equal"), EXACT),
    **dict.fromkeys(("wider", "subsumes", "source-is-narrower-than-target"), BROAD),
    **dict.fromkeys(("narrower", "specializes", "source-is-broader-than-target"), NARROW),
    **dict.fromkeys(("relatedto", "related-to"), RELATED),
    "inexact": CLOSE,
}
"""What is left out, such as ``unmatched`` and ``not-related-to``, says that there is no such concept."""


def read_concept_map(file: SourceFile, _first: pl.Series, _second: pl.Series) -> Mapped:
    """Read a ConceptMap."""
    document = file.json()
    if not isinstance(document, dict) or document.get("resourceType") != "ConceptMap":
        raise TermgaugeError(f"{file.label}: is no ConceptMap of FHIR (its resourceType is another); check the file.")
    rows = list(_targets(document))
    known = [(source, target, RELATION_OF_CODE[code]) for source, target, code in rows if code in RELATION_OF_CODE]
    frame = pl.DataFrame(known, schema=dict.fromkeys(("source", "target", "relation"), pl.String), orient="row")
    return Mapped(frame, len(rows) - len(known))


def _targets(document: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for group in _dictionaries(document, "group"):
        for element in _dictionaries(group, "element"):
            for target in _dictionaries(element, "target"):
                relation = target.get("relationship") or target.get("equivalence") or ""
                source, code = element.get("code"), target.get("code")
                yield str(source or ""), str(code or ""), str(relation).lower() if source and code else ""


def _dictionaries(thing: dict[str, Any], key: str) -> Iterator[dict[str, Any]]:
    found = thing.get(key)
    return (each for each in (found if isinstance(found, list) else []) if isinstance(each, dict))


FORM = MappingForm(
    name="concept_map",
    title="a FHIR ConceptMap in JSON",
    sniff=lambda file: (
        b'"ConceptMap"' in (head := file.head()) and head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    ),
    read=read_concept_map,
)
