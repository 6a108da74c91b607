"""Training for named entities: termgauge's steps against a plain PyTorch loop, memory with many words, time on a GPU.

``python -m benchmarks ner`` trains on a made-up corpus of the size of AnatEM (153,823 tokens for training): how long a
step takes does not depend on what the tokens are. The plain loop has a DataLoader, nn.Embedding with sparse gradients,
automatic differentiation and torch's SGD. Where a GPU is at hand, nine models are trained on two corpora, three trials
each. It needs ``termgauge[ner]``.
"""

from __future__ import annotations

import os
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measure import Row, below, measured, noted, peak_mb, print_table, quick
from termgauge.tasks.ner.corpus import Corpus, Sentences
from termgauge.tasks.ner.network import WINDOW, Draws, NetworkSettings, initial_weights, inputs_of
from termgauge.tasks.ner.vectors import TokenVectors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

TAGS = ("O", "S-x", "B-x", "I-x", "E-x")
SIZES = {"AnatEM": (153_823, 58_785, 99_976), "BC2GM": (355_405, 71_042, 143_465)}
"""Tokens of train, devel and test."""
WORDS, DIMENSION = 15_000, 100
MANY_WORDS, MANY_DIMENSION, MEMORY_MB = 2_000_000, 200, 2_000
MODELS, TRIALS, EPOCHS, GPU_SECONDS = 9, 3, 20, 300
IMPORTS = ("torch", "termgauge.tasks.ner.training", "termgauge.tasks.ner.tags", "termgauge.embeddings.load")


def main() -> None:
    """Measure, and print a table."""
    if find_spec("torch") is None:
        print("ner: left out, since torch is not installed.")
        return
    print_table("Training for named entities", list(_rows()), theirs="plain PyTorch loop")


def _rows() -> Iterator[Row]:
    share, epochs = (0.02, 1) if quick() else (1.0, 2)
    for profile in ("paper", "code"):
        plain = [
            measured("benchmarks.ner:train_plainly", profile, share, epochs, threads, imports=IMPORTS)
            for threads in (0, 1)
        ]
        ours = measured("benchmarks.ner:train_ours", profile, share, epochs, imports=IMPORTS)
        best = min(plain, key=lambda run: run.result)
        ratio = best.result / ours.result
        yield Row(
            f"{profile}: an epoch of AnatEM's size, one trial",
            f"{ours.result:.2f} s, {ours.peak_mb:,.0f} MB",
            f"{best.result:.2f} s, {best.peak_mb:,.0f} MB",
            ratio,
            "≥ 2 ×",
            ratio >= 2,
        )
        yield noted(f"{profile}: the plain loop with as many threads as torch takes", "", f"{plain[0].result:.2f} s")
    words = 20_000 if quick() else MANY_WORDS
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "many.bin")
        write_vectors(file, words, MANY_DIMENSION)
        memory = measured("benchmarks.ner:train_with_many_words", str(file), str(Path(place, "cache")), imports=IMPORTS)
    yield below(f"memory with {words:,} words x {MANY_DIMENSION} in the vector file", memory.peak_mb, MEMORY_MB, "MB")
    if gpu():
        seconds = measured("benchmarks.ner:train_on_gpu", 1 if quick() else EPOCHS, imports=IMPORTS).result
        what = f"GPU: {MODELS} models, {len(SIZES)} corpora, {TRIALS} trials, {EPOCHS} epochs"
        yield below(what, seconds, GPU_SECONDS, "s")
    else:
        yield noted("GPU", "left out, since torch sees none")


def gpu() -> bool:
    """Say whether torch sees a GPU."""
    import torch

    return bool(torch.cuda.is_available())


def corpus_of(name: str, share: float = 1.0, seed: int = 1, sentence: int = 25) -> Corpus:
    """Make a corpus of the size of a real one, or of a share of it; a word's tag depends on the word."""
    generator = np.random.default_rng(seed)
    tag_of = np.where(generator.random(WORDS) < 0.8, 0, generator.integers(0, len(TAGS), WORDS)).astype(np.int32)

    def part(count: int) -> Sentences:
        count = max(2 * sentence, int(count * share))
        numbers = np.minimum(generator.zipf(1.3, count) - 1, WORDS - 1)
        starts = np.append(np.arange(0, count, sentence), count)
        return Sentences([f"w{number}" for number in numbers.tolist()], starts, tag_of[numbers])

    train, devel, test = (part(count) for count in SIZES[name])
    return Corpus(name, train, devel, test, ("x",), TAGS, "", ())


def vectors_of(dimension: int = DIMENSION, seed: int = 1) -> TokenVectors:
    """Make vectors of all words of such a corpus; UNKNOWN and PADDING are to be drawn."""
    rows = np.random.default_rng(seed).normal(0, 0.3, (WORDS + 2, dimension)).astype(np.float32)
    rows[-2:] = np.nan
    return TokenVectors("made-up", rows, {f"w{number}": number for number in range(WORDS)})


def write_vectors(file: Path, words: int, dimension: int) -> None:
    """Write a word2vec file of many words, those of the corpus among them."""
    generator = np.random.default_rng(1)
    with file.open("wb") as stream:
        stream.write(f"{words} {dimension}\n".encode())
        for number in range(words):
            stream.write(f"w{number} ".encode() + generator.random(dimension, np.float32).tobytes())


def train_ours(profile: str, share: float, epochs: int) -> float:
    """Train a trial; return the seconds of an epoch."""
    from termgauge.tasks.ner.training import train

    corpus, vectors, settings = corpus_of("AnatEM", share), vectors_of(), NetworkSettings.of(profile, epochs=epochs)  # type: ignore[arg-type]
    train(corpus_of("AnatEM", 0.01), vectors, settings, [1], "cpu")  # compiled code is loaded
    trial = train(corpus, vectors, settings, [1], "cpu")[0]
    return min(epoch.seconds for epoch in trial.curve)


def train_plainly(profile: str, share: float, epochs: int, threads: int) -> float:
    """Train with a plain loop; return the seconds of an epoch. No threads: as many as torch takes."""
    import torch

    if threads:
        torch.set_num_threads(threads)
    settings = NetworkSettings.of(profile, epochs=epochs)  # type: ignore[arg-type]
    _, seconds, _ = plain_loop(corpus_of("AnatEM", share), vectors_of(), settings, 1)
    return min(seconds)


def train_with_many_words(file: str, cache: str) -> float:
    """Open a file of many words, take the vectors of a corpus and train on it."""
    os.environ["TERMGAUGE_CACHE_DIR"] = cache
    from termgauge.embeddings.load import load_model
    from termgauge.tasks.ner.training import train
    from termgauge.tasks.ner.vectors import token_vectors

    corpus = corpus_of("AnatEM")
    vectors = token_vectors(load_model(file), [token for part in corpus.parts.values() for token in part.tokens])
    train(corpus, vectors, NetworkSettings.of("code", epochs=1), [1], "cpu")
    return peak_mb()


def train_on_gpu(epochs: int) -> float:
    """Train nine models on two corpora, three trials each; return the seconds."""
    from termgauge.tasks.ner.training import train

    began = time.perf_counter()
    for name in SIZES:
        corpus = corpus_of(name)
        for seed in range(MODELS):
            train(corpus, vectors_of(seed=seed), NetworkSettings.of("code", epochs=epochs), range(TRIALS), "cuda")
    return time.perf_counter() - began


def plain_loop(
    corpus: Corpus, vectors: TokenVectors, settings: NetworkSettings, seed: int, draws: Draws | None = None
) -> tuple[list[float], list[float], NDArray[np.float32]]:
    """Train a network as one would write it down; return losses, seconds of epochs and what it says of test.

    With `draws`, tokens come in the order, and units are dropped, that these say; else torch draws.
    """
    from torch.utils.data import DataLoader, TensorDataset

    import torch

    torch.manual_seed(seed)
    model = _plain_network(torch, vectors, len(corpus.tags), settings, seed, draws)
    seen = {name: inputs_of(part.tokens, part.starts, vectors, settings) for name, part in corpus.parts.items()}
    tensors = {name: (torch.as_tensor(part.words), torch.as_tensor(part.capitals)) for name, part in seen.items()}
    examples = TensorDataset(*tensors["train"], torch.as_tensor(corpus.train.tags.astype(np.int64)))
    learnt = [each for each in model.parameters() if each.requires_grad]
    optimizer = torch.optim.SGD(learnt, settings.learning_rate)
    lossfunction = torch.nn.CrossEntropyLoss()
    losses, seconds = [], []
    for _ in range(settings.epochs):
        began, total = time.perf_counter(), 0.0
        order = None if draws is None else draws.order.permutation(len(examples)).tolist()
        for words, capitals, tags in DataLoader(examples, settings.batch, shuffle=order is None, sampler=order):
            optimizer.zero_grad()
            loss = lossfunction(model(words, capitals), tags)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(tags)
        losses.append(total / len(examples))
        seconds.append(time.perf_counter() - began)
    model.eval()
    with torch.no_grad():
        return losses, seconds, torch.log_softmax(model(*tensors["test"]), -1).numpy()


def _plain_network(
    torch: Any,  # noqa: ANN401
    vectors: TokenVectors,
    tags: int,
    settings: NetworkSettings,
    seed: int,
    draws: Draws | None,
) -> Any:  # noqa: ANN401
    begin = initial_weights(vectors, tags, settings, seed)

    class Drawn(torch.nn.Module):  # type: ignore[misc]
        """Dropout that is drawn as termgauge draws it."""

        def forward(self, hidden: Any) -> Any:  # noqa: ANN401
            if not self.training or draws is None:
                return hidden
            kept = draws.dropout.random(tuple(hidden.shape), np.float32) >= np.float32(settings.dropout)
            return hidden * torch.from_numpy(kept) / (1 - settings.dropout)

    class Plain(torch.nn.Module):  # type: ignore[misc]
        """The network as one would write it down."""

        def __init__(self) -> None:
            super().__init__()
            given = torch.nn.Embedding.from_pretrained
            self.words = given(torch.tensor(begin.words), freeze=settings.frozen, sparse=True)
            self.capitals = given(torch.tensor(begin.capitals), freeze=not settings.capitals, sparse=True)
            self.hidden = torch.nn.Linear(WINDOW * (vectors.dimension + begin.capitals.shape[1]), settings.hidden)
            self.activation = torch.nn.ReLU() if settings.activation == "relu" else torch.nn.Hardtanh()
            self.dropout = torch.nn.Dropout(settings.dropout) if draws is None else Drawn()
            self.output = torch.nn.Linear(settings.hidden, tags)
            with torch.no_grad():
                self.hidden.weight.copy_(torch.tensor(begin.hidden.T))
                self.output.weight.copy_(torch.tensor(begin.output))
                self.hidden.bias.zero_()
                self.output.bias.zero_()

        def forward(self, words: Any, capitals: Any) -> Any:  # noqa: ANN401
            window = self.words(words)
            if settings.capitals:
                window = torch.cat([window, self.capitals(capitals)], -1)
            return self.output(self.dropout(self.activation(self.hidden(window.flatten(1)))))

    return Plain()
