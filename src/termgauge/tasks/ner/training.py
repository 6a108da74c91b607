"""Training: networks that begin with a model's vectors learn the tags of a corpus, several trials of each.

A trial's seed decides on what it begins with, on the order of tokens and on dropout, and on nothing else: on the CPU a
trial gives the same bytes whichever others are trained beside it. On a GPU all trials are trained at once.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.embeddings.libraries import library
from termgauge.progress import track
from termgauge.similarity.torch_search import chosen_device
from termgauge.tasks.ner.network import Block, Draws, Inputs, Networks, initial_weights, inputs_of
from termgauge.tasks.ner.tags import allowed_in, count_entities, decode
from termgauge.tasks.results import Finite, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from termgauge.tasks.ner.corpus import Corpus
    from termgauge.tasks.ner.network import NetworkSettings
    from termgauge.tasks.ner.vectors import TokenVectors

_CPU_STEPS, _GPU_STEPS = 8, 64
"""Steps that are prepared together: few, so that they stay in the processor's cache; many, as one launch."""


class EpochRecord(Record):
    """One pass over the training tokens."""

    loss: Finite
    """The mean over all tokens, each as it was when its batch was learnt, with dropout."""
    devel_f: Finite
    """F on the part devel after it, as a share, by the profile's decoding; None for a corpus without that part."""
    seconds: float


@dataclass(frozen=True)
class Trial:
    """A network that was trained, by what it says of the part test."""

    seed: int
    log_probabilities: NDArray[np.float32]
    """Of each token of test, the logarithm of the probability of each tag of the corpus."""
    curve: list[EpochRecord]


def train(
    corpus: Corpus, vectors: TokenVectors, settings: NetworkSettings, seeds: Sequence[int], device: str = "auto"
) -> list[Trial]:
    """Train a network for each seed and let it tag the part test.

    The device is ``cpu``, ``cuda``, ``cuda:1``, or ``auto``: a GPU if there is one.
    """
    torch = library("torch", "Training for named entities", "ner")
    chosen = chosen_device(device)
    groups = [[seed] for seed in seeds] if chosen == "cpu" else [list(seeds)]
    label = f"Training with {vectors.model} on {corpus.name}"
    with track(label, total=settings.epochs * len(groups), unit="epochs") as advance, _alone(torch, chosen):
        return [
            trial
            for group in groups
            if group
            for trial in _trained(torch, corpus, vectors, settings, group, chosen, advance)
        ]


_threads_lock = threading.Lock()
_threads = {"trials": 0, "before": 0}


@contextmanager
def _alone(torch: Any, device: str) -> Iterator[None]:  # noqa: ANN401
    """Let a trial on the CPU run on one thread: with batches of 50 more threads are slower, and bytes could differ."""
    if device != "cpu":
        with torch.no_grad():
            yield
        return
    with _threads_lock:
        if not _threads["trials"]:
            _threads["before"] = torch.get_num_threads()
        _threads["trials"] += 1
        torch.set_num_threads(1)
    try:
        with torch.no_grad():
            yield
    finally:
        with _threads_lock:
            _threads["trials"] -= 1
            if not _threads["trials"]:
                torch.set_num_threads(_threads["before"])


def _trained(
    torch: Any,  # noqa: ANN401
    corpus: Corpus,
    vectors: TokenVectors,
    settings: NetworkSettings,
    seeds: list[int],
    device: str,
    advance: Callable[[float], None],
) -> list[Trial]:
    """Train some networks together."""
    weights = [initial_weights(vectors, len(corpus.tags), settings, seed) for seed in seeds]
    networks = Networks(torch, weights, settings, device)
    seen = {name: inputs_of(part.tokens, part.starts, vectors, settings) for name, part in corpus.parts.items()}
    learner = _Learner(networks, seen["train"], corpus.train.tags, seeds)
    devel, allowed = corpus.devel, allowed_in(corpus.train.tags, corpus.train.starts, len(corpus.tags))

    def score(log_probabilities: NDArray[np.float32]) -> float | None:
        """Score the part devel."""
        assert devel is not None
        tags = decode(log_probabilities, devel.starts, settings.decoding, allowed)
        return count_entities(devel.tags, tags, devel.starts, corpus.codes).scores().overall.f

    curves: list[list[EpochRecord]] = [[] for _ in seeds]
    for _ in range(settings.epochs):
        began = time.perf_counter()
        losses = learner.epoch()
        seconds = time.perf_counter() - began
        scores = map(score, networks.log_probabilities(seen["devel"])) if devel else repeat(None)
        for curve, loss, devel_f in zip(curves, losses, scores, strict=False):
            curve.append(EpochRecord(loss=loss, devel_f=devel_f, seconds=round(seconds, 3)))
        advance(1)
    log_probabilities = networks.log_probabilities(seen["test"])
    return [Trial(seed, *rest) for seed, *rest in zip(seeds, log_probabilities, curves, strict=True)]


class _Learner:
    """Goes over the training tokens, in another order each time."""

    def __init__(self, networks: Networks, seen: Inputs, tags: NDArray[np.int32], seeds: Sequence[int]) -> None:
        torch, device = networks.torch, networks.device
        self._networks, self._draws = networks, [Draws(seed) for seed in seeds]
        words, capitals = (torch.as_tensor(array, device=device) for array in (seen.words, seen.capitals))
        inputs = (words, capitals, torch.as_tensor(tags.astype(np.int64), device=device))
        self._count, self._size = len(tags), min(networks.settings.batch, len(tags))
        whole, rest = divmod(self._count, self._size)
        self._steps = min(whole, _CPU_STEPS if device == "cpu" else _GPU_STEPS)
        self._blocks = [Block(networks, inputs, self._steps, self._size)]
        if rest:
            self._blocks.append(Block(networks, inputs, 1, rest))
        self._generator = None if device == "cpu" else torch.Generator(device).manual_seed(seeds[0])

    def epoch(self) -> list[float]:
        """Learn from every token once; return the mean loss of each network."""
        networks = self._networks
        orders = np.stack([draws.order.permutation(self._count) for draws in self._draws])
        order = networks.torch.as_tensor(orders, device=networks.device)
        whole = self._count // self._size
        losses = networks.torch.zeros(networks.count, dtype=networks.torch.float64, device=networks.device)
        for first in range(0, whole, self._steps):
            steps = min(self._steps, whole - first)
            some = order[:, first * self._size : (first + steps) * self._size]
            batches = some.view(networks.count, steps, self._size).transpose(0, 1)
            losses += self._blocks[0].learn(batches, self._keep)
        for block in self._blocks[1:]:
            losses += block.learn(order[None, :, whole * self._size :], self._keep)
        means: list[float] = (losses / self._count).tolist()
        return means

    def _keep(self, into: Any) -> None:  # noqa: ANN401
        """Draw which hidden units are kept, and scale those so that their expected output stays the same."""
        dropped = self._networks.settings.dropout
        if self._generator is not None:
            into.uniform_(generator=self._generator)
        else:
            self._draws[0].dropout.random(out=into.numpy(), dtype=np.float32)
        self._networks.torch.ge(into, dropped, out=into).mul_(1 / (1 - dropped))
