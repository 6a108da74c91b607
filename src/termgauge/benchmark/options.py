"""Everything besides the terminology that decides what is in a benchmark, declared once."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from termgauge.benchmark.sets import PARTS, knows
from termgauge.options import Flag, Options, Place, as_list, not_one_of
from termgauge.terminology.languages import code_of
from termgauge.terminology.options import separated


def _day(text: str) -> date:
    for layout in ("%Y%m%d", "%Y-%m-%d"):
        try:
            return datetime.strptime(text, layout).date()  # noqa: DTZ007 - a day, not a moment
        except ValueError:
            continue
    raise ValueError("must be a day such as 20180131")


def _checked_choice(words: str) -> str:
    if not knows(words):
        raise not_one_of(PARTS)
    return words


def _two(languages: list[str]) -> list[str]:
    if (languages and len({code_of(language) for language in languages}) != 2) or len(languages) > 2:
        raise ValueError("must be two different languages, such as en,es")
    return languages


Day = Annotated[
    str | None,
    BeforeValidator(lambda value: value.isoformat() if isinstance(value, date) else value),
    AfterValidator(lambda text: text if text is None or _day(text) else None),
]
"""A day as 20180131, as 2018-01-31, or as a date of Python or TOML."""


class BuildOptions(Options):
    """Everything besides the terminology that decides what is in a benchmark."""

    seed: int = Field(42, ge=0, description="Seed for all random choices; 42 gives the published sets.")
    split_distance: int = Field(5, ge=0, description="The greatest edit distance of an easy pair.")
    since: Annotated[Day, Flag(metavar="YYYYMMDD")] = Field(
        None,
        description="Only pairs whose younger term came on or after this day; needs history, such as RF2 Full files.",
        examples=["20180731"],
    )
    language: str = Field("en", description="The language of the terms.")
    languages: Annotated[list[str], separated, AfterValidator(_two), Flag(metavar="A,B")] = Field(
        [],
        description="Two languages, such as en,es: positive pairs are names of one concept in each.",
        examples=[["en", "es"]],
    )
    only: Annotated[list[Annotated[str, AfterValidator(_checked_choice)]], as_list] = Field(
        [], description="Only sets of these kinds, difficulties or strategies.", examples=[["fsn-syn", "hard"]]
    )
    scope: Annotated[list[Literal["exact", "related", "narrow", "broad", "layperson"]], as_list] = Field(
        [], description="OBO: also synonyms that are related, narrow, broad or layperson.", examples=[["related"]]
    )
    tag: str | None = Field(None, description="Only concepts with this tag.", examples=["disorder"])
    under: Annotated[str | None, Flag(metavar="CONCEPT")] = Field(
        None, description="Only concepts at or below this one in the hierarchy.", examples=["404684003"]
    )
    max_pairs: int | None = Field(
        None,
        ge=2,
        description="The largest number of pairs of a set; they are drawn at random with the seed.",
        examples=[4000],
    )
    without: Annotated[str | None, Flag(metavar="AUDIT.csv"), Place()] = Field(
        None,
        description="A table of termgauge audit: terms of different concepts that it found to mean the same become no "
        "negatives of each other.",
        examples=["audit.csv"],
    )

    @property
    def since_date(self) -> date | None:
        """The day of `since`."""
        return None if self.since is None else _day(self.since)
