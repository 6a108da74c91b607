"""How alike a model finds two terms, whatever kind of model it is, and which terms it finds nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

from termgauge.embeddings.units import unit_vectors
from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.model import Model, PairScorer, TermModel, WordModel

    Numbers = NDArray[np.int64]

_DECIMALS = 6
"""Similarities are rounded to so many, so that equal directions of different lengths tie."""
_PAIRS_AT_ONCE = 1 << 16


class Reader(Protocol):
    """A model that has read some texts."""

    def score(self, first: Numbers, second: Numbers) -> NDArray[np.float64]:
        """Return how alike texts are, given by number; NaN where the model does not know one."""


class VectorReader:
    """Cosines of the texts' vectors."""

    def __init__(self, units: NDArray[np.float32]) -> None:
        self.units = units
        """Of length 1; a text that the model does not know is a row of NaN."""

    def score(self, first: Numbers, second: Numbers) -> NDArray[np.float64]:
        """Return the cosine of each pair."""
        scores = np.empty(len(first))
        for low in range(0, len(first), _PAIRS_AT_ONCE):
            part = slice(low, low + _PAIRS_AT_ONCE)
            scores[part] = np.einsum("ij,ij->i", self.units[first[part]], self.units[second[part]], dtype=np.float64)
        return scores.round(_DECIMALS)


class PairReader:
    """What the model itself says of two texts."""

    def __init__(self, model: PairScorer, texts: Sequence[str]) -> None:
        self._model, self._texts = model, texts

    def score(self, first: Numbers, second: Numbers) -> NDArray[np.float64]:
        """Return the similarity of each pair; how common something is, is counted over all texts."""
        one, two = ([self._texts[each] for each in side.tolist()] for side in (first, second))
        return self._model.score(one, two, self._texts).round(_DECIMALS)


def reader_of(model: Model, texts: Sequence[str]) -> VectorReader | PairReader:
    """Let a model read texts."""
    if model.kind == "pairs":
        return PairReader(cast("PairScorer", model), texts)
    if model.kind == "concepts":
        raise TermgaugeError(
            f"The model '{model.name}' has vectors of concepts, not of terms, and so cannot read a terminology; name a "
            "model of words or terms."
        )
    number: dict[str, int] = {}
    rows = np.array([number.setdefault(text, len(number)) for text in texts], np.int64)
    if model.kind == "words":
        vectors = cast("WordModel", model).words_of(list(number)).means
    else:
        vectors = cast("TermModel", model).encode(list(number))
    return VectorReader(unit_vectors(vectors, np.float32)[rows])
