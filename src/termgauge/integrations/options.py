"""What can be said about an export besides what goes where, declared once."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from termgauge.options import Flag, Names, Options, Place

Negatives = Literal["levenshtein", "random", "mined"]


def shares(text: str) -> tuple[float, ...]:
    """Return the shares of train, validation and test from text such as ``0.8,0.1,0.1``; they add up to 1.

    >>> shares("8,1,1")
    (0.8, 0.1, 0.1)
    """
    try:
        parts = [float(part) for part in text.split(",")]
    except ValueError:
        parts = []
    if len(parts) != 3 or not all(0 <= part < 1e9 for part in parts) or not parts[0] > 0:
        raise ValueError("must be the shares of train, validation and test, such as 0.8,0.1,0.1")
    return tuple(part / sum(parts) for part in parts)


def _checked(text: str) -> str:
    shares(text)
    return text


class ExportOptions(Options):
    """What can be said about an export."""

    licence: str | None = Field(
        None, description="hf, mteb, triplets: the licence of the terms, for the card.", examples=["cc-by-4.0"]
    )
    reference: Annotated[str | None, Flag(metavar="URL")] = Field(
        None, description="mteb: a page that describes the benchmark.", examples=["https://example.org/benchmark"]
    )
    split: Annotated[str, AfterValidator(_checked), Flag(metavar="A,B,C")] = Field(
        "0.8,0.1,0.1", description="triplets: the shares of train, validation and test."
    )
    negatives: Negatives = Field(
        "levenshtein",
        description="triplets: the nearest terms by edit distance, random terms, or those that --model finds nearest.",
    )
    per_positive: int = Field(1, ge=1, le=100, description="triplets: how many negatives each positive pair gets.")
    seed: int = Field(42, ge=0, description="triplets: seed for all random choices.")
    model: Annotated[str | None, Flag(("--model", "-m"), metavar="SPEC|NAME")] = Field(
        None,
        description="triplets: the model that mines negatives; model-card, mteb-results: only this model of the run.",
        examples=["wordllama:"],
    )
    terminology: Annotated[Names, Flag(metavar="SOURCE"), Place()] = Field(
        [],
        description="triplets: the terminology, so that no negative is an ancestor or descendant, and terms that the "
        "benchmark lacks count for the split.",
        examples=[["hp.obo"]],
    )
