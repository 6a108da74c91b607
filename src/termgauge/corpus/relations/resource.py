"""What a resource is: something that says which pairs of a pool of words are related, and how.

Each kind of resource is a module of this folder with a ``KIND``: how its files are recognised, and how they are read.
Words of a resource are compared in lower case; one that the corpus does not have is also looked for in American
spelling.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from termgauge.corpus.pools import DOMAINS, NO_PAIRS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from termgauge.corpus.options import PairOptions
    from termgauge.corpus.pools import Codes, Pool
    from termgauge.io.source import SourceFile

    Speller = Callable[[pl.Series], pl.Series]
    """Gives words in lower case, as the corpus spells them."""

SYNONYM, SIBLING, CLASS, ASSOCIATED = RELATIONS = ("synonym", "sibling", "class", "associated")
"""The relations that resources know by themselves, the closest first: a pair in several counts as the first of them."""
NO_VARIANTS = pl.DataFrame(schema={"word": pl.String, "variant": pl.String})


class Relations(ABC):
    """What was read from a resource."""

    makes_pairs = True
    """Whether it relates words, and does not only know forms of one word."""

    @property
    @abstractmethod
    def words(self) -> pl.Series:
        """All words that it knows, spelled as the corpus does."""

    @abstractmethod
    def related(self, pool: Pool, variants: pl.DataFrame) -> Mapping[str, Codes]:
        """Return the related pairs of a pool by relation, each under one relation only.

        `variants` (columns ``word``, ``variant``) are words that count as names wherever their word does.
        """

    def listed(self, pool: Pool) -> Codes:  # noqa: ARG002
        """Return the pairs that are no unassociated ones, though they may not be related either."""
        return NO_PAIRS

    def same_base(self, pool: Pool) -> Codes:  # noqa: ARG002
        """Return the pairs that are two forms of one base, which are never a pair."""
        return NO_PAIRS

    def variants(self, word_class: str) -> pl.DataFrame:  # noqa: ARG002
        """Return words of a class that count as names wherever another word does: ``word``, ``variant``."""
        return NO_VARIANTS


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of resource."""

    name: str
    """What users call it: ``norms``."""
    signs: str
    """What it is and how it is recognised, for messages."""
    recognised: Callable[[SourceFile], bool]
    """Whether a file is of this kind, by how it begins."""
    read: Callable[[Sequence[SourceFile], Speller, PairOptions], Relations]
    """Reads the files of a resource."""
    domains: tuple[str, ...] = DOMAINS
    """The domains whose associated pairs come from it, unless the user says otherwise."""
