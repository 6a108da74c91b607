"""How a domain is made, declared once for every task that works on one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from termgauge.domain.domain import Domain, DomainField, make_domain, read_domain
from termgauge.exceptions import TermgaugeError, warn
from termgauge.options import Flag, Options, Place

if TYPE_CHECKING:
    from termgauge.terminology.model import Terminology

_WAYS = ("concepts", "branches", "lists", "texts")
_CHOICES = ("hops", "include_relations", "exclude_relations", "best", "semantic_types")


class DomainOptions(Options):
    """A domain, and what stands for its concepts."""

    former_names: ClassVar[Mapping[str, str]] = {"mmi": "texts"}

    concepts: Annotated[list[str], Flag(("--concept", "-c"), "ID")] = Field(
        [],
        description="Seeds: what is related to this concept, in either direction; its id, or a name that no other "
        "concept has.",
        examples=[["13645005"]],
    )
    branches: Annotated[list[str], Flag(("--branch",), "ID")] = Field(
        [], description="Seeds: this concept and all below it.", examples=[["50043002"]]
    )
    lists: Annotated[list[str], Flag(("--list",), "FILE"), Place()] = Field(
        [], description="Seeds: the ids in a file, one on each line.", examples=[["ids.txt"]]
    )
    texts: Annotated[list[str], Flag(("--text",), "FILE"), Place()] = Field(
        [],
        description="Seeds: the concepts in MetaMap's fielded output (MMI), or those whose labels are in a plain text.",
        examples=[["review.txt"]],
    )
    hops: int = Field(1, ge=1, description="How many relations away from the named concepts a seed may be.")
    include_relations: Annotated[list[str], Flag(("--follow",), "TYPE")] = Field(
        [], description="From the named concepts, follow only relations of this type.", examples=[["is_a"]]
    )
    exclude_relations: Annotated[list[str], Flag(("--ignore",), "TYPE")] = Field(
        [], description="From the named concepts, do not follow relations of this type.", examples=[["is_a"]]
    )
    best: int | None = Field(
        None,
        ge=1,
        description="From each text, at most so many concepts: the best-scored of MMI, else the most frequent.",
        examples=[200],
    )
    semantic_types: Annotated[list[str], Flag(("--semantic-type",), "T")] = Field(
        [],
        description="From texts, only concepts of this type: as in the MMI file, such as dsyn; else a tag of the "
        "terminology.",
        examples=[["dsyn"]],
    )
    domain: Annotated[str | DomainField | None, Flag(metavar="FILE"), Place()] = Field(
        None,
        description="Use a domain that was saved with --save-domain, instead of making one.",
        examples=["copd.json"],
    )
    save_domain: Annotated[str | None, Flag(metavar="FILE", where="command"), Place()] = Field(
        None, description="Write the domain to a file, to be used again with --domain."
    )
    labels: Annotated[Literal["first", "all"], Flag(metavar="first|all")] = Field(
        "first",
        description="Word vectors: a concept is looked up by the first of its labels that is in the vocabulary, or by "
        "all of them.",
    )
    labels_order: Annotated[Literal["rank", "file"], Flag(metavar="rank|file")] = Field(
        "rank",
        description="Labels of a concept in the terminology's order of preference; or in the order of the file, those "
        "of all languages and suppressed ones too.",
    )
    join: Annotated[str | None, Flag(metavar="TEXT")] = Field(
        None,
        description="Word vectors: look labels up with this between their words too, such as _ in heart_attack.",
        examples=["_"],
    )
    lowercase: bool = Field(
        default=False, description="Word vectors: look labels up in lower case too, for vocabularies without capitals."
    )

    @property
    def ways(self) -> list[str]:
        """Which options say how to make a domain."""
        return [name for name in _WAYS if getattr(self, name)]

    def problems(self) -> list[tuple[str, str]]:
        """Return what is wrong with the choice of a domain: the option, and a sentence about it."""
        if self.domain is not None and self.ways:
            return [("domain", f"A domain is given and also how to make one ({self.ways[0]}); leave one of them out.")]
        if self.domain is None and not self.ways:
            problem = (
                "No domain was named; name a concept with --concept, a branch with --branch, ids with --list, a text "
                "with --text, or the file of a domain with --domain (in an experiment: concepts, branches, lists, "
                "texts or domain)."
            )
            return [("concepts", problem)]
        return []

    def chosen_domain(self, terminology: Terminology, keep: Path | None = None) -> Domain:
        """Make or read the domain, and write it where that was asked for.

        Raises
        ------
        TermgaugeError
            If there is both a domain and how to make one, or neither, or something of it cannot be had.
        """
        for _option, problem in self.problems():
            raise TermgaugeError(problem)
        if self.domain is None:
            given = {name: getattr(self, name) for name in (*_WAYS, *_CHOICES)}
            chosen = make_domain(terminology, **given)
        else:
            chosen = self.domain if isinstance(self.domain, Domain) else read_domain(self.domain)
            _say_if_of_another(chosen, terminology)
        for place in (keep, self.save_domain and Path(self.save_domain)):
            if place:
                chosen.write(place)
        return chosen


def _say_if_of_another(chosen: Domain, terminology: Terminology) -> None:
    of = chosen.terminology
    if of.get("sha256", terminology.identity.sha256) != terminology.identity.sha256:
        name = " ".join(filter(None, (of.get("edition"), of.get("version")))) or "another terminology"
        warn(
            f"The domain was made from {name} as it was read then, not from {terminology.identity.slug} as it is read "
            "now; labels are those of the latter."
        )
