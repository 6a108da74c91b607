"""The terms that an audit reads: those of active concepts, each once, and the names of retired ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.benchmark.pairset import LONGEST_TERM
from termgauge.exceptions import TermgaugeError
from termgauge.terminology.model import FSN, MODEL_COMPONENT_MODULE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from termgauge.terminology.model import Terminology

_MOST_COMPARED = 64
"""Terms of its concept that a term is compared with, the best-ranked ones."""


@dataclass(frozen=True)
class Entries:
    """Terms as numbers: those of active concepts, the terms of one concept beside each other, its name first."""

    ids: list[str]
    """Of the active concepts that have terms."""
    texts: list[str]
    """One an entry; after those of active concepts the names of the retired ones."""
    kinds: list[str]
    languages: list[str | None]
    concepts: NDArray[np.int64]
    """The number of each entry's concept."""
    offsets: NDArray[np.int64]
    """Where the entries of each concept begin, and the last end."""
    retired: list[str]
    """The ids of retired concepts; the name of number i is the text ``len(entries) + i``."""

    def __len__(self) -> int:
        return len(self.concepts)

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each active concept."""
        return {concept: at for at, concept in enumerate(self.ids)}

    @cached_property
    def retired_texts(self) -> NDArray[np.int64]:
        """The number of each retired concept's name among the texts."""
        return np.arange(len(self), len(self.texts), dtype=np.int64)

    def id_of(self, entry: int) -> str:
        """Return the id of the concept that a text is of."""
        return self.ids[self.concepts[entry]] if entry < len(self) else self.retired[entry - len(self)]

    def name_of(self, entry: int) -> str:
        """Return the name of the concept that an entry is of."""
        return self.texts[self.offsets[self.concepts[entry]]] if entry < len(self) else self.texts[entry]

    def of(self, concept: int) -> NDArray[np.int64]:
        """Return the entries of a concept by its number."""
        return np.arange(self.offsets[concept], self.offsets[concept + 1])

    @cached_property
    def synonyms(self) -> NDArray[np.int64]:
        """All entries but those that are the name of their concept."""
        return np.setdiff1d(np.arange(len(self)), self.offsets[:-1])

    @cached_property
    def within(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Each synonym, as often as its concept has other terms to compare it with, and those."""
        compared = [
            np.minimum(self.offsets[at + 1], self.offsets[at] + _MOST_COMPARED) for at in self.concepts[self.synonyms]
        ]
        starts = self.offsets[self.concepts[self.synonyms]]
        counts = np.array(compared, np.int64) - starts
        first = np.repeat(self.synonyms, counts)
        second = np.repeat(starts - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) + np.arange(counts.sum())
        different = first != second
        return first[different], second[different]


def read_entries(terminology: Terminology) -> Entries:
    """Return what is to be read of a terminology: active terms of active concepts, without definitions."""
    counted = pl.col("active") & (pl.col("module").fill_null("") != MODEL_COMPONENT_MODULE)
    concepts = terminology.concepts.select("concept", "name", counted=counted, gone=~pl.col("active")).with_row_index(
        "at"
    )
    terms = (
        terminology.terms.lazy()
        .filter(pl.col("active") & (pl.col("kind") != "definition"))
        .join(concepts.lazy(), on="concept", how="inner", maintain_order="left")
        .filter("counted")
        .select(
            "at",
            "concept",
            "kind",
            "language",
            text=pl.when((pl.col("kind") == FSN) & pl.col("name").is_not_null()).then("name").otherwise("text"),
            place=pl.when(pl.col("kind") == FSN).then(-1).otherwise(pl.col("rank").fill_null(1 << 20)),
        )
        .with_columns(pl.col("text").str.replace_all(r"\s+", " ").str.strip_chars())
        .filter(pl.col("text").str.len_chars().is_between(1, LONGEST_TERM))
        .sort("at", "place", maintain_order=True)
        .with_columns(lowered=pl.col("text").str.to_lowercase())
        .unique(["at", "lowered"], keep="first", maintain_order=True)
        .collect()
    )
    if terms.is_empty():
        raise TermgaugeError(
            f"{terminology.identity.slug} has no active concept with a term, so there is nothing to audit."
        )
    ids = terms["concept"].unique(maintain_order=True)
    numbers = terms["at"].rle_id().to_numpy().astype(np.int64)
    gone = concepts.filter(
        pl.col("gone") & pl.col("name").str.strip_chars().str.len_chars().is_between(1, LONGEST_TERM)
    )
    return Entries(
        ids.to_list(),
        terms["text"].to_list() + gone["name"].to_list(),
        terms["kind"].to_list(),
        terms["language"].to_list(),
        numbers,
        np.concatenate([[0], np.cumsum(np.bincount(numbers))]).astype(np.int64),
        gone["concept"].to_list(),
    )
