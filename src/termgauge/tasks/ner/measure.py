"""Trials of a model on a corpus: a network is trained for each, and what it says of the test sentences is kept.

The tags that each decoding gives are kept, packed, and not the scores: so a change of decoding, of tests or of the
number of trials trains nothing again.
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import asdict
from itertools import chain, groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.embeddings.libraries import library
from termgauge.tasks.ner.network import NetworkSettings
from termgauge.tasks.ner.tags import DECODINGS, allowed_in, count_entities, decode
from termgauge.tasks.ner.training import EpochRecord, device_named, train
from termgauge.tasks.ner.vectors import token_vectors
from termgauge.tasks.results import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.model import Model
    from termgauge.tasks.ner.corpus import Corpus
    from termgauge.tasks.ner.tags import Counts, Decoding
    from termgauge.tasks.ner.task import NerOptions
    from termgauge.tasks.ner.training import Trial
    from termgauge.tasks.ner.vectors import TokenVectors


class TrialRecord(Record):
    """A network that was trained, by the tags that it gives the test sentences."""

    corpus: str
    """The hash of what it was trained and tested on."""
    seed: int
    vocabulary: float
    """Which share of the test tokens has a vector."""
    note: str
    """How vectors of tokens were made, where that is not plain."""
    device: str
    tags: dict[str, str]
    """By decoding, the numbers of the test tokens' tags, packed."""
    curve: list[EpochRecord]

    def counts(self, corpus: Corpus, decoding: Decoding) -> Counts:
        """Return how many entities are right, predicted and there, in each test sentence."""
        return count_entities(corpus.test.tags, unpacked(self.tags[decoding]), corpus.test.starts, corpus.codes)


class ModelTrials(Record):
    """All trials of a model, or some."""

    trials: list[TrialRecord]

    def on(self, corpus: Corpus) -> list[TrialRecord]:
        """Return those on a corpus."""
        return [trial for trial in self.trials if trial.corpus == corpus.sha256]


class Part(NamedTuple):
    """A trial on a corpus, which is a unit of work."""

    corpus: str
    seed: int


def settings_of(options: NerOptions) -> NetworkSettings:
    """Return what the network is; curves are scored by the profile's own decoding, whichever is asked for."""
    return NetworkSettings.of(options.profile, epochs=options.epochs, frozen=options.frozen)


def made_from(corpus: Corpus, seed: int, options: NerOptions) -> list[object]:
    """Return what a trial is made from, the model aside."""
    return [corpus.sha256, seed, asdict(settings_of(options)), options.max_words]


def trials_of(
    model: Model, corpora: Mapping[str, Corpus], parts: Sequence[Part], options: NerOptions
) -> Iterator[TrialRecord]:
    """Train a network for each part, those of a corpus together where there is a GPU, and yield what each says."""
    device = _device(options.device)
    for name, group in groupby(parts, lambda part: part.corpus):
        corpus, seeds = corpora[name], [part.seed for part in group]
        tokens = chain.from_iterable(part.tokens for part in corpus.parts.values())
        vectors = token_vectors(model, tokens, options.max_words)
        for some in [[seed] for seed in seeds] if device == "cpu" else [seeds]:
            for trial in train(corpus, vectors, settings_of(options), some, device):
                yield _record(corpus, vectors, trial, device)


def _device(device: str) -> str:
    """Return where networks are trained; without torch, say how to get it."""
    return device_named(device, library("torch", "Training for named entities", "ner"))


def _record(corpus: Corpus, vectors: TokenVectors, trial: Trial, device: str) -> TrialRecord:
    test, train_part = corpus.test, corpus.train
    allowed = allowed_in(train_part.tags, train_part.starts, len(corpus.tags))
    predictions = {decoding: decode(trial.log_probabilities, test.starts, decoding, allowed) for decoding in DECODINGS}
    return TrialRecord(
        corpus=corpus.sha256,
        seed=trial.seed,
        vocabulary=vectors.share_known(test.tokens),
        note=vectors.note,
        device=device,
        tags={decoding: packed(tags) for decoding, tags in predictions.items()},
        curve=trial.curve,
    )


def packed(numbers: NDArray[np.int32]) -> str:
    """Return numbers as a short text."""
    return base64.b85encode(zlib.compress(numbers.astype("<u2").tobytes(), 9)).decode("ascii")


def unpacked(text: str) -> NDArray[np.int32]:
    """Return the numbers of a short text."""
    return np.frombuffer(zlib.decompress(base64.b85decode(text)), "<u2").astype(np.int32)
