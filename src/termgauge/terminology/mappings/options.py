"""How two terminologies are joined, declared once."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from termgauge.options import Flag, Names, Options, Place

_split = BeforeValidator(
    lambda value: [word for each in ([value] if isinstance(value, str) else value) for word in each.split(",") if word]
)


class MappingOptions(Options):
    """How two terminologies are joined."""

    mapping: Annotated[Names, Flag(metavar="FILE"), Place()] = Field(
        [],
        description="With --across: which concepts are the same: a FHIR ConceptMap, an SSSOM table, MRCONSO.RRF, or a "
        "map reference set of SNOMED CT.",
        examples=[["mondo.sssom.tsv"]],
    )
    mapping_relation: Annotated[
        list[Literal["exact", "close", "broad", "narrow", "related"]], _split, Flag(metavar="exact,close")
    ] = Field(["exact"], description="With --across: which relations of the mapping make positive pairs.")
