"""Which rows of a model's vocabulary stand for a concept, and where the neighbours of concepts are sought.

Vectors of concepts are found by id. Vectors of words are found by label: of the concept's labels, in the order in which
its terminology ranks them, the first that is in the vocabulary as written; or all that are. Neighbours are sought in
the vocabulary or, for encoders, in the terminology itself. Both are rows of vectors with a text each; but it is a
different question, so results say which was asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
import polars as pl

from termgauge.domain.domain import Lookup, concept_names
from termgauge.embeddings.encoders.static_tokens import TokenVectors
from termgauge.embeddings.neighbours import Block, NeighbourSearch, vocabulary_blocks
from termgauge.embeddings.store.vocabulary import MISSING
from termgauge.embeddings.units import unit_vectors
from termgauge.exceptions import TermgaugeError, warn
from termgauge.plurals import numbered, plural
from termgauge.progress import track
from termgauge.similarity.search import Listed
from termgauge.terminology.model import COUNTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from termgauge.domain.domain import Domain
    from termgauge.embeddings.model import ConceptModel, Model, TermModel, WordModel
    from termgauge.terminology import Terminology

    Encode = Callable[[Sequence[str]], NDArray[np.float32]]

FIRST = Lookup()


def concept_rows(model: Model, terminology: Terminology, concepts: Sequence[str], lookup: Lookup = FIRST) -> Listed:
    """Return which rows of a model's vocabulary stand for each concept, the best label's first.

    Models of concepts find them by id. Of word vectors the labels (see :func:`ranked_labels`) are looked up: ``first``
    takes the best-ranked that is in the vocabulary, ``all`` each of them. Each is tried as written before anything
    else, then with `join` between its words and in lower case, if asked for, before the next label.

    Of a word that is in the vocabulary twice the first row counts. Two concepts with one label have one row. A model
    whose own options ask for lower case (``?lowercase=true``) or for phrases (``?phrases=_``) is looked up so.
    """
    labels, join, lowercase, order = lookup
    ids = tuple(concepts)
    # By kind, not by isinstance, which would ask an encoder for its dimension and so load its weights.
    if model.kind == "concepts":
        rows = cast("ConceptModel", model).find(ids)
        there = rows != MISSING
        return Listed.of_sizes(there, rows[there])
    if model.kind != "words" or len(vocabulary := cast("WordModel", model).vocabulary) == 0:
        raise TermgaugeError(f"The model '{model.name}' has no vocabulary in which concepts can be looked up.")
    rules = getattr(model, "rules", None)
    join, lowercase = join or getattr(rules, "phrases", "") or None, lowercase or getattr(rules, "lowercase", False)
    ranked = ranked_labels(terminology, ids, order)
    variants = [ranked["text"].to_list()]
    if join is not None:
        variants.append([join.join(text.split()) for text in variants[0]])
    if lowercase:
        variants += [[text.lower() for text in texts] for texts in variants]
    rows = np.stack([vocabulary.find(texts) for texts in variants], axis=1).ravel()  # labels x variants
    owners = np.repeat(ranked["place"].to_numpy().astype(np.int64), len(variants))
    owners, rows = owners[rows != MISSING], rows[rows != MISSING]
    same = owners if labels == "first" else owners * len(vocabulary.words) + rows
    kept = np.sort(np.unique(same, return_index=True)[1])
    owners, rows = owners[kept], rows[kept]
    return Listed.of_sizes(np.bincount(owners, minlength=len(ids)), rows)


def ranked_labels(terminology: Terminology, concepts: Sequence[str], order: str = "rank") -> pl.DataFrame:
    """Return the labels of concepts, the best first, as ``place`` (of the concept) and ``text``.

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
    kept = tuple(seed for index, seed in enumerate(domain.seeds) if index in labelled)
    if not kept:
        raise TermgaugeError("None of the seeds has a label in the terminology, so that none is left.")
    if len(kept) < len(domain.seeds):
        gone, are = len(domain.seeds) - len(kept), ("has no label and is", "have no label and are")
        warn(f"{gone:,} of {numbered(len(domain.seeds), 'seed')} {plural(gone, *are)} left out.")
    return replace(domain, seeds=kept, related=tuple(seed for seed in domain.related if seed in set(kept)))


_TERMS_AT_ONCE = 1 << 15


@dataclass(frozen=True)
class Neighbourhood:
    """Rows of vectors among which neighbours are sought, and the rows that stand for each seed."""

    kind: Literal["vocabulary", "terminology"]
    seeds: Listed
    rows: int
    """Repeated ones included."""
    blocks: Callable[[], Iterator[Block]]
    """Goes through all rows."""
    gather: Callable[[NDArray[np.int64]], NDArray[np.float32]]
    """Returns the vectors of some rows."""
    texts: Callable[[Sequence[int]], list[str]]
    """Returns what some rows stand for: words, labels, the names of concepts."""
    repeated: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    """Rows of a word that stands in a row before: of these only the first counts."""

    def __len__(self) -> int:
        return self.rows - len(self.repeated)


def neighbourhood_of(
    model: Model, terminology: Terminology, seeds: Sequence[str], lookup: Lookup = FIRST
) -> Neighbourhood:
    """Return where a model's neighbours are sought: its vocabulary or, for terms, the names of all concepts.

    Seeds are looked up as by :func:`concept_rows`, but an encoder takes the best-ranked label of each concept: it can
    encode any. A model of tokens (WordLlama, model2vec) is one of terms here: tokens are no words, and label nothing.
    """
    # By kind, not by isinstance, which would ask an encoder for its dimension and so load its weights.
    if isinstance(model, TokenVectors):
        return _among_names(lambda terms: model.words_of(terms).means, terminology, seeds, lookup.order)
    if model.kind in ("words", "concepts"):
        rows = concept_rows(model, terminology, seeds, lookup)
        return _among_words(cast("WordModel | ConceptModel", model), rows, terminology)
    if model.kind == "terms":
        return _among_names(cast("TermModel", model).encode, terminology, seeds, lookup.order)
    raise TermgaugeError(f"The model '{model.name}' has no vectors, only similarities of pairs, and so no neighbours.")


def _among_words(model: WordModel | ConceptModel, seeds: Listed, terminology: Terminology) -> Neighbourhood:
    """Return the vocabulary of a model of words or concepts."""
    vocabulary = model.vocabulary

    def texts(rows: Sequence[int]) -> list[str]:
        words = vocabulary.text(rows)
        names = concept_names(terminology, words) if model.kind == "concepts" else {}
        return [names.get(word) or word for word in words]

    blocks, rows = partial(vocabulary_blocks, model), len(vocabulary.words)
    return Neighbourhood("vocabulary", seeds, rows, blocks, model.gather, texts, vocabulary.repeated)


def _among_names(encode: Encode, terminology: Terminology, seeds: Sequence[str], order: str) -> Neighbourhood:
    """Return the best-ranked label of each active concept, and of each seed that is not: it is asked for all the same.

    `encode` gives the vector of each term, a row of NaN where it has none.
    """
    ids = list(dict.fromkeys([*terminology.concepts.filter(COUNTED)["concept"].to_list(), *seeds]))
    best = ranked_labels(terminology, ids, order).unique("place", keep="first", maintain_order=True)
    labels = best["text"].to_list()
    row_of = {ids[index]: row for row, index in enumerate(best["place"].to_list())}
    rows = np.array([row_of.get(seed, MISSING) for seed in seeds], np.int64)
    there = np.flatnonzero(rows != MISSING)

    def gather(rows: Iterable[int]) -> NDArray[np.float32]:
        return encode([labels[row] for row in rows])

    def blocks() -> Iterator[Block]:
        for start in range(0, len(labels), _TERMS_AT_ONCE):
            block = encode(labels[start : start + _TERMS_AT_ONCE])
            yield start, block, unit_vectors(block, np.float32)

    if len(there):
        rows[there[np.isnan(gather(rows[there])).any(axis=1)]] = MISSING
    mask = rows != MISSING
    seed_rows = Listed.of_sizes(mask, rows[mask])
    return Neighbourhood(
        "terminology", seed_rows, len(labels), blocks, gather, lambda some: [labels[row] for row in some]
    )


def neighbours_of_seeds(among: Neighbourhood, k: int, *, each_label: bool = False) -> NeighbourSearch:
    """Return the k nearest rows of each seed that has a row, itself left out, in the order of the seeds.

    A seed with several rows (``all`` labels) has one list of neighbours: a row is as near to the seed as it is to the
    nearest of the seed's own rows, none of which is a neighbour. With `each_label` each of the rows has a list of its
    own, in which the others may stand.
    """
    seeds = among.seeds
    if not len(seeds.values):
        return NeighbourSearch(np.empty((0, 1), np.float32), np.zeros(1, np.int64), seeds.values, k)
    offsets = np.arange(len(seeds.values) + 1) if each_label else np.unique(seeds.offsets)
    search = NeighbourSearch(among.gather(seeds.values), offsets, seeds.values, k)
    with track("Looking for neighbours", total=among.rows, unit="rows") as advance:
        for start, block, units in among.blocks():
            search.offer(start, block, units)
            advance(len(block))
    return search
