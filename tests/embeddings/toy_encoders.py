"""Encoders that a test can watch and spoil."""

from __future__ import annotations

import hashlib

import numpy as np

from termgauge.embeddings.encoders.encoding import CachedTermModel
from termgauge.embeddings.model import ModelIdentity
from termgauge.embeddings.schemes import DEVICE, STORE, Option, Scheme
from termgauge.embeddings.spec import place_of
from termgauge.exceptions import TermgaugeError


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


class CompanyEncoder(MeasuringCounter):
    """Gives a text another vector in another batch, as rounding does, and says what it was asked."""

    def __init__(self, name, batch_size, identity):
        super().__init__(batch_size=batch_size, identity=identity)
        self.name = name

    def encode_batch(self, texts):
        if any("spoilt" in text for text in texts):
            raise TermgaugeError(f"{self.name}: cannot encode that.")
        return super().encode_batch(texts) + vector_of("|".join(texts))


def company_scheme(opened, **more):
    """Return a scheme of encoders that are added to a list when they are opened; their version is in a file."""

    def load(spec):
        version = place_of(spec).read_text()
        identity = ModelIdentity(
            "terms", "company", hashlib.sha256(version.encode()).hexdigest(), libraries=(("toy", spec.text("toy")),)
        )
        encoder = CompanyEncoder(spec.name, spec.integer("batch"), identity)
        opened.append(encoder)
        return CachedTermModel(encoder, spec.text("store"))

    options = {
        "batch": Option("Texts in a batch.", "integer", "4"),
        "device": DEVICE,
        "store": STORE,
        "toy": Option("Version of the library.", "text", "1"),
    }
    return Scheme("company", "toys", ("terms",), load, {**options, **more})
