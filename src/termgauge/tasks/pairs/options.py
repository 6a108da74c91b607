"""The options of scoring pairs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from termgauge.options import Flag, Options
from termgauge.tasks.contract import Measures


class PairOptions(Options):
    """How pairs are scored."""

    measures: Annotated[Measures, Flag(("--measure",))] = Field(
        [],
        description="Measures of similarity, such as avg_cos; all that fit a model if none is named.",
        examples=[["avg_cos", "fuzzy_jaccard"]],
    )
    missing: Literal["strict", "available", "zero"] | None = Field(
        None,
        description="What is done about words that a model lacks, for all models that do not say it themselves: "
        "strict, the pair has no score; available, the words that are known stand for the term; zero, the pair is "
        "scored 0.",
        examples=["available"],
    )
    overwrite: Annotated[Literal["missing", "always", "never"], Flag(where="command")] = Field(
        "missing",
        description="missing: score what is not there or has changed; always: score everything again; never: leave the "
        "scores of a model on a set as they are once there are some.",
    )
