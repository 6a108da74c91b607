"""A domain of medicine as a set of concepts, its seeds: what is related to a concept, below one, listed, or in a text.

Each way to find seeds (:mod:`~termgauge.domain.seeds`) gives a :class:`Domain`; :func:`make_domain` puts several into
one. A domain is written down as JSON and knows how it was made, so that others measure the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, Field, InstanceOf, PlainSerializer, ValidationError

from termgauge.display import Showing
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.atomic import write_text
from termgauge.io.decoding import parsed_json
from termgauge.io.identity import sha256_of_value
from termgauge.io.source import only_file
from termgauge.options import Flag, Options, Place, several, split, takes
from termgauge.plurals import numbered
from termgauge.terminology.options import ReadingOptions

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    import polars as pl

    from termgauge.terminology import Terminology

LAYOUT = 1


@dataclass(frozen=True, repr=False)
class Domain(Showing):
    """The concepts of a domain.

    >>> asthma = Domain(("C1", "C2"), related=("C1",), names={"C1": "Asthma"}, terminology={"sha256": "ab"})
    >>> len(asthma), asthma.name("C1"), asthma.name("C2")
    (2, 'Asthma', 'C2')
    """

    seeds: tuple[str, ...]
    """Ids of concepts, each once, in the order found."""
    related: tuple[str, ...] = ()
    """Those of the seeds that came from relations, branches or lists: analogies are asked of them. Seeds that only a
    text gave are not among them, for texts mention much that is general."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Of the seeds that have one."""
    parts: tuple[Mapping[str, Any], ...] = ()
    """How it was made: for each part its kind, what it was made from, and how many seeds it has."""
    terminology: Mapping[str, str] = field(default_factory=dict)
    """Which terminology the concepts are of: format, edition, version, content hash."""

    def _brief(self) -> str:
        return f"domain of {numbered(len(self), 'concept')}: {self.title}"

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each concept: its id, its name, and whether analogies are asked of it."""
        import polars as pl

        text, truth = pl.String, pl.Boolean
        return pl.DataFrame(self.as_dict()["seeds"], schema={"concept": text, "name": text, "related": truth})

    def __len__(self) -> int:
        return len(self.seeds)

    def name(self, concept: str) -> str:
        """Return the name of a seed, or its id if it has none."""
        return self.names.get(concept) or concept

    @cached_property
    def key(self) -> str:
        """What it is, as a hash: of its seeds, of those that are for analogies, and of the terminology's contents."""
        return sha256_of_value([LAYOUT, self.terminology.get("sha256", ""), self.seeds, self.related])

    @property
    def title(self) -> str:
        """How it was made, in a few words."""
        return " + ".join(_in_words(part) for part in self.parts) or numbered(len(self), "concept")

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-like values."""
        related = set(self.related)
        return {
            "layout": LAYOUT,
            "key": self.key,
            "title": self.title,
            "terminology": dict(self.terminology),
            "parts": [dict(part) for part in self.parts],
            "seeds": [
                {"concept": seed, "name": self.names.get(seed), "related": seed in related} for seed in self.seeds
            ],
        }

    def write(self, path: Path) -> None:
        """Write it as JSON, whole or not at all."""
        write_text(path, json.dumps(self.as_dict(), ensure_ascii=False, indent=1) + "\n")


def read_domain(path: str | os.PathLike[str]) -> Domain:
    """Read a domain that :meth:`Domain.write` wrote."""
    file = only_file(path)
    return domain_from_json(parsed_json(file.read(), file.label, "name a file that --save-domain wrote."), file.label)


class _Seed(BaseModel):
    concept: Annotated[str, Field(min_length=1)]
    name: str | None = None
    related: bool = False


class _Document(BaseModel):
    """A domain as JSON has it."""

    layout: Literal[1]
    seeds: list[_Seed]
    parts: list[dict[str, Any]] = []
    terminology: dict[str, str] = {}


def domain_from_json(document: Any, label: str = "The domain") -> Domain:  # noqa: ANN401 - whatever JSON holds
    """Return the domain that :meth:`Domain.as_dict` described; `label` is how messages name it."""
    try:
        read = _Document.model_validate(document, strict=True)
    except ValidationError as error:
        wrong = error.errors()[0]
        part = ", ".join(str(key + 1 if isinstance(key, int) else key) for key in wrong["loc"])
        raise TermgaugeError(
            f"{label}: is no domain of layout {LAYOUT} ({part or 'all of it'}: {wrong['msg']}); make it anew and save "
            "it with --save-domain."
        ) from None
    return Domain(
        tuple(dict.fromkeys(seed.concept for seed in read.seeds)),
        tuple(dict.fromkeys(seed.concept for seed in read.seeds if seed.related)),
        {seed.concept: seed.name for seed in read.seeds if seed.name},
        tuple(read.parts),
        read.terminology,
    )


DomainField = Annotated[
    InstanceOf[Domain],
    BeforeValidator(lambda value: domain_from_json(value) if isinstance(value, dict) else value),
    PlainSerializer(Domain.as_dict),
]
"""A domain as a field of a record."""


def concept_names(terminology: Terminology, concepts: Sequence[str]) -> dict[str, str]:
    """Return the names of some concepts, of those that have one."""
    import polars as pl

    named = terminology.concepts.filter(pl.col("concept").is_in(list(concepts)) & pl.col("name").is_not_null())
    return dict(named.select("concept", "name").iter_rows())


def _slug(terminology: Mapping[str, str]) -> str:
    return " ".join(filter(None, (terminology.get("edition"), terminology.get("version")))) or "another terminology"


def _in_words(part: Mapping[str, Any]) -> str:
    name, hops = part.get("name") or part.get("concept") or part.get("file") or "", part.get("hops", 1)
    words = {
        "related": f"{'one relation' if hops == 1 else f'up to {hops} relations'} away from {name}",
        "below": f"{name} and all below it",
        "listed": f"the list {name}" if name else "a list",
        **dict.fromkeys(("mmi", "text"), f"the text {name}"),
    }
    return words.get(part.get("kind", ""), "something else")


class Lookup(NamedTuple):
    """How concepts are looked up in vocabularies of words; :class:`DomainOptions` says what each means."""

    labels: str = "first"
    join: str | None = None
    lowercase: bool = False
    order: str = "rank"


_WAYS = ("concepts", "branches", "lists", "texts")


class SeedOptions(Options):
    """How the seeds of a domain are found."""

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

    def domain_in(self, terminology: Terminology, mmi: Sequence[str] = ()) -> Domain:
        """Make the domain: the union of what is asked for; `mmi` are texts that must be MMI."""
        from termgauge.domain.seeds import descendants_of, from_mmi, from_text, is_mmi, listed_concepts, related_to

        if not (mmi or any(getattr(self, way) for way in _WAYS)):
            raise TermgaugeError(
                "A domain needs a concept whose relations are followed, a branch, a list of ids or a text; name one."
            )
        followed = {"include": self.include_relations, "exclude": self.exclude_relations}
        domains = [related_to(terminology, concept, self.hops, **followed) for concept in self.concepts]
        domains += [descendants_of(terminology, concept) for concept in self.branches]
        domains += [listed_concepts(terminology, Path(path)) for path in self.lists]
        for path in (*mmi, *self.texts):
            read = from_mmi if path in mmi or is_mmi(path) else from_text
            domains.append(read(terminology, path, best=self.best, semantic_types=self.semantic_types))
        return Domain(
            tuple(dict.fromkeys(seed for domain in domains for seed in domain.seeds)),
            tuple(dict.fromkeys(seed for domain in domains for seed in domain.related)),
            {seed: name for domain in reversed(domains) for seed, name in domain.names.items()},
            tuple(part for domain in domains for part in domain.parts),
            domains[0].terminology,
        )


@takes(SeedOptions, ReadingOptions)
def make_domain(
    source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Terminology,
    *,
    mmi: Sequence[str | os.PathLike[str]] = (),
    **options: Any,  # noqa: ANN401
) -> Domain:
    """Make a domain: the union of what is asked for.

    Parameters
    ----------
    source
        A terminology, or where to read it.
    mmi
        Texts that are MetaMap's fielded output (MMI).

    Raises
    ------
    TermgaugeError
        If nothing is asked for, or something of it cannot be had.
    """
    from termgauge.terminology import read_terminology

    seeds, reading = split(options, SeedOptions, ReadingOptions)
    return SeedOptions.of(**seeds).domain_in(read_terminology(source, **reading), several(mmi))


class DomainOptions(SeedOptions):
    """A domain, and what stands for its concepts."""

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
    def lookup(self) -> Lookup:
        """How concepts are looked up."""
        return Lookup(self.labels, self.join, self.lowercase, self.labels_order)

    def problems(self) -> list[tuple[str, str]]:
        """Return what is wrong with the choice of a domain: the option, and a sentence about it."""
        ways = [name for name in _WAYS if getattr(self, name)]
        if self.domain is not None and ways:
            return [("domain", f"A domain is given and also how to make one ({ways[0]}); leave one of them out.")]
        if self.domain is None and not ways:
            problem = (
                "No domain was named; name a concept with --concept, a branch with --branch, ids with --list, a text "
                "with --text, or the file of a domain with --domain (in an experiment: concepts, branches, lists, "
                "texts or domain)."
            )
            return [("concepts", problem)]
        return []

    def chosen_domain(self, terminology: Terminology, keep: Path | None = None) -> Domain:
        """Make or read the domain, and write it where that was asked for."""
        for _option, problem in self.problems():
            raise TermgaugeError(problem)
        if self.domain is None:
            chosen = self.domain_in(terminology)
        else:
            chosen = self.domain if isinstance(self.domain, Domain) else read_domain(self.domain)
            now = terminology.identity
            if chosen.terminology.get("sha256", now.sha256) != now.sha256:
                warn(
                    f"The domain was made from {_slug(chosen.terminology)} as it was read then, not from {now.slug} as "
                    "it is read now; labels are those of the latter."
                )
        for path in (keep, self.save_domain and Path(self.save_domain)):
            if path:
                chosen.write(path)
        return chosen
