"""The options of analogies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from termgauge.domain.domain import DomainOptions
from termgauge.options import Flag, Place

METHODS = {"add": "3CosAdd", "mul": "3CosMul", "direction": "PairDirection"}
"""How the word that completes an analogy is sought (Levy and Goldberg 2014)."""


def _once(ks: list[int]) -> list[int]:
    if not ks or min(ks) < 1:
        raise ValueError("must be numbers of nearest words, each at least 1")
    return list(dict.fromkeys(ks))


class AnalogyOptions(DomainOptions):
    """A domain: do its relations hold as analogies?"""

    former_names: ClassVar[Mapping[str, str]] = {**DomainOptions.former_names, "ks": "k", "relation": "relations"}

    relations: Annotated[list[str], Flag(("--relation", "-r"), "R")] = Field(
        [],
        description="A relation as the terminology names it, or 'inverse of R'; giancani2023 for the 22 of that paper. "
        "By default all that touch the domain, except for hierarchy, mappings and versions.",
        examples=[["finding_site"]],
    )
    inverse: bool | None = Field(
        None,
        description="Ask for each relation's inverse too; by default yes, unless relations are named.",
        examples=[True],
    )
    k: Annotated[list[int], AfterValidator(_once)] = Field(
        [10],
        description="An analogy holds if its answer is among the k nearest words; tables show the first k.",
    )
    method: Literal["add", "mul", "direction"] = Field(
        "add", description="How analogies are completed: add (3CosAdd), mul (3CosMul) or direction (PairDirection)."
    )
    outcomes: Annotated[str | None, Flag(metavar="FILE", where="command"), Place()] = Field(
        None, description="Write the outcome of every analogy to a Parquet file."
    )
