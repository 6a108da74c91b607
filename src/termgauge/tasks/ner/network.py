"""The window network: a token and two on either side, one hidden layer, a probability of each tag.

What a network is made of and the steps that it takes stand here; :mod:`termgauge.tasks.ner.training` trains it. The two
profiles are those of Chiu et al.: what their paper says, and what their public code does.

Forward, backward and update are written out. Gradients are written by hand into memory that is set aside once, since at
batches of 50 the bookkeeping of automatic differentiation takes longer than the arithmetic. Networks of one shape, the
trials of a model, take their steps together as batched products; on a GPU many steps are one graph, which is launched
as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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


Tensor = Any
_AT_ONCE, _AT_ONCE_ON_GPU = 1024, 65536
"""Tokens that are evaluated together: few enough for the processor's cache, many enough for a GPU."""


class Networks:
    """Networks of one shape on one device.

    Each has a matrix of each layer, one after the other. The rows of all their words lie in one table, so that `rows`
    of the networks after the first are shifted.
    """

    def __init__(self, torch: Any, weights: Sequence[Weights], settings: NetworkSettings, device: str) -> None:  # noqa: ANN401
        self.torch, self.settings, self.device, self.count = torch, settings, device, len(weights)
        self.words, self.capitals = (self._table([getattr(network, name) for network in weights]) for name in _TABLES)
        self.hidden, self.hidden_bias, self.output, self.output_bias = (
            self._stack([getattr(network, name) for network in weights]) for name in _LAYERS
        )
        self.tags = len(weights[0].output)
        self._hidden_turned, self._output_turned = self.hidden.mT, self.output.mT
        self._buffers: dict[int, _Buffers] = {}
        self._offsets = torch.arange(self.count, device=device).view(-1, 1, 1)

    def _table(self, arrays: list[NDArray[np.float32]]) -> Tensor:
        return self.torch.tensor(np.concatenate(arrays), device=self.device)

    def _stack(self, arrays: list[NDArray[np.float32]]) -> Tensor:
        stacked = np.stack(arrays)
        return self.torch.tensor(stacked if stacked.ndim == 3 else stacked[:, None], device=self.device)

    def rows(self, windows: Tensor, table: Tensor) -> Tensor:
        """Return where the windows of each network (networks x tokens x places) lie in the table of all of them."""
        return windows + self._offsets * (len(table) // self.count)

    def step(self, words: Tensor, capitals: Tensor, wanted: Tensor, kept: Tensor, log_shares: Tensor) -> None:
        """Learn from a batch: the rows of all its windows of words and capitals, of one network after the other.

        `wanted` is 1 at the tag that each token has, else 0; hidden units are multiplied with what is `kept`, which is
        0 where one is dropped; the logarithms of the probabilities of tags before the step are `found`.
        """
        torch, size = self.torch, wanted.shape[-2]
        at = self._buffers.get(size)
        if at is None:
            at = self._buffers[size] = _Buffers(self, size)
        at.words.copy_(self.words.index_select(0, words))
        if self.settings.capitals:
            at.capitals.copy_(self.capitals.index_select(0, capitals))
        torch.baddbmm(self.hidden_bias, at.window, self.hidden, out=at.hidden)
        inside = self._activated(at.hidden)
        if self.settings.activation == "hard_tanh":
            inside = torch.abs(inside, out=at.gate).neg_().add_(1)
        torch.sign(inside, out=at.gate).mul_(kept)  # what passes through on the way back
        at.hidden.mul_(kept)
        torch.baddbmm(self.output_bias, at.hidden, self._output_turned, out=at.output)
        torch.log_softmax(at.output, -1, out=log_shares)
        # The rate is in the first gradient, and so in all that follow from it.
        slope = torch.exp(log_shares, out=at.slope).sub_(wanted).mul_(self.settings.learning_rate / size)
        back = torch.bmm(slope, self.output, out=at.back).mul_(at.gate)
        if not self.settings.frozen or self.settings.capitals:
            torch.bmm(back, self._hidden_turned, out=at.window_back)
        self.output.baddbmm_(at.slope_turned, at.hidden, alpha=-1)
        self.hidden.baddbmm_(at.window_turned, back, alpha=-1)
        self.output_bias.sub_(slope.sum(-2, keepdim=True))
        self.hidden_bias.sub_(back.sum(-2, keepdim=True))
        if not self.settings.frozen:
            self.words.index_add_(0, words, at.words_back, alpha=-1)
        if self.settings.capitals:
            self.capitals.index_add_(0, capitals, at.capitals_back, alpha=-1)

    def log_probabilities(self, inputs: Inputs) -> NDArray[np.float32]:
        """Return the logarithms of the probabilities of tags (networks x tokens x tags), without dropout.

        What a word adds to the hidden layer at a place of the window is computed once for each different word.
        """
        torch = self.torch
        result = np.empty((self.count, len(inputs.words), self.tags), np.float32)
        different, words = inputs.different
        places, size = np.arange(WINDOW), _AT_ONCE if self.device == "cpu" else _AT_ONCE_ON_GPU
        parts = [words + places * len(different)]
        if self.settings.capitals:
            rows = len(self.capitals) // self.count
            parts.append(inputs.capitals + places * rows + WINDOW * len(different))
        adds = torch.as_tensor(np.concatenate(parts, axis=1), device=self.device)
        for number in range(self.count):
            layers = (self.hidden, self.hidden_bias, self.output, self.output_bias)
            hidden, hidden_bias, output, output_bias = (layer[number] for layer in layers)
            table = self._added(number, different, hidden.view(WINDOW, -1, hidden.shape[1]))
            for start in range(0, len(adds), size):
                some = adds[start : start + size]
                units = torch.nn.functional.embedding_bag(some, table, mode="sum").add_(hidden_bias)
                scores = torch.addmm(output_bias, self._activated(units), output.mT)
                result[number, start : start + size] = torch.log_softmax(scores, -1).cpu().numpy()
        return result

    def _added(self, number: int, words: NDArray[np.int64], hidden: Tensor) -> Tensor:
        """Return what each word, and each kind of capitals, adds to the hidden layer at each place of the window."""
        torch, dimension = self.torch, self.words.shape[1]
        table = self.words.view(self.count, -1, dimension)[number]
        chosen = table.index_select(0, torch.as_tensor(words, device=self.device))
        tables = [chosen @ matrix[:dimension] for matrix in hidden]
        if self.settings.capitals:
            capitals = self.capitals.view(self.count, -1, self.capitals.shape[1])[number]
            tables += [capitals @ matrix[dimension:] for matrix in hidden]
        return torch.cat(tables)

    def _activated(self, units: Tensor) -> Tensor:
        return units.clamp_(0) if self.settings.activation == "relu" else units.clamp_(-1, 1)


_TABLES = ("words", "capitals")
_LAYERS = ("hidden", "hidden_bias", "output", "output_bias")


class _Buffers:
    """The memory of a step of so many tokens, and the views of it that are used again and again."""

    def __init__(self, networks: Networks, size: int) -> None:
        words, capitals = networks.words.shape[1], networks.capitals.shape[1]

        def empty(*shape: int) -> Tensor:
            return networks.torch.empty((networks.count, *shape), device=networks.device)

        def halves(window: Tensor) -> tuple[Tensor, Tensor]:
            places = window.view(-1, words + capitals)
            return places[:, :words], places[:, words:]

        self.window, self.window_back = (empty(size, WINDOW * (words + capitals)) for _ in range(2))
        self.words, self.capitals = halves(self.window)
        self.words_back, self.capitals_back = halves(self.window_back)
        units = networks.settings.hidden
        self.hidden, self.gate, self.back = (empty(size, units) for _ in range(3))
        self.output, self.slope = (empty(size, networks.tags) for _ in range(2))
        self.window_turned, self.slope_turned = self.window.mT, self.slope.mT


class Block:
    """Some steps, of batches of one size, as they are put together before any of them is taken."""

    def __init__(self, networks: Networks, inputs: tuple[Tensor, Tensor, Tensor], steps: int, size: int) -> None:
        self._networks, self._inputs, self.steps, self.size = networks, inputs, steps, size
        torch, device, count = networks.torch, networks.device, networks.count
        words, capitals, _ = inputs
        self._words, self._capitals = (
            torch.empty((steps, count * size * source.shape[1]), dtype=torch.int64, device=device)
            for source in (words, capitals)
        )
        self._wanted, self._found = (torch.empty((steps, count, size, networks.tags), device=device) for _ in range(2))
        self._kept = torch.ones((steps, count, size, networks.settings.hidden), device=device)
        self._batches = list(zip(self._words, self._capitals, self._wanted, self._kept, self._found, strict=True))
        self._graph: Any = None

    def learn(self, order: Tensor, keep: Callable[[Tensor], None]) -> Tensor:
        """Take steps on tokens (steps x networks x size); return the sum of the losses of each network.

        `keep` fills a tensor (steps x networks x tokens x units) with what hidden units are multiplied with.
        """
        steps = len(order)
        words, capitals, tags = self._inputs
        networks = self._networks
        self._words[:steps] = networks.rows(words[order], networks.words).reshape(steps, -1)
        self._capitals[:steps] = networks.rows(capitals[order], networks.capitals).reshape(steps, -1)
        wanted, logarithms = self._wanted[:steps], self._found[:steps]
        wanted.zero_().scatter_(-1, tags[order][..., None], 1)
        if networks.settings.dropout:
            keep(self._kept[:steps])
        if self._graph is not None and steps == self.steps:
            self._graph.replay()
        else:
            self._steps(steps)
            if networks.device.startswith("cuda") and steps == self.steps > 1:
                self._capture()
        return -(wanted * logarithms).view(steps, networks.count, -1).sum((0, 2))

    def _steps(self, steps: int) -> None:
        for batch in self._batches[:steps]:
            self._networks.step(*batch)

    def _capture(self) -> None:
        """Record the steps of a whole block, which is launched as one from now on."""
        cuda = self._networks.torch.cuda
        graph = cuda.CUDAGraph()
        with cuda.graph(graph):
            self._steps(self.steps)
        self._graph = graph
