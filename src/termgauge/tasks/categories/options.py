"""The options of categories."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from termgauge.options import Flag, Options, Place
from termgauge.tasks.contract import Measures

FROM_FILE = "@"


class CategoryOptions(Options):
    """Three categories of terms: do models keep the distant one apart from the two close ones?"""

    close: Annotated[list[str], Field(min_length=2, max_length=2), Flag(metavar="A B"), Place(FROM_FILE)] = Field(
        description="Two categories that are close: each the id of a concept (it and all below it), a tag, or @FILE "
        "with a term on each line.",
        examples=[["103693007", "277132007"]],
    )
    far: Annotated[str, Flag(metavar="C"), Place(FROM_FILE)] = Field(
        description="The distant category.", examples=["410607006"]
    )
    measures: Annotated[Measures, Flag(("--measure",))] = Field(
        [],
        description="A measure of similarity. By default a model's usual one, the cosine: the others must score every "
        "pair of terms and take long on large categories.",
        examples=[["avg_cos"]],
    )
    names_only: bool = Field(default=False, description="Take the names of concepts, not their synonyms.")
    drop_shared: bool = Field(default=False, description="Leave terms that are in two categories out of both.")
    max_terms: int | None = Field(
        None,
        ge=1,
        description="The largest number of terms of a category; they are drawn at random with the seed.",
        examples=[5000],
    )

    @property
    def files(self) -> list[str]:
        """The files that categories are read from."""
        return [name.removeprefix(FROM_FILE) for name in (*self.close, self.far) if name.startswith(FROM_FILE)]
