"""How far a model keeps a distant category of terms apart from two close ones.

The cosine of whole vectors is counted from matrix products; any other measure comes from the kernels in blocks, so that
memory stays bounded, and takes as long as its pairs do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from termgauge.io.arrays import Array
from termgauge.similarity.measures import same_measure, select_measures, usual_measure
from termgauge.tasks.categories.overlap import CATEGORIES, CategorySeparation, category_separation, cosine_separation
from termgauge.tasks.categories.result import Separation, Separations

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.model import ConceptModel, Model, PairScorer, TermModel, WordModel
    from termgauge.tasks.categories.members import Category, Members

_PAIRS_AT_ONCE = 1 << 21
_TEXTS_AT_ONCE = 1 << 18
_LEAST_SHARE = 0.5
"""Of each category, that a model must encode to decide which terms are shared."""


@dataclass(frozen=True)
class ModelSeparations:
    """What was measured of one model."""

    kind: str
    separations: Separations
    encoded: Array = field(repr=False, compare=False)
    """Which terms it encodes, those of A first; which concepts, for a model of concepts."""


def separations(
    model: Model, members: Members, measures: Sequence[str], *, alpha: float, only: NDArray[np.bool_] | None = None
) -> ModelSeparations:
    """Measure a model by each of some measures, or by its usual one; only terms that it can encode count.

    Models of concepts compare concepts, not terms: the sizes are numbers of concepts. `only` says which terms count.
    """
    wanted = select_measures(model.kind, measures) if measures else (usual_measure(model.kind),)
    encoded = _Encoded.of(model, members.categories, only)
    found = {name: Separation.of(encoded.separation(name, alpha)) for name in wanted}
    return ModelSeparations(model.kind, found, encoded.there)


class SharedTerms(NamedTuple):
    """The terms that all models encode that encode enough."""

    terms: NDArray[np.bool_]
    models: list[str]
    """Those that are compared on them; none where all of them encode the same terms anyway."""
    too_few: list[str]
    """Those that encode less than half of a category."""


def shared_terms(models: Mapping[str, ModelSeparations], members: Members) -> SharedTerms:
    """Return the terms that models share; models of concepts, which encode no terms, are not among them."""
    bounds = np.cumsum([0, *(len(category.terms) for category in members.categories)]).tolist()
    encoded = {name: own.encoded for name, own in models.items() if own.kind != "concepts"}
    terms = np.ones(bounds[-1], np.bool_)
    too_few = []
    for name, there in encoded.items():
        if min(there[low:high].mean() for low, high in pairwise(bounds)) < _LEAST_SHARE:
            too_few.append(name)
        else:
            terms &= there
    compared = [name for name in encoded if name not in too_few]
    same = all((encoded[name] == terms).all() for name in compared)
    empty = not all(terms[low:high].any() for low, high in pairwise(bounds))
    return SharedTerms(
        terms, [] if same or empty or len(compared) < 2 else compared, too_few if len(encoded) > 1 else []
    )


@dataclass(frozen=True)
class _Encoded:
    """The members of three categories that a model can encode, in one list."""

    model: Model
    offsets: tuple[int, int, int, int]
    """Category k has the members from ``offsets[k]`` to ``offsets[k + 1]``."""
    texts: tuple[str, ...]
    vectors: NDArray[np.float64]
    """Of the words, or of the members themselves."""
    word_offsets: NDArray[np.int64]
    words: NDArray[np.int64]
    there: NDArray[np.bool_]
    """Which of all members these are."""
    owners: list[NDArray[np.int64]]
    """For each category the number of the concept that each of its members is of."""

    @classmethod
    def of(cls, model: Model, chosen: Sequence[Category], only: NDArray[np.bool_] | None) -> _Encoded:
        members = [category.concepts if model.kind == "concepts" else category.terms for category in chosen]
        texts = [text for some in members for text in some]
        vectors, indptr, words, there = _vectors(model, texts)
        there = there if only is None else there & only
        concepts = [category.concepts if model.kind == "concepts" else category.owners for category in chosen]
        numbers = np.unique([each for some in concepts for each in some], return_inverse=True)[1]
        sizes = np.diff(indptr)[there]
        starts = np.repeat(indptr[:-1][there] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
        bounds = np.cumsum([0, *map(len, members)])
        a, b, c = (int(there[low:high].sum()) for low, high in pairwise(bounds.tolist()))
        return cls(
            model=model,
            offsets=(0, a, a + b, a + b + c),
            texts=tuple(text for text, known in zip(texts, there.tolist(), strict=True) if known),
            vectors=vectors,
            word_offsets=np.concatenate([[0], np.cumsum(sizes)]),
            words=words[starts + np.arange(len(starts))],
            there=there,
            owners=[numbers[low:high][there[low:high]] for low, high in pairwise(bounds.tolist())],
        )

    @property
    def sizes(self) -> tuple[int, int, int]:
        start, a, b, c = self.offsets
        return a - start, b - a, c - b

    def separation(self, measure: str, alpha: float) -> CategorySeparation:
        """Return overlap and means by a measure."""
        if 0 not in self.sizes and same_measure(measure, "cos"):
            means = self._means()
            parts = [means[low:high] for low, high in pairwise(self.offsets)]
            return cosine_separation(*parts, alpha=alpha, owners=self.owners)

        def blocks(left: str, right: str, rows: slice, columns: slice) -> NDArray[np.float64]:
            return self._block(measure, self._members(left, rows), self._members(right, columns))

        return category_separation(blocks, self.sizes, alpha=alpha, owners=self.owners)

    def _means(self) -> NDArray[np.float64]:
        from termgauge.similarity.vector_kernels import mean_rows

        means = np.empty((len(self.texts), self.vectors.shape[1]))
        mean_rows(self.vectors, self.word_offsets, self.words, means)
        return means

    def _members(self, category: str, some: slice) -> NDArray[np.int64]:
        start = self.offsets[CATEGORIES.index(category)]
        return np.arange(start + some.start, start + some.stop)

    def _block(self, measure: str, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the similarities of some members with others, a few rows at a time."""
        out = np.empty((len(rows), len(columns)))
        most = _TEXTS_AT_ONCE if self.model.kind == "pairs" else _PAIRS_AT_ONCE
        step = max(1, most // max(1, len(columns)))
        for begin in range(0, len(rows), step):
            some = rows[begin : begin + step]
            first, second = np.repeat(some, len(columns)), np.tile(columns, len(some))
            out[begin : begin + step] = self._scores(measure, first, second).reshape(len(some), -1)
        return out

    def _scores(self, measure: str, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.float64]:
        if self.model.kind == "pairs":
            one, two = ([self.texts[place] for place in side.tolist()] for side in (first, second))
            return cast("PairScorer", self.model).score(one, two, self.texts)
        from termgauge.similarity.kernels import score_terms, score_words

        if self.model.kind == "words":
            return score_words(self.vectors, self.word_offsets, self.words, first, second, [measure])[:, 0]
        return score_terms(self.vectors, self.words[first], self.words[second], [measure])[:, 0]


def _vectors(
    model: Model, texts: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return vectors, which of them each text has (offsets and rows), and which texts can be encoded."""
    each = np.arange(len(texts) + 1)
    if model.kind == "words":
        words = cast("WordModel", model).words_of(texts)
        return words.vectors.astype(np.float64), words.indptr, words.indices, ~words.missing
    if model.kind == "terms":
        vectors = cast("TermModel", model).encode(texts).astype(np.float64)
        return vectors, each, each[:-1], np.asarray(~np.isnan(vectors).any(axis=1))
    if model.kind == "concepts":
        concepts = cast("ConceptModel", model)
        rows = concepts.find(texts)
        vectors = np.zeros((len(texts), concepts.dimension))
        vectors[rows >= 0] = concepts.gather(rows[rows >= 0])
        return vectors, each, each[:-1], rows >= 0
    return np.empty((len(texts), 0)), each, each[:-1], np.ones(len(texts), np.bool_)
