"""The options of subsets."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from termgauge.benchmark.pairset import parse_score
from termgauge.options import Flag, Names, Options, Place
from termgauge.tasks.subsets.property_table import AUTO, NOT_KNOWN

OF_WORDS = ("frequency", "breadth", "senses")
OF_PAIRS = ("spread", "score", "quarter", "relation", "edit-distance", "words", "depth")
By = Literal[
    "frequency", "breadth", "senses", "spread", "score", "quarter", "relation", "edit-distance", "words", "depth"
]


def _numbers(given: Any) -> Any:  # noqa: ANN401
    """Return limits that a command line gives as one text, or several."""
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, list) or not any(isinstance(each, str) for each in given):
        return [float(each) if isinstance(each, int) else each for each in given] if isinstance(given, list) else given
    words = [word.strip() for each in given for word in str(each).split(",") if word.strip()]
    numbers = [parse_score(word) for word in words]
    if None in numbers:
        raise ValueError("must be numbers, such as 0,1000,10000")
    return numbers


def _ascending(limits: list[float]) -> list[float]:
    if any(low >= high for low, high in pairwise(limits)):
        raise ValueError("must be limits each of which is greater than the one before, such as 0,1000,10000")
    return limits


def _value(given: str) -> str:
    if given not in (AUTO, NOT_KNOWN) and parse_score(given) is None:
        raise ValueError("must be a number, 'auto' or 'none'")
    return given


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
        found = []
        if not (self.property or self.by or self.corpus):
            found.append(("by", "name a property: --property FILE, --by NAME or --corpus FILE."))
        if self.corpus and (self.property or self.by not in (None, "frequency")):
            found.append(("corpus", "text is counted for the frequency of words, without a table; leave one out."))
        if self.by in ("breadth", "quarter", "relation") and not self.property:
            found.append(("by", f"'{self.by}' is a column of a table; name the table with --property."))
        if self.by in ("spread", "score", "edit-distance", "words", "depth") and self.property:
            found.append(("by", f"'{self.by}' needs no table; leave --property or --by out."))
        if self.column and not self.property:
            found.append(("column", "a column is one of a table; name the table with --property."))
        return found
