"""Which rows of a model's vocabulary stand for a concept: by its id, or by its labels.

Vectors of concepts are found by id. Vectors of words are found by label: of the concept's labels, in the order in which
its terminology ranks them, the first that is in the vocabulary as written; or all that are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl

from termgauge.embeddings.store.vocabulary import MISSING
from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.plurals import numbered, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from termgauge.domain.domain import Domain
    from termgauge.embeddings.model import ConceptModel, Model, WordModel
    from termgauge.terminology import Terminology

LABELS = ("first", "all")
ORDERS = ("rank", "file")


@dataclass(frozen=True)
class ConceptRows:
    """The rows of some concepts: concept i has ``rows[offsets[i]:offsets[i + 1]]``, the best label's first."""

    concepts: tuple[str, ...]
    offsets: NDArray[np.int64]
    rows: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.concepts)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which concepts are in the vocabulary."""
        return np.asarray(np.diff(self.offsets) > 0)

    @property
    def first(self) -> NDArray[np.int64]:
        """The first row of each concept, -1 where it has none."""
        rows = np.full(len(self), MISSING, np.int64)
        rows[self.known] = self.rows[self.offsets[:-1][self.known]]
        return rows

    def rows_of(self, place: int) -> NDArray[np.int64]:
        """Return the rows of one concept."""
        return self.rows[self.offsets[place] : self.offsets[place + 1]]


def concept_rows(
    model: Model,
    terminology: Terminology,
    concepts: Sequence[str],
    labels: str = "first",
    *,
    join: str | None = None,
    lowercase: bool = False,
    order: str = "rank",
) -> ConceptRows:
    """Return which rows of a model's vocabulary stand for each concept; one that is asked for twice is answered twice.

    Models of concepts find them by id. Of word vectors the labels (see :func:`ranked_labels`) are looked up as they are
    written: ``first`` takes the best-ranked that is in the vocabulary, ``all`` each of them. If asked for, they are
    also looked up with `join` between their words, such as ``_``, and in lower case; each label is tried as written
    before anything else, and before the next label.

    Of a word that is in the vocabulary twice the first row counts. Two concepts with one label have one row. A model
    whose own options ask for lower case (``?lowercase=true``) or for phrases (``?phrases=_``) is looked up so.
    """
    if labels not in LABELS:
        raise TermgaugeError(f"Labels are 'first' or 'all', not '{labels}'.{did_you_mean(labels, LABELS)}")
    ids = tuple(concepts)
    # By kind, not by isinstance, which would ask an encoder for its dimension and so load its weights.
    if model.kind == "concepts":
        rows = cast("ConceptModel", model).find(ids)
        there = rows != MISSING
        return ConceptRows(ids, offsets_of(there), rows[there])
    if model.kind != "words" or len(vocabulary := cast("WordModel", model).vocabulary) == 0:
        raise TermgaugeError(f"The model '{model.name}' has no vocabulary in which concepts can be looked up.")
    rules = getattr(model, "rules", None)
    join, lowercase = join or getattr(rules, "phrases", "") or None, lowercase or getattr(rules, "lowercase", False)
    distinct = list(dict.fromkeys(ids))
    ranked = ranked_labels(terminology, distinct, order)
    variants = _variants(ranked["text"].to_list(), join, lowercase=lowercase)
    rows = np.stack([vocabulary.find(texts) for texts in variants], axis=1).ravel()  # labels x variants
    owners = np.repeat(ranked["place"].to_numpy().astype(np.int64), len(variants))
    owners, rows = owners[rows != MISSING], rows[rows != MISSING]
    same = owners if labels == "first" else owners * len(vocabulary.words) + rows
    kept = np.sort(np.unique(same, return_index=True)[1])
    owners, rows = owners[kept], rows[kept]
    offsets = offsets_of(np.bincount(owners, minlength=len(distinct)))
    return _repeat(ConceptRows(tuple(distinct), offsets, rows), ids)


def ranked_labels(terminology: Terminology, concepts: Sequence[str], order: str = "rank") -> pl.DataFrame:
    """Return the labels of distinct concepts, the best first, as ``place`` (of the concept) and ``text``.

    Labels are the active terms, definitions left out, in the terminology's rank order, equal ranks in the order of the
    terminology; and last the concept's name without its semantic tag, where no term reads so: a name whose only term is
    suppressed or retired is no label. Each text stands once. In the order of the ``file`` no rank counts, and
    suppressed and retired terms are labels too, as in the program of Giancani et al. (2023).
    """
    asked = pl.LazyFrame({"concept": list(concepts)}, schema={"concept": pl.String}).with_row_index("place")
    worst = np.iinfo(np.int32).max
    terms = terminology.terms.lazy().join(asked, on="concept", how="inner", maintain_order="left")
    names = (
        terminology.concepts.lazy()
        .select("concept", text="name", rank=pl.lit(worst, pl.Int32))
        .drop_nulls("text")
        .join(asked, on="concept", how="inner", maintain_order="left")
        .join(terms, on=["concept", "text"], how="anti", maintain_order="left")
    )
    if order == "file":
        terms = terms.with_columns(active=pl.lit(value=True), rank=pl.lit(0, pl.Int32))
    counted = terms.filter(pl.col("active") & (pl.col("kind") != "definition"))
    return (
        pl.concat([counted.select(names.collect_schema().names()), names])
        .sort("place", pl.col("rank").fill_null(worst - 1), maintain_order=True)
        .unique(["place", "text"], keep="first", maintain_order=True)
        .select("place", "text")
        .collect()
    )


def with_labels(terminology: Terminology, domain: Domain, order: str = "rank") -> Domain:
    """Return a domain without the seeds that have no label in the terminology."""
    labelled = set(ranked_labels(terminology, domain.seeds, order)["place"].to_list())
    kept = tuple(seed for place, seed in enumerate(domain.seeds) if place in labelled)
    if not kept:
        raise TermgaugeError("None of the seeds has a label in the terminology, so that none is left.")
    if len(kept) < len(domain.seeds):
        gone, are = len(domain.seeds) - len(kept), ("has no label and is", "have no label and are")
        warn(f"{gone:,} of {numbered(len(domain.seeds), 'seed')} {plural(gone, *are)} left out.")
    return replace(domain, seeds=kept, related=tuple(seed for seed in domain.related if seed in set(kept)))


def _variants(texts: list[str], join: str | None, *, lowercase: bool) -> list[list[str]]:
    """Return the ways to look up each label, the way it is written first."""
    ways = [texts]
    if join is not None:
        ways.append([join.join(text.split()) for text in texts])
    if lowercase:
        ways += [[text.lower() for text in way] for way in ways]
    return ways


def offsets_of(counts: NDArray[np.int64] | NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return where each of so many rows begin, and where the last end."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


def _repeat(distinct: ConceptRows, ids: tuple[str, ...]) -> ConceptRows:
    """Return the rows for each concept asked for, repeated ones included."""
    if len(distinct) == len(ids):
        return distinct
    places = {concept: place for place, concept in enumerate(distinct.concepts)}
    parts = [distinct.rows_of(places[concept]) for concept in ids]
    return ConceptRows(ids, offsets_of(np.array([len(part) for part in parts])), np.concatenate(parts))
