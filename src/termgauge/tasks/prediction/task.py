"""The declaration of prediction."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from pydantic import AfterValidator, Field

from termgauge.options import Flag, Names, Options
from termgauge.tasks.contract import Citation, Material, RunTask, calling, imported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from termgauge.tasks.prediction.correlate import PredictionResult
    from termgauge.tasks.prediction.scores import Scores


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
        "holm", description="Correction for the number of correlations: none, holm or bonferroni."
    )


class PredictionInputs(NamedTuple):
    """The scores of all models."""

    scores: Scores
    alpha: float
    attenuations: Callable[[], Mapping[str, float]] = dict[str, float]
    """Of sets of a run, on the pairs that all models can score."""


class PredictionTask(RunTask[PredictionOptions, PredictionInputs, "PredictionResult"]):
    """Whether the scores on benchmarks predict those of a task."""

    name = "prediction"
    title = "Prediction"
    question = "Correlate benchmarks with a task over models: does a good score predict good use?"
    explanation = (
        "Over the models of a run that have both scores: Spearman's rho with a p-value that is corrected for all "
        "correlations, Pearson's r beside it, and what so few models can show at all. A table typed from a paper "
        "serves as well: a row for each model, its name first; columns are benchmarks unless --extrinsic names them, "
        "and a column family says which models are variants of one."
    )
    example = "termgauge prediction models.csv --extrinsic BC2GM AnatEM"
    options = PredictionOptions
    instead = "a table of scores (CSV, TSV) with a row for each model"
    testing = ("alpha", "measure", "statistic")
    seconds = 1.0
    citations = (
        Citation(
            use="Prediction of a task by benchmarks",
            citation="Chiu B, Pyysalo S, Vulić I, Korhonen A. Bio-SimVerb and Bio-SimLex: wide-coverage evaluation "
            "sets of word similarity in biomedicine. BMC Bioinformatics 19:33, 2018.",
        ),
    )
    result_type = imported("termgauge.tasks.prediction.correlate:PredictionResult")
    sections = calling("termgauge.tasks.prediction.sections:prediction_sections")

    def inputs(self, options: PredictionOptions, material: Material) -> PredictionInputs:
        """Read the scores of a run, or of a table."""
        from termgauge.tasks.prediction.scores import attenuations_of, read_scores, scores_of_run

        if material.instead is not None:
            return PredictionInputs(read_scores(material.instead, options), material.testing.alpha)
        assert material.run is not None
        scores = scores_of_run(material.run, options, material.testing)
        shared = options.pairs == "shared"
        attenuations = partial(attenuations_of, material.run, list(scores.intrinsic) if shared else [])
        return PredictionInputs(scores, material.testing.alpha, attenuations)

    def identity(self, inputs: PredictionInputs, options: PredictionOptions) -> object:  # noqa: ARG002
        """Return the scores, wherever they are from."""
        return inputs.scores.model_dump(exclude={"label"})

    def combine(
        self, measured: Mapping[str, None], inputs: PredictionInputs, options: PredictionOptions
    ) -> PredictionResult:
        """Correlate."""
        from termgauge.tasks.prediction.correlate import predict

        del measured
        attenuations = inputs.attenuations()
        return predict(inputs.scores, alpha=inputs.alpha, correction=options.correction, attenuations=attenuations)


TASK = PredictionTask()
