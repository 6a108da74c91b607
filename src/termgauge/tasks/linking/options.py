"""The options of linking."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from termgauge.options import Flag, Options, Place


def _ascending(ks: list[int]) -> list[int]:
    if not ks or min(ks) < 1:
        raise ValueError("must be ranks, each at least 1")
    return sorted(set(ks))


class LinkingOptions(Options):
    """From a term to its concept: is the nearest one the right one?"""

    index: Literal["names", "all"] = Field(
        "names",
        description="What is searched: the preferred names of concepts; or all their terms, of which the one that is "
        "asked for is left out.",
    )
    k: Annotated[list[int], AfterValidator(_ascending)] = Field(
        [1, 5, 10], description="Accuracy at k: the right concept is among the first k."
    )
    queries: Annotated[str | None, Flag(metavar="FILE"), Place()] = Field(
        None,
        description="Link your own mentions: a table (CSV or TSV) with the columns text and concept. The result then "
        "has the best concepts of each mention, as many as the greatest k.",
        examples=["mentions.csv"],
    )
    out: Annotated[str | None, Flag(("--out", "-o"), metavar="FILE.csv", where="command"), Place()] = Field(
        None, description="Write each of your own mentions with its rank and its best concepts to a table."
    )
    sample: int = Field(5000, ge=0, description="Draw so many queries where there are more; 0 for all.")
    baselines: bool = Field(
        default=True,
        description="Show beside the models what exact match, edit distance, character n-grams and random word vectors "
        "reach.",
    )
    device: str = Field(
        "auto",
        description="Where cosines are computed: cpu, cuda, or auto (a GPU if torch sees one).",
        examples=["cpu"],
    )
