"""What a resource is: something that says which pairs of a pool of words are related, and how.

Each kind of resource is a module of this folder with a ``KIND``: how its files are recognised, and how they are read.
Words of a resource are compared in lower case; one that the corpus does not have is also looked for in American
spelling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import polars as pl

from termgauge.corpus.pools import DOMAINS
from termgauge.exceptions import TermgaugeError
from termgauge.terminology.delimited import Layout, header_of, read_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from termgauge.corpus.pair_options import PairOptions
    from termgauge.corpus.pools import Codes, Pool
    from termgauge.io.source import SourceFile

    Spelled = Callable[[pl.Series], pl.Series]
    """Gives words in lower case, as the corpus spells them."""

SYNONYM, SIBLING, CLASS, ASSOCIATED = RELATIONS = ("synonym", "sibling", "class", "associated")
"""The relations that resources know by themselves, the closest first: a pair in several counts as the first of them."""
NO_VARIANTS = pl.DataFrame(schema={"word": pl.String, "variant": pl.String})


class Relations(Protocol):
    """What was read from a resource."""

    def related(self, pool: Pool, variants: pl.DataFrame) -> Mapping[str, Codes]:
        """Return the related pairs of a pool by relation, each under one relation only.

        `variants` (columns ``word``, ``variant``) are words that count as names wherever their word does.
        """

    def listed(self, pool: Pool) -> Codes:
        """Return the pairs that are no unassociated ones, though they may not be related either."""

    @property
    def words(self) -> pl.Series:
        """All words that it knows, spelled as the corpus does."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of resource."""

    name: str
    """What users call it: ``norms``."""
    signs: str
    """What it is and how it is recognised, for messages."""
    recognised: Callable[[SourceFile], bool]
    """Whether a file is of this kind, by how it begins."""
    read: Callable[[Sequence[SourceFile], Spelled, PairOptions], Relations]
    """Reads the files of a resource."""
    domains: tuple[str, ...] = DOMAINS
    """The domains whose associated pairs come from it, unless the user says otherwise."""


def first_line(file: SourceFile) -> str:
    """Return the first line of a file, whatever its bytes mean."""
    head = file.head(1 << 14).removeprefix(b"\xef\xbb\xbf")
    return head.split(b"\n", 1)[0].decode("utf-8", "replace").rstrip("\r")


def columns_of(file: SourceFile) -> list[str]:
    """Return the names of the columns of a table, in lower case."""
    return [name.strip().lower() for name in first_line(file).split("\t")]


def table_of(file: SourceFile, needed: Sequence[str], wanted: Sequence[str] = ()) -> pl.DataFrame:
    """Read the columns of a table that are needed, and those that are wanted if it has them, as stripped text.

    A table is UTF-8, separated by tabs, never quoted, and has a header line.
    """
    names = [name.strip().lower() for name in header_of(file, "\t")]
    if missing := [name for name in needed if name not in names]:
        raise TermgaugeError(
            f"{file.label}: has no column '{missing[0]}' (its columns are {', '.join(names)[:200]}); name the columns "
            "in the first line, separated by tabs."
        )
    kept = [name for name in (*needed, *wanted) if name in names]
    if twice := [name for name in kept if names.count(name) > 1]:
        raise TermgaugeError(f"{file.label}: has two columns named '{twice[0]}'; name each once.")
    places = [str(names.index(name)) for name in kept]
    layout = Layout("\t", tuple(map(str, range(len(names)))), header=True)  # other columns may have any names
    return read_rows(file, layout, places).select(
        pl.col(place).str.strip_chars().alias(name) for name, place in zip(kept, places, strict=True)
    )
