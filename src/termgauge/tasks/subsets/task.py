"""The declaration of subsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.tasks.contract import Citation, RunTask, imported
from termgauge.tasks.subsets.options import SubsetOptions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from termgauge.reporting.blocks import Section
    from termgauge.tasks.contract import About, Material
    from termgauge.tasks.pairs.scored import ScoredSets
    from termgauge.tasks.subsets.result import SubsetsResult
    from termgauge.terminology.model import Terminology

CHIU = Citation(
    use="Subsets by a property of words",
    citation="Chiu B, Pyysalo S, Vulić I, Korhonen A. Bio-SimVerb and Bio-SimLex: wide-coverage evaluation sets of "
    "word similarity in biomedicine. BMC Bioinformatics 19:33, 2018.",
)


class SubsetInputs(NamedTuple):
    """The scores of a run, and the terminology, where there is one."""

    scored: ScoredSets
    terminology: Terminology | None


class SubsetTask(RunTask[SubsetOptions, SubsetInputs, "SubsetsResult"]):
    """Which kinds of words, terms and pairs models know better and worse."""

    name = "subsets"
    title = "Subsets"
    question = "Divide the sets of a run into bands of a property of words or pairs, and measure models in each."
    explanation = (
        "A pair is in a band if both of its words are, or, by a property of pairs, if it is. Nothing is scored again: "
        "the scores are those of the run. Rated sets have Spearman's rho, sets with labels the area under the ROC "
        "curve; a test says whether values rise or fall over the bands."
    )
    example = "termgauge subsets RUN --property counts.tsv --bands 0,1000,10000"
    options = SubsetOptions
    needs = frozenset({"run", "terminology"})
    testing = ("alpha", "correction", "measure", "tests", "min_coverage", "seed")
    seconds = 5.0
    citations = (CHIU,)
    result_type = imported("termgauge.tasks.subsets.result:SubsetsResult")

    def needs_terminology(self, options: SubsetOptions) -> bool:
        """Say that depth does, and the number of senses if no table has it."""
        return options.by == "depth" or (options.by == "senses" and options.property is None)

    def check(self, options: SubsetOptions) -> None:
        """Read the table of the property."""
        from termgauge.tasks.subsets.properties import property_of

        if options.property is not None:
            property_of(options)

    def inputs(self, options: SubsetOptions, material: Material) -> SubsetInputs:
        """Take the scores of the run."""
        from termgauge.tasks.pairs.scored import ScoredSets

        assert material.run is not None
        scored = ScoredSets(**vars(material.run))
        for name in options.sets:
            if name not in scored.sets:
                raise TermgaugeError(f"{scored.path}: has no set '{name}'.{did_you_mean(name, scored.sets)}")
        return SubsetInputs(scored, material.terminology if self.needs_terminology(options) else None)

    def identity(self, inputs: SubsetInputs, options: SubsetOptions) -> object:
        """Return what was scored by what, and what the files hold that options name."""
        from termgauge.io.source import content_hashes, files_of

        scored = inputs.scored
        named = (options.property, options.ratings, *options.corpus)
        return {
            "sets": {name: each.sha256 for name, each in scored.sets.items()},
            "models": {name: each.key for name, each in scored.models.items()},
            "measures": list(scored.measures),
            "files": [content_hashes(files_of(place)) if place else None for place in named],
            "ratings": [name for name in scored.sets if scored.ratings(name) is not None],
        }

    def combine(self, measured: Mapping[str, None], inputs: SubsetInputs, options: SubsetOptions) -> SubsetsResult:
        """Divide each set, and measure and test the models in its bands."""
        from termgauge.tasks.subsets.dividing import divided_sets

        del measured
        return divided_sets(inputs.scored, options, inputs.terminology)

    def sections(self, result: SubsetsResult, about: About) -> Iterator[Section]:
        """Show what rises and falls, lines over the bands, and all values."""
        from termgauge.tasks.subsets.sections import subset_sections

        yield from subset_sections(about.name, result)

    def summary(self, result: SubsetsResult, about: About) -> tuple[str, ...]:
        """Say which models find which end of a property harder."""
        from termgauge.tasks.subsets.sentences import summary

        del about
        return summary(result)


TASK = SubsetTask()
