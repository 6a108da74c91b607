"""The forms that mappings come in, one module each; a file is recognised by its name or by how it begins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from termgauge.io.source import SourceFile

OWN = ("rf2_map", "mrconso", "concept_map", "sssom")
"""The modules of this folder that read mappings, in the order in which they are asked."""
EXACT, CLOSE, BROAD, NARROW, RELATED = "exact", "close", "broad", "narrow", "related"
RELATIONS = (EXACT, CLOSE, BROAD, NARROW, RELATED)
"""What the target of a mapping is to its source: the same, nearly the same, a broader or a narrower concept, or one
that has to do with it."""
REVERSED = {BROAD: NARROW, NARROW: BROAD}
"""What the source is to the target, where that is something else."""


class Mapped(NamedTuple):
    """What a file says."""

    rows: pl.DataFrame
    """``source`` and ``target``, ids as they are written, and ``relation``, one of ``RELATIONS``."""
    passed_over: int = 0
    """How many rows say that two concepts are not the same, or nothing at all."""


@dataclass(frozen=True, kw_only=True)
class MappingForm:
    """A form of mappings."""

    name: str
    title: str
    """What it is, such as ``a FHIR ConceptMap in JSON``."""
    sniff: Callable[[SourceFile], bool]
    read: Callable[[SourceFile, pl.Series, pl.Series], Mapped]
    """Reads a file; it is told the ids of both terminologies, for files that name many others."""


@cache
def mapping_forms() -> dict[str, MappingForm]:
    """Return all forms by name."""
    return {name: import_module(f"termgauge.terminology.mappings.{name}").FORM for name in OWN}
