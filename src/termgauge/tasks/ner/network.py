"""The window network: a token and two on either side, one hidden layer, a probability of each tag.

What a network is made of is declared here; :mod:`termgauge.tasks.ner.training` trains it. The two profiles are those of
Chiu et al.: what their paper says, and what their public code does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from termgauge.tasks.ner.vectors import TokenVectors

Profile = Literal["code", "paper"]
WINDOW = 5
"""Places of a window: the token and two on either side."""
CAPITALS = ("allcaps", "initcap", "hascap", "nocaps", "PADDING")
"""How a token is written, and a place beyond the sentence."""
CAPITALS_DIMENSION = 5
_SMALL = 0.05
"""Rows that no file has are drawn between minus this and this."""


@dataclass(frozen=True)
class NetworkSettings:
    """What a network is and how it is trained."""

    activation: Literal["relu", "hard_tanh"] = "relu"
    capitals: bool = True
    """Whether how a token is written stands beside its vector."""
    learning_rate: float = 0.1
    hidden: int = 300
    dropout: float = 0.2
    batch: int = 50
    epochs: int = 20
    frozen: bool = False
    """Whether the vectors of words stay as they are."""
    decoding: Literal["argmax", "forward", "viterbi"] = "forward"
    """By which the learning curve is scored on the part devel."""

    @classmethod
    def of(cls, profile: Profile, *, epochs: int = 20, frozen: bool = False) -> NetworkSettings:
        """Return those of a profile."""
        if profile == "paper":
            return cls("hard_tanh", False, 0.01, decoding="argmax", epochs=epochs, frozen=frozen)
        return cls(epochs=epochs, frozen=frozen)


@dataclass(frozen=True)
class Weights:
    """All numbers that a network learns, before or after it did."""

    words: NDArray[np.float32]
    capitals: NDArray[np.float32]
    """Of no columns in a network that does not look at capitals."""
    hidden: NDArray[np.float32]
    """A row for each number of a window, a column for each hidden unit."""
    hidden_bias: NDArray[np.float32]
    output: NDArray[np.float32]
    """A row for each tag, a column for each hidden unit."""
    output_bias: NDArray[np.float32]


def initial_weights(vectors: TokenVectors, tags: int, settings: NetworkSettings, seed: int) -> Weights:
    """Return the weights that a trial begins with: Glorot uniform, biases 0, drawn rows where the model has none."""
    generator = Draws(seed).initialisation
    words = vectors.rows.copy()
    drawn = _uniform(generator, _SMALL, (2, vectors.dimension))
    words[-2:] = np.where(np.isnan(words[-2:]), drawn, words[-2:])
    capitals = _uniform(generator, _SMALL, (len(CAPITALS), CAPITALS_DIMENSION if settings.capitals else 0))
    width = WINDOW * (vectors.dimension + capitals.shape[1])
    hidden = _glorot(generator, (width, settings.hidden))
    output = _glorot(generator, (tags, settings.hidden))
    zeros = np.zeros(settings.hidden, np.float32), np.zeros(tags, np.float32)
    return Weights(words, capitals, hidden, zeros[0], output, zeros[1])


class Draws:
    """The random numbers of a trial: one stream each for what it begins with, the order of tokens, and dropout."""

    def __init__(self, seed: int) -> None:
        streams = np.random.SeedSequence(seed).spawn(3)
        self.initialisation, self.order, self.dropout = (
            np.random.Generator(np.random.SFC64(stream)) for stream in streams
        )


def _glorot(generator: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float32]:
    return _uniform(generator, float(np.sqrt(6 / sum(shape))), shape)


def _uniform(generator: np.random.Generator, most: float, shape: tuple[int, int]) -> NDArray[np.float32]:
    return generator.uniform(-most, most, shape).astype(np.float32)


def capitals_of(token: str) -> int:
    """Return how a token is written, as a place in `CAPITALS`."""
    if token.isupper():
        return 0
    if token[:1].isupper():
        return 1
    return 2 if any(character.isupper() for character in token) else 3


def windows(codes: NDArray[np.int64], starts: NDArray[np.int64], padding: int) -> NDArray[np.int64]:
    """Return the codes around each token, a row for each; places beyond its sentence have the code of padding."""
    lengths = np.diff(starts)
    first, last = np.repeat(starts[:-1], lengths), np.repeat(starts[1:], lengths)
    places = np.arange(len(codes))[:, None] + np.arange(WINDOW) - WINDOW // 2
    inside = (places >= first[:, None]) & (places < last[:, None])
    return np.where(inside, codes[np.clip(places, 0, max(0, len(codes) - 1))], padding)


@dataclass(frozen=True)
class Inputs:
    """What the network sees of each token of a part."""

    words: NDArray[np.int64]
    """The rows of the words of its window."""
    capitals: NDArray[np.int64]
    """How they are written; of no columns in a network that does not look at capitals."""

    @cached_property
    def different(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows of all different words, and at each place of each window the number of its word among them."""
        rows, numbers = np.unique(self.words, return_inverse=True)
        return rows, numbers.reshape(self.words.shape)


def inputs_of(
    tokens: Sequence[str], starts: NDArray[np.int64], vectors: TokenVectors, settings: NetworkSettings
) -> Inputs:
    """Return what a network sees of the tokens of a part."""
    words = windows(vectors.rows_of(tokens), starts, vectors.padding_row)
    if not settings.capitals:
        return Inputs(words, np.zeros((len(tokens), 0), np.int64))
    codes = {token: capitals_of(token) for token in set(tokens)}
    written = np.fromiter((codes[token] for token in tokens), np.int64, len(tokens))
    return Inputs(words, windows(written, starts, len(CAPITALS) - 1))
