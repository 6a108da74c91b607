"""The declaration of scoring pairs: its scores are files in the run folder, and its result the table of values."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from pydantic import Field

from termgauge.exceptions import TermgaugeWarning
from termgauge.options import Flag, Options
from termgauge.tasks.categories.task import SCHULZ
from termgauge.tasks.contract import Citation, Measures, Task, calling, imported
from termgauge.tasks.results import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from termgauge.benchmark.pairset import PairSet
    from termgauge.embeddings.model import Model
    from termgauge.reporting.blocks import Section
    from termgauge.tasks.changes import ModelChange, TaskChanges
    from termgauge.tasks.contract import Material, Testing
    from termgauge.tasks.pairs.result import PairsResult
    from termgauge.tasks.pairs.scored import ScoredSets
    from termgauge.tasks.records import ModelRecord, RunView


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


_CITATIONS = {
    "accuracy": Citation(
        use="Differences of accuracy",
        citation="McNemar Q. Note on the sampling error of the difference between correlated proportions or "
        "percentages. Psychometrika 12(2):153-157, 1947 (the exact binomial test).",
    ),
    "wilson": Citation(
        use="Intervals of accuracy and of coverage",
        citation="Wilson EB. Probable inference, the law of succession, and statistical inference. Journal of the "
        "American Statistical Association 22(158):209-212, 1927.",
    ),
    "auc": Citation(
        use="Areas under the ROC curve",
        citation="DeLong ER, DeLong DM, Clarke-Pearson DL. Comparing the areas under two or more correlated receiver "
        "operating characteristic curves: a nonparametric approach. Biometrics 44(3):837-845, 1988.",
    ),
    "units": Citation(
        use="Intervals and differences where pairs share concepts or words",
        citation="Aronow PM, Samii C, Assenova VA. Cluster-robust variance estimation for dyadic data. Political "
        "Analysis 23(4):564-577, 2015.",
    ),
    "spearman": Citation(
        use="Intervals and differences of Spearman's rho",
        citation="Efron B. Better bootstrap confidence intervals. Journal of the American Statistical Association "
        "82(397):171-185, 1987 (BCa).",
    ),
    "holm": Citation(
        use="Correction for many comparisons",
        citation="Holm S. A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics "
        "6(2):65-70, 1979.",
    ),
}


class PairInputs(NamedTuple):
    """The sets, and where their scores are kept."""

    scored: ScoredSets
    sets: tuple[PairSet, ...]
    data_dir: Path | None


class ConceptIds(Record):
    """Which system of concept ids each set was scored with."""

    systems: dict[str, str]


class PairTask(Task[PairOptions, PairInputs, ConceptIds, "PairsResult"]):
    """How well the scores of pairs agree with labels and ratings."""

    name = "pairs"
    title = "Score models"
    question = "Score models on benchmarks and human-rated sets."
    options = PairOptions
    table = "scoring"
    repeated = False
    command = False
    needs = frozenset({"sets"})
    kept_in = "scores"
    testing = (
        "alpha", "correction", "family", "margin", "measure", "statistic", "tests", "min_coverage", "resamples", "seed"
    )  # fmt: skip
    measured_type = imported("termgauge.tasks.pairs.task:ConceptIds")
    result_type = imported("termgauge.tasks.pairs.result:PairsResult")
    sections = calling("termgauge.tasks.pairs.sections.errors:pair_sections")

    def inputs(self, options: PairOptions, material: Material) -> PairInputs:
        """Keep the sets beside their scores."""
        from termgauge.tasks.pairs.scored import ScoredSets

        del options
        assert material.run is not None
        return PairInputs(ScoredSets(**vars(material.run)), material.sets, material.data_dir)

    def measure(self, model: Model, inputs: PairInputs, options: PairOptions) -> ConceptIds:
        """Score a model on all sets; what is there already is not scored again."""
        from termgauge.tasks.pairs.scored import score_model

        systems = score_model(
            inputs.scored,
            model,
            inputs.sets,
            options.measures,
            overwrite=options.overwrite,
            data_dir=inputs.data_dir,
        )
        return ConceptIds(systems=systems)

    def left(self, model: Model, inputs: PairInputs, options: PairOptions) -> list[str]:
        """Return the sets on which a model lacks scores."""
        from termgauge.tasks.pairs.scored import scores_to_make

        jobs = scores_to_make(inputs.scored, model, inputs.sets, options.measures, options.overwrite)
        return [pairs.id for pairs, *_ in jobs]

    def record(self, model: Model, measured: ConceptIds) -> ModelRecord:
        """Say which concept ids were used, too."""
        return super().record(model, measured).model_copy(update={"concept_ids": measured.systems})

    def combine(self, measured: Mapping[str, ConceptIds], inputs: PairInputs, options: PairOptions) -> PairsResult:
        """Make the values, as far as they are out of date."""
        from termgauge.tasks.pairs.result import PairsResult
        from termgauge.tasks.pairs.results import update_results

        del measured, options
        return PairsResult(results=update_results(inputs.scored), scored=inputs.scored)

    def save(self, result: PairsResult, folder: Path, name: str, identity: object) -> None:
        """Do nothing: the values were written when they were made."""

    def discard(self, folder: Path, name: str) -> None:
        """Delete the values; the scores stay."""
        from termgauge.tasks.pairs.scored import RESULTS

        del name
        for suffix in (".csv", ".parquet"):
            (folder / f"{RESULTS}{suffix}").unlink(missing_ok=True)

    def load(self, run: RunView, name: str) -> PairsResult | None:
        """Read the values; none if a run has no sets."""
        from termgauge.tasks.pairs.result import PairsResult
        from termgauge.tasks.pairs.scored import ScoredSets

        del name
        scored = ScoredSets(**vars(run))
        if not run.sets:
            return None
        return PairsResult(results=_made_anew(scored) if run.tested_anew else scored.results(), scored=scored)

    def changes(
        self,
        runs: tuple[RunView, RunView],
        names: Sequence[str],
        models: Sequence[ModelChange],
        testing: Testing,
    ) -> TaskChanges:
        """Test what changed on the sets that both runs have."""
        from termgauge.tasks.pairs.changes import pair_changes
        from termgauge.tasks.pairs.scored import ScoredSets

        del names
        return pair_changes((ScoredSets(**vars(runs[0])), ScoredSets(**vars(runs[1]))), models, testing)

    def paper_sections(self, result: PairsResult) -> Iterator[Section]:
        """Show the tables of Schulz & Juric (2020), which a page shows in its own way, by the same tests."""
        from termgauge.tasks.pairs.sections.paper import paper_section

        if section := paper_section(result.standings, result.standings_by_best_measures()):
            yield section

    def cited(self, result: PairsResult) -> Iterator[Citation]:
        """Cite the tests and measures that were used."""
        from termgauge.similarity.measures import all_measures

        sets = result.standings.sets
        if any(entry.built for entry in sets):
            yield SCHULZ
        binary = any(not entry.graded for entry in sets)
        published = result.scored.testing.tests == "paper"
        wanted = ["wilson", *(["auc"] if binary else []), *(["accuracy", "spearman"] if published else ["units"])]
        wanted += ["holm"] if result.scored.testing.correction == "holm" else []
        yield from (_CITATIONS[name] for name in wanted)
        for measure in result.results["measure"].unique(maintain_order=True).to_list():
            if (declared := all_measures().get(measure)) and declared.citation:
                yield Citation(measure, declared.citation)


def _made_anew(scored: ScoredSets) -> pl.DataFrame:
    """Make the values of a run by other tests than its own; what takes no part in them was said before."""
    from termgauge.tasks.pairs.results import make_results

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TermgaugeWarning)
        return make_results(scored)


TASK = PairTask()
