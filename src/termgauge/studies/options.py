"""The options of a new study and of its results, declared once for the commands and for Python."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from termgauge.options import Flag, Names, Options


class NewStudyOptions(Options):
    """How a study is laid out."""

    kind: str = Field(
        "similarity",
        description="What people are asked: similarity or relatedness (from 0 to 6), or quality (are both the same?).",
    )
    seed: int = Field(42, description="Seed for all random choices.")
    raters: int | None = Field(
        None, description="How many raters there will be; fewer than six are one group that rates all pairs."
    )
    groups: int | None = Field(
        None, description="Similarity: groups of raters, each with its own pairs; 2 if not given."
    )
    pages: int | None = Field(
        None, description="Pages for each rater; if not given 5, or in a quality study one for 60 pairs."
    )
    consistency: int | None = Field(
        None, description="Similarity: pairs that all groups rate; if not given 50, at most a tenth of all."
    )
    duplicates: int | None = Field(
        None, description="Similarity: pairs that a rater sees twice; if not given 50, at most a tenth of all."
    )
    per_label: int | None = Field(
        None, description="Quality: positives, and negatives, drawn from each set; 30 if not given."
    )
    title: str | None = Field(None, description="What raters see above every page.")


class ResultsOptions(Options):
    """Whose ratings count in the results of a study."""

    rule: str | None = Field(
        None,
        description="Whose ratings are left out: others (more than two standard deviations below the agreement of the "
        "others), simlex (more than one below that of all), or none. Without it, others, but nobody of a panel of "
        "fewer than six raters.",
    )
    calibrate: bool = Field(
        default=False, description="Similarity: move ratings of raters who rate high or low throughout by 1."
    )
    leave_out: Annotated[Names, Flag(metavar="RATER")] = Field(
        default_factory=list, description="A rater who is left out in any case."
    )
    dont_know: str = Field(
        "missing",
        description="Quality: for Krippendorff's alpha \"don't know\" is missing, or a category of its own.",
    )
