"""The terms of three categories: from a terminology or from files, without what is in two of them if that is wished."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.io.identity import sha256_of_value
from termgauge.io.source import only_file
from termgauge.plurals import numbered
from termgauge.tasks.categories.task import FROM_FILE
from termgauge.terminology.model import COUNTED, SYNONYM

if TYPE_CHECKING:
    from collections.abc import Iterable

    from termgauge.tasks.categories.task import CategoryOptions
    from termgauge.terminology.model import Terminology


@dataclass(frozen=True)
class Category:
    """The terms of a category, and the ids of its concepts."""

    name: str
    """As it was named: a concept id, a tag, or ``@file``."""
    terms: tuple[str, ...]
    concepts: tuple[str, ...]
    owners: tuple[str, ...]
    """The concept that each term is of; of several the first."""
    all_terms: int
    """How many terms it has, of which some may have been drawn."""

    def kept(self, places: Iterable[int]) -> Category:
        """Return it with some of its terms."""
        terms, owners = zip(*((self.terms[position], self.owners[position]) for position in places), strict=True)
        return replace(self, terms=terms, owners=owners)

    def drawn(self, most: int, seed: int) -> Category:
        """Return it with so many terms, and so many concepts, at most, drawn with a seed and kept in order."""
        terms, concepts = (
            range(size) if size <= most else np.sort(np.random.default_rng(seed).choice(size, most, replace=False))
            for size in (len(self.terms), len(self.concepts))
        )
        return replace(self.kept(terms), concepts=tuple(self.concepts[position] for position in concepts))


@dataclass(frozen=True)
class Members:
    """The categories A, B and C."""

    categories: tuple[Category, ...]
    shared: int
    """Terms that are in more than one category, before any were drawn."""

    @property
    def key(self) -> str:
        """What they are, as a hash."""
        return sha256_of_value([[part.name, part.terms, part.concepts, part.owners] for part in self.categories])


def members_of(terminology: Terminology | None, options: CategoryOptions, seed: int) -> Members:
    """Find the terms of the categories."""
    chosen = [
        _from_file(name)
        if name.startswith(FROM_FILE)
        else _from_terminology(terminology, name, names_only=options.names_only)
        for name in (*options.close, options.far)
    ]
    times = Counter(term for category in chosen for term in set(category.terms))
    shared = {term for term, categories in times.items() if categories > 1}
    if options.drop_shared:
        chosen = [_without(category, shared) for category in chosen]
    if options.max_terms is not None:
        if larger := [category for category in chosen if len(category.terms) > options.max_terms]:
            sizes = ", from the ".join(f"{len(category.terms):,} of '{category.name}'" for category in larger)
            were = numbered(options.max_terms, "term was", "terms were")
            warn(f"{were} drawn from the {sizes}, as --max-terms says.")
        chosen = [category.drawn(options.max_terms, seed) for category in chosen]
    return Members(tuple(chosen), len(shared))


def _from_file(name: str) -> Category:
    path = Path(name.removeprefix(FROM_FILE))
    file = only_file(path, "file with a term on each line")
    # Only LF ends a line: terms may hold the other characters that str.splitlines splits at.
    terms = tuple(dict.fromkeys(line.strip() for line in file.text().split("\n") if line.strip()))
    if not terms:
        raise TermgaugeError(f"{path}: holds no terms; a category has a term on each line.")
    return Category(name, terms, terms, terms, len(terms))


def _from_terminology(terminology: Terminology | None, name: str, *, names_only: bool) -> Category:
    assert terminology is not None  # without one, all categories are files
    ids = _ids(terminology, name)
    members = terminology.concepts.filter(COUNTED & pl.col("concept").is_in(ids.implode()))
    concepts = members.select("concept", text="name").drop_nulls("text")
    synonyms = terminology.terms.filter(pl.col("active") & (pl.col("kind") == SYNONYM)).join(
        members, on="concept", how="semi", maintain_order="left"
    )
    named = concepts.select("concept", "text")
    named = named if names_only else pl.concat([named, synonyms.select("concept", "text")])
    owners: dict[str, str] = {}
    for concept, text in named.iter_rows():
        if text and text.strip():
            owners.setdefault(text, concept)
    if not owners:
        raise TermgaugeError(f"{terminology.identity.slug}: '{name}' has no active concept with a name.")
    ids = members["concept"].unique(maintain_order=True)
    return Category(name, tuple(owners), tuple(ids.to_list()), tuple(owners.values()), len(owners))


def _ids(terminology: Terminology, name: str) -> pl.Series:
    if (terminology.concepts["concept"] == name).any():
        return terminology.descendants(name)
    try:
        return terminology.tagged(name)
    except TermgaugeError:
        concepts = terminology.concepts["concept"].to_list()
        tags = terminology.concepts["tag"].drop_nulls().unique().to_list()
        raise TermgaugeError(
            f"{terminology.identity.slug} has neither a concept nor a tag '{name}'; name a concept's id, a tag, or a "
            f"file as @FILE.{did_you_mean(name, [*tags, *concepts])}"
        ) from None


def _without(category: Category, shared: set[str]) -> Category:
    places = [position for position, term in enumerate(category.terms) if term not in shared]
    if not places:
        raise TermgaugeError(f"All terms of '{category.name}' are in another category too; choose one of its own.")
    return replace(category.kept(places), all_terms=len(places))
