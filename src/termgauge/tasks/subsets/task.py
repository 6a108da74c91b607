"""The declaration of subsets."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field

from termgauge.benchmark.pairset import parse_score
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.options import Flag, Names, Options, Place
from termgauge.tasks.contract import Citation, RunTask, calling, imported

if TYPE_CHECKING:
    from termgauge.tasks.contract import Material
    from termgauge.tasks.pairs.scored import ScoredSets
    from termgauge.tasks.subsets.result import SubsetsResult
    from termgauge.terminology.model import Terminology


AUTO, NOT_KNOWN = "auto", "none"
By = Literal[
    "frequency", "breadth", "senses", "spread", "score", "quarter", "relation", "edit-distance", "words", "depth"
]


def _numbers(value: Any) -> Any:  # noqa: ANN401
    """Return limits, which a command line gives as one text or several."""
    if not isinstance(value, str | list):
        return value
    several = [value] if isinstance(value, str) else value
    numbers = [parse_score(word) for text in several for word in map(str.strip, str(text).split(",")) if word]
    if None in numbers:
        raise ValueError("must be numbers, such as 0,1000,10000")
    return numbers


def _ascending(limits: list[float]) -> list[float]:
    if any(low >= high for low, high in pairwise(limits)):
        raise ValueError("must be limits each of which is greater than the one before, such as 0,1000,10000")
    return limits


def _value(value: str) -> str:
    if value not in (AUTO, NOT_KNOWN) and parse_score(value) is None:
        raise ValueError("must be a number, 'auto' or 'none'")
    return value


class SubsetOptions(Options):
    """Sets in bands of a property: which kinds of words, terms and pairs do models know better or worse?"""

    property: Annotated[str | None, Flag(metavar="FILE"), Place()] = Field(
        None,
        description="A table of the property: word TAB value, or word1, word2 and columns of a property of pairs; the "
        "header of a table of words is optional.",
        examples=["counts.tsv"],
    )
    by: By | None = Field(
        None,
        description="A property: of words frequency, breadth or senses; of pairs spread of the ratings, score, "
        "edit-distance, number of words, depth in the hierarchy, or quarter and relation, which a table of pairs has.",
        examples=["frequency"],
    )
    column: str | None = Field(
        None, description="Which column of the table; the second if none is named.", examples=["journals"]
    )
    bands: Annotated[list[float], BeforeValidator(_numbers), AfterValidator(_ascending), Flag(metavar="A,B")] = Field(
        [],
        description="Limits of bands, each from its limit to below the next, the last one without an end; tertiles if "
        "none are given.",
        examples=[[0, 1000, 10000]],
    )
    corpus: Annotated[Names, Flag(metavar="FILE"), Place()] = Field(
        [], description="Text in which the frequency of words is counted.", examples=[["abstracts.txt"]]
    )
    missing: Annotated[
        str, BeforeValidator(lambda given: f"{given:g}" if isinstance(given, int | float) else given),
        AfterValidator(_value), Flag(metavar="auto|none|NUMBER"),
    ] = Field(
        AUTO,
        description="The value of words without one: a number, or none, so that they are in no band; auto is none, but "
        "words that a table of counts lists as N/A count 0.",
        examples=["0"],
    )  # fmt: skip
    several: Literal["lowest", "highest", "mean", "whole"] = Field(
        "lowest",
        description="Terms of several words that the table does not list as they are: the lowest, the highest or the "
        "mean of the values of their words; whole, they have no value.",
    )
    word_class: Literal["noun", "verb"] | None = Field(
        None, description="Only the nouns, or the verbs, of a table that has a column class.", examples=["noun"]
    )
    ratings: Annotated[str | None, Flag(metavar="FILE"), Place()] = Field(
        None,
        description="What each rater said, for the spread of ratings, if the run does not know it: word1, word2 and a "
        "column for each rater.",
        examples=["set.ratings.tsv"],
    )
    sets: Annotated[Names, Flag(("--set",))] = Field(
        [],
        description="Only these sets of the run; all that can be divided if none is named.",
        examples=[["human/bio-simlex"]],
    )
    only_models: Annotated[Names, Flag(("--model", "-m"))] = Field(
        [], description="Only these models of the run.", examples=[["PubMed"]]
    )
    statistic: Literal["auc", "accuracy"] = Field(
        "auc",
        description="Sets with labels: the area under the ROC curve, or the accuracy at one threshold for all bands, "
        "the best of the whole set. Rated sets have Spearman's rho.",
    )

    def problems(self) -> list[tuple[str, str]]:
        """Return what is missing or contradicts."""
        problems = []
        if not (self.property or self.by or self.corpus):
            problems.append(("by", "name a property: --property FILE, --by NAME or --corpus FILE."))
        if self.corpus and (self.property or self.by not in (None, "frequency")):
            problems.append(("corpus", "text is counted for the frequency of words, without a table; leave one out."))
        if self.by in ("breadth", "quarter", "relation") and not self.property:
            problems.append(("by", f"'{self.by}' is a column of a table; name the table with --property."))
        if self.by in ("spread", "score", "edit-distance", "words", "depth") and self.property:
            problems.append(("by", f"'{self.by}' needs no table; leave --property or --by out."))
        if self.column and not self.property:
            problems.append(("column", "a column is one of a table; name the table with --property."))
        return problems


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
    combine = calling("termgauge.tasks.subsets.measure:combined")
    sections = calling("termgauge.tasks.subsets.sections:subset_sections")

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
            "sets": {name: entry.sha256 for name, entry in scored.sets.items()},
            "models": {name: entry.key for name, entry in scored.models.items()},
            "measures": list(scored.measures),
            "files": [content_hashes(files_of(path)) if path else None for path in named],
            "ratings": [name for name in scored.sets if scored.ratings(name) is not None],
        }


TASK = SubsetTask()
