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
    overwrite: Annotated[Literal["missing", "always", "never"], Flag(where="command")] = Field(
        "missing",
        description="missing: score what is not there or has changed; always: score everything again; never: leave the "
        "scores of a model on a set as they are once there are some.",
    )
