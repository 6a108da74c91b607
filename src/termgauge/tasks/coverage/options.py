"""The options of coverage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from termgauge.domain.domain import DomainOptions
from termgauge.options import Flag


def _ascending(ks: list[int]) -> list[int]:
    if not ks or min(ks) < 1:
        raise ValueError("must be numbers of neighbours, each at least 1")
    return sorted(set(ks))


class CoverageOptions(DomainOptions):
    """A domain: do models know its concepts, and hold them and their relations together?"""

    former_names: ClassVar[Mapping[str, str]] = {**DomainOptions.former_names, "ks": "k"}

    # More of them than analogies have.
    labels: Annotated[Literal["first", "all", "max", "medoid"], Flag(metavar="first|all|max|medoid")] = Field(  # type: ignore[assignment]
        "first",
        description="Word vectors: a concept is looked up by the first of its labels that is in the vocabulary; by all "
        "of them at once; by each of them, of which the one with the greatest posDCG counts (max); or by the one that "
        "is nearest to the others (medoid).",
    )
    drop_unlabelled: bool = Field(
        default=False, description="Leave out seeds that have no label in the terminology, for all models."
    )
    k: Annotated[list[int], AfterValidator(_ascending)] = Field(
        [5, 10, 20, 30, 40], description="How many neighbours of each seed are looked at."
    )
    analogies: Annotated[bool, Flag(where="file")] = Field(
        default=True, description="Also test its relations as analogies, as a table [[analogies]] would."
    )
    relations: Annotated[list[str], Flag(where="file")] = Field(
        [],
        description="Analogies of these relations; of all that touch the domain if none is named.",
        examples=[["finding_site"]],
    )
    method: Annotated[Literal["add", "mul", "direction"], Flag(where="file")] = Field(
        "add", description="How analogies are completed: 3CosAdd, 3CosMul or PairDirection."
    )
