"""How one model links: the rank of the right concept of each query.

A model of words stands for a name by the mean of its words' vectors, looked up as for pairs; an encoder by the vector
of the whole name. The names of the index are encoded some at a time into one array in single precision (350,000 names
of 768 numbers take 1.1 GB), each text once, so that equal names are equally near.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from termgauge.embeddings.load import load_model
from termgauge.embeddings.neighbours import term_vectors
from termgauge.exceptions import TermgaugeError
from termgauge.io.arrays import Array
from termgauge.progress import track
from termgauge.reporting.set_names import BASELINES
from termgauge.similarity.search import (
    NameIndex,
    best_concepts,
    concept_ranks,
    nearest_concepts,
    score_ranks,
)
from termgauge.similarity.torch_search import chosen_device

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.model import Model
    from termgauge.similarity.search import Ranks
    from termgauge.tasks.linking.questions import Questions

    Best = tuple[NDArray[np.int64], NDArray[np.float64]]


def baselines_beside(
    measured: Mapping[str, ModelLinks], questions: Questions, device: str
) -> tuple[dict[str, ModelLinks], list[str]]:
    """Link by each baseline that is not among the models; return also why one is left out."""
    questions = replace(questions, best=0)
    there = {links.scheme for links in measured.values()}
    beside, left_out = {EXACT: link_exactly(questions)}, []
    for scheme in [scheme for scheme in BASELINES if scheme not in there]:
        try:
            beside[BASELINES[scheme]] = link(load_model(scheme), questions, device)
        except TermgaugeError as error:  # a library that is not installed
            left_out.append(f"{BASELINES[scheme]}: {error}")
    return {f"{title} (baseline)" if title in measured else title: links for title, links in beside.items()}, left_out


EXACT = "exact match"
"""What the baseline is called that looks for the same text after normalisation."""
_TERMS_AT_ONCE = 1 << 14
_NO_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class ModelLinks:
    """What a model made of each query."""

    scheme: str
    kind: str
    rank: Array = field(repr=False)
    """Of the right concept, from 1; 0 where there is none."""
    right_name: Array = field(repr=False)
    """The best name of a right concept, as a row of the index; -1 for none."""
    right_score: Array = field(repr=False)
    wrong_name: Array = field(repr=False)
    """The best name of a wrong concept; -1 for none."""
    wrong_score: Array = field(repr=False)
    unscored: int
    """Queries that could not be encoded."""
    index_unscored: int
    """Names of the index that could not be."""
    best_name: Array = field(default_factory=lambda: np.empty((0, 0), np.int32), repr=False)
    """The best names of the best concepts of each query, if they are asked for; -1 for none."""
    best_score: Array = field(default_factory=lambda: np.empty((0, 0)), repr=False)

    @classmethod
    def of(cls, scheme: str, kind: str, ranks: Ranks, best: Sequence[Best], unscored: int, index_unscored: int) -> Self:
        """Keep ranks, the best concepts of queries (some queries after another), and what could not be encoded."""
        rows, scores = zip(*(best or [(np.empty((0, 0), np.int64), np.empty((0, 0)))]), strict=True)
        rank, right, wrong = (part.astype(np.int32) for part in (ranks.rank, ranks.right_row, ranks.wrong_row))
        names = right, ranks.right, wrong, ranks.wrong
        best_names = np.concatenate(rows).astype(np.int32), np.concatenate(scores)
        return cls(scheme, kind, rank, *names, unscored, index_unscored, *best_names)


def link(model: Model, questions: Questions, device: str = "auto") -> ModelLinks:
    """Find the rank of the right concept of each query."""
    scheme = model.identity.scheme
    if model.kind == "pairs":
        against = getattr(model, "against", None)
        if against is None:
            raise TermgaugeError(
                f"'{model.name}' scores one pair at a time and has no vectors, so that it cannot search an index."
            )
        rows = against(questions.texts, questions.names, list(dict.fromkeys(questions.names)))
        return _by_scores(scheme, rows, questions, model.name)
    if model.kind == "concepts":
        raise TermgaugeError(
            f"'{model.name}' has vectors of concepts and none of terms, so that no term can be looked for."
        )
    queries = _vectors(model, questions.texts)
    names = _vectors(model, questions.names)
    index = NameIndex(names, questions.owners)
    ranks = concept_ranks(index, queries, questions.right, questions.hidden, chosen_device(device))
    best = [nearest_concepts(index, queries, questions.best)] if questions.best else []
    return ModelLinks.of(scheme, model.kind, ranks, best, _without_direction(queries), _without_direction(names))


def link_exactly(questions: Questions) -> ModelLinks:
    """Find the right concept by a name that is the same after normalisation; where there is none, nothing is found."""
    numbers: dict[str, int] = {}
    names, texts = (
        np.array([numbers.setdefault(normalised(text), len(numbers)) for text in some], np.int64)
        for some in (questions.names, questions.texts)
    )

    step = max(1, (1 << 22) // len(names))
    rows = (np.where(texts[at : at + step, None] == names, 1.0, np.nan) for at in range(0, len(texts), step))
    return _by_scores("baseline:exact", rows, questions, EXACT)


def normalised(text: str) -> str:
    """Return the words of a text in lower case and in alphabetical order, without accents, punctuation and brackets.

    >>> normalised("Sjögren's Syndrome, primary")
    'primary s sjogren syndrome'
    """
    plain = "".join(char for char in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(char))
    return " ".join(sorted(_NO_WORD.sub(" ", plain).split()))


def _by_scores(scheme: str, rows: Iterable[NDArray[np.float64]], questions: Questions, name: str) -> ModelLinks:
    unscored = 0
    best: list[Best] = []

    def watched() -> Iterator[NDArray[np.float64]]:
        nonlocal unscored
        with track(f"Linking by {name}", total=len(questions.texts), unit="queries") as advance:
            for table in rows:
                unscored += int(np.isnan(table).all(axis=1).sum())
                if questions.best:
                    best.append(best_concepts(table, questions.owners, questions.best))
                yield table
                advance(len(table))

    ranks = score_ranks(watched(), questions.owners, questions.right, questions.hidden)
    return ModelLinks.of(scheme, "pairs", ranks, best, 0 if name == EXACT else unscored, 0)


def _vectors(model: Model, texts: Sequence[str]) -> NDArray[np.float32]:
    """Return the vector of each text, each text encoded once; NaN where it has none."""
    first: dict[str, int] = {}
    places = np.array([first.setdefault(text, at) for at, text in enumerate(texts)], np.int64)
    distinct = list(first.values())
    vectors = np.empty((0, 0), np.float32)
    with track(f"Encoding with {model.name}", total=len(distinct), unit="texts") as advance:
        for low in range(0, len(distinct), _TERMS_AT_ONCE):
            some = distinct[low : low + _TERMS_AT_ONCE]
            block = term_vectors(model, [texts[at] for at in some])
            if not low:
                vectors = np.empty((len(texts), block.shape[1]), np.float32)
            vectors[some] = block
            advance(len(some))
    again = np.flatnonzero(places != np.arange(len(texts)))
    vectors[again] = vectors[places[again]]
    return vectors


def _without_direction(vectors: NDArray[np.float32]) -> int:
    """Count vectors that are zero or not finite, a few thousand at a time."""
    blocks = (vectors[low : low + _TERMS_AT_ONCE] for low in range(0, len(vectors), _TERMS_AT_ONCE))
    return sum(int((~np.isfinite(block).all(axis=1) | ~block.any(axis=1)).sum()) for block in blocks)
