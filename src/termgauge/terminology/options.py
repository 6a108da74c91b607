"""How a terminology is read, and how two are joined: the options of every format, declared once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from termgauge.options import Flag, Names, Options, Place, one_of
from termgauge.terminology.formats.registry import formats

if TYPE_CHECKING:
    from collections.abc import Mapping


class ReadingOptions(Options):
    """How a terminology is read."""

    former_names: ClassVar[Mapping[str, str]] = {"relations": "relation_table"}

    format: Annotated[str | None, one_of(formats), Flag(("--source-format",))] = Field(
        None,
        description="The format of the source, if it is not recognised; termgauge terminology --list names them.",
        examples=["obo"],
    )
    language: str | None = Field(
        None,
        description="Only terms in this language, such as en, es or de-CH; all languages if not given.",
        examples=["en"],
    )
    dialect: str | None = Field(
        None,
        description="RF2: rank labels by this dialect: a code such as us, es or fr-ca, or the id of a reference set.",
        examples=["us"],
    )
    release: Annotated[str | None, Flag(metavar="YYYYMMDD")] = Field(
        None, description="RF2: which release to read, where a folder holds several.", examples=["20190131"]
    )
    vocabularies: Annotated[Names, AfterValidator(sorted), Flag(("--vocabulary",), metavar="SAB")] = Field(
        [], description="UMLS: only these source vocabularies.", examples=[["SNOMEDCT_US"]]
    )
    suppressed: Annotated[bool, Flag(("--suppressed/--no-suppressed",))] = Field(
        default=True, description="UMLS: keep suppressed atoms, as inactive terms."
    )
    resource: Annotated[str | None, Flag(metavar="ID")] = Field(
        None,
        description="FHIR: only the resource of this id, where a bundle or a package holds several.",
        examples=["v3-ActCode"],
    )
    relation_table: Annotated[str | None, Place()] = Field(
        None, description="Tables: a second table with the columns source, type and target.", examples=["relations.tsv"]
    )
    cache: Annotated[bool, Flag(("--cache/--no-cache",))] = Field(
        default=True, description="Open the terminology from the cache, and keep it there."
    )


def _separated(value: object) -> object:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        return value
    return [word.strip() for text in value for word in text.split(",") if word.strip()]


separated = BeforeValidator(_separated)
"""Takes a list that may be written as one text with commas."""


class MappingOptions(Options):
    """How two terminologies are joined."""

    mapping: Annotated[Names, Flag(metavar="FILE"), Place()] = Field(
        [],
        description="With --across: which concepts are the same: a FHIR ConceptMap, an SSSOM table, MRCONSO.RRF, or a "
        "map reference set of SNOMED CT.",
        examples=[["mondo.sssom.tsv"]],
    )
    mapping_relation: Annotated[
        list[Literal["exact", "close", "broad", "narrow", "related"]], separated, Flag(metavar="exact,close")
    ] = Field(["exact"], description="With --across: which relations of the mapping make positive pairs.")
