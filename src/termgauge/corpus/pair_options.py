"""Everything besides words and resources that decides which pairs are drawn, declared once."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from termgauge.options import Flag, Options, as_list

THRESHOLD = 2.0


class PairOptions(Options):
    """How pairs are made from words."""

    per_quarter: int = Field(250, ge=1, description="How many pairs each of the four quarters gets.")
    experts: int | None = Field(
        None,
        ge=0,
        description="How many experts must have accepted a biomedical pair, with none against; 0 takes all proposals. "
        "2 if their files are given, else 0.",
        examples=[2],
    )
    seed: int = Field(42, ge=0, description="Seed for all random choices.")
    word_class: Annotated[Literal["noun", "verb"] | None, Flag(("--class",))] = Field(
        None, description="Only words of this class.", examples=["noun"]
    )
    domain_source: Literal["decisions", "log-ratio"] = Field(
        "decisions",
        description="Where the domain of a word comes from: the column domain, which experts decided, or the "
        "log-ratio alone, which is a stand-in for experts.",
    )
    threshold: float = Field(
        THRESHOLD,
        ge=0,
        description="log-ratio: a word is biomedical from this value up, and general from its negative down.",
    )
    scope: Annotated[list[Literal["exact", "related", "narrow", "broad"]], as_list] = Field(
        [], description="Ontologies: also synonyms that are related, narrow or broad.", examples=[["related"]]
    )
    min_producers: int | None = Field(
        None,
        ge=1,
        description="Norms: at least so many people gave the answer (#P), instead of more than 10 having been asked "
        "(#G).",
        examples=[2],
    )
