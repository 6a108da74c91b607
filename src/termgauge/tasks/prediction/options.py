"""The options of prediction."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from termgauge.options import Flag, Names, Options


def _some(names: list[str]) -> list[str]:
    if not all(name.strip() for name in names):
        raise ValueError("must be names, none of them empty")
    return names


class PredictionOptions(Options):
    """Prediction: do the scores on benchmarks go together with those of a task, over the models of the run?"""

    extrinsic: Annotated[Names, AfterValidator(_some), Flag(metavar="NAME")] = Field(
        [],
        description="Score that is to be predicted. Of a run: a task, as in ner, coverage:posdcg or "
        "coverage/COPD:posdcg (task, table, statistic); named entities if not given. Of a table: a column.",
        examples=[["ner"]],
    )
    intrinsic: Annotated[Names, AfterValidator(_some), Flag(metavar="NAME")] = Field(
        [],
        description="Only these benchmarks: sets of the run, as in human/umnsrs-sim or human/*, or columns of the "
        "table; all if none is named.",
        examples=[["human/*"]],
    )
    pairs: Literal["shared", "own"] = Field(
        "shared",
        description="Sets of a run: scores on the pairs that all models can score (shared), or on those that each "
        "model can score itself (own).",
    )
    correction: Literal["none", "holm", "bonferroni"] = Field(
        "none", description="Correction for the number of correlations: none, holm or bonferroni."
    )
