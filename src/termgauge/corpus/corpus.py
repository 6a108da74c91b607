"""What a corpus of tagged text is made of: portions in columns, and what is known about each document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl


@dataclass(frozen=True)
class DocumentAbout:
    """What is known about one document beside its text."""

    id: str
    journal: str | None = None
    """NLM's number of the journal (NlmUniqueID), or whatever the file calls its journal."""
    mesh: tuple[str, ...] = ()
    """MeSH descriptors by their number (D001943)."""
    more: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class TaggedBlock:
    """A portion of tagged text in columns; a document may go on in the next portion."""

    tokens: pl.DataFrame
    """One row for each token: `form`, `tag` (as the tagger wrote it), `lemma` (null if there is none), `document`."""
    about: Mapping[int, DocumentAbout]
    """The documents that begin in this portion, by their running number in the corpus."""
