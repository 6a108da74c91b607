"""Encoders that a test can watch and spoil."""

from __future__ import annotations

import hashlib

import numpy as np

from termgauge.embeddings.model import ModelIdentity


def vector_of(text, dimension=6):
    """Return numbers that depend on the text alone."""
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "little")
    return np.random.default_rng(seed).normal(size=dimension).astype(np.float32)


class CountingEncoder:
    """Remembers what it was asked, and fails when told to."""

    name, source = "counting", "made up"

    def __init__(self, dimension=6, batch_size=4, fail_after=None, identity=None, spoil=None):
        self.dimension, self.batch_size = dimension, batch_size
        self.identity = identity or ModelIdentity("terms", "counting", "v1", (("pooling", "mean"),))
        self.fail_after, self.spoil = fail_after, spoil
        self.batches = []

    @property
    def asked(self):
        return [text for batch in self.batches for text in batch]

    def encode_batch(self, texts):
        if self.fail_after is not None and len(self.batches) >= self.fail_after:
            raise KeyboardInterrupt
        self.batches.append(list(texts))
        vectors = np.vstack([vector_of(text, self.dimension) for text in texts])
        return self.spoil(vectors, len(self.batches)) if self.spoil else vectors


class MeasuringCounter(CountingEncoder):
    """Counts words, and takes three."""

    max_length = 3

    def lengths(self, texts):
        return [len(text.split()) for text in texts]
