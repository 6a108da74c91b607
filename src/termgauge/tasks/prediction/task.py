"""The declaration of prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from termgauge.tasks.contract import Citation, Material, RunTask, imported
from termgauge.tasks.prediction.options import PredictionOptions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from termgauge.reporting.blocks import Section
    from termgauge.tasks.contract import About
    from termgauge.tasks.prediction.result import PredictionResult
    from termgauge.tasks.prediction.scores import Scores


class PredictionInputs(NamedTuple):
    """The scores of all models."""

    scores: Scores
    alpha: float


class PredictionTask(RunTask[PredictionOptions, PredictionInputs, "PredictionResult"]):
    """Whether the scores on benchmarks predict those of a task."""

    name = "prediction"
    title = "Prediction"
    question = "Correlate benchmarks with a task over models: does a good score predict good use?"
    explanation = (
        "Over the models of a run that have both scores: Pearson's r with its p-value and interval, Spearman's rho "
        "beside it, and what so few models can show at all. A table typed from a paper serves as well: a row for each "
        "model, its name first; columns are benchmarks unless --extrinsic names them."
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
    result_type = imported("termgauge.tasks.prediction.result:PredictionResult")

    def inputs(self, options: PredictionOptions, material: Material) -> PredictionInputs:
        """Read the scores of a run, or of a table."""
        from termgauge.tasks.prediction.scores import scores_of_run
        from termgauge.tasks.prediction.table import read_scores

        if material.instead is not None:
            scores = read_scores(material.instead, options)
        else:
            assert material.run is not None
            scores = scores_of_run(material.run, options, material.testing)
        return PredictionInputs(scores, material.testing.alpha)

    def identity(self, inputs: PredictionInputs, options: PredictionOptions) -> object:  # noqa: ARG002
        """Return the scores, wherever they are from."""
        return inputs.scores.model_dump(exclude={"label"})

    def combine(
        self, measured: Mapping[str, None], inputs: PredictionInputs, options: PredictionOptions
    ) -> PredictionResult:
        """Correlate."""
        from termgauge.tasks.prediction.correlate import predict

        del measured
        return predict(inputs.scores, alpha=inputs.alpha, correction=options.correction)

    def summary(self, result: PredictionResult, about: About) -> tuple[str, ...]:
        """Say what is significant, and that so few models can show little."""
        from termgauge.tasks.prediction.sections import prediction_summary

        return prediction_summary(about.name, result)

    def sections(self, result: PredictionResult, about: About) -> Iterator[Section]:
        """Show the correlations, what so few models can show, and every model as a point."""
        from termgauge.tasks.prediction.sections import prediction_section

        yield prediction_section(about.name, result)


TASK = PredictionTask()
