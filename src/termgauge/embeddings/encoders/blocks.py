"""Encoding at an executor: runs of whole batches are blocks, whose vectors come back through the store.

The batches are those that one machine would make, so the vectors are the same. A worker opens the model by its spec
and encodes only if it is the same model there, to the versions of the libraries. Where it sees the folder of the store,
it writes the vectors there itself; elsewhere it returns them.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, cast

import numpy as np

from termgauge.embeddings.encoders.encoding import Chunk, encoded, joined, part_of
from termgauge.embeddings.load import load_model
from termgauge.embeddings.sending import ModelArtifacts, model_artifacts, relocated
from termgauge.executor import RetryElsewhereError, in_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.encoders.encoding import Batch, CachedTermModel, MeasuringEncoder, Part
    from termgauge.embeddings.model import ModelIdentity
    from termgauge.embeddings.spec import ModelSpec
    from termgauge.embeddings.store.encodings import EncodingStore, MarkedStore
    from termgauge.executor import JobExecutor

BLOCK_SECONDS = 10
"""About how long a block takes without a GPU."""
USUAL_RATE = 200
"""Terms a second where a scheme does not say."""
GPU_TEXTS = 1 << 13
"""In a block for a GPU."""
MEASURED_TEXTS = 1 << 14
"""Whose lengths are asked for in a block."""

_alone = Lock()
"""Encoders use all cores of a worker themselves, and are not made for several threads."""


@dataclass(frozen=True)
class SentModel:
    """A model as a worker opens it."""

    spec: ModelSpec
    identity: ModelIdentity
    artifacts: ModelArtifacts


def encode_block(model: SentModel, store: MarkedStore, batches: list[Batch], dimension: int | None) -> int | Part:
    """Encode some batches; return how many vectors went to the store, or them if it is not to be seen from here."""
    with _alone:
        made = encoded(_opened(model).encoder, batches, dimension)
        home = store.here()
        if home is None:
            return joined([part_of(batch, vectors) for batch, vectors in made])
        with Chunk(home) as chunk:
            for batch, vectors in made:
                chunk.add(part_of(batch, vectors))
        return sum(len(batch.texts) for batch in batches)


def measure_block(model: SentModel, texts: Sequence[str]) -> tuple[NDArray[np.int64], int | None]:
    """Return how long some texts are to an encoder, and the most that it takes."""
    with _alone:
        encoder = cast("MeasuringEncoder", _opened(model).encoder)
        return np.array(encoder.lengths(texts), np.int64), encoder.max_length


@lru_cache(maxsize=1)
def _opened(sent: SentModel) -> CachedTermModel:
    model = cast("CachedTermModel", load_model(relocated(sent.spec, sent.artifacts)))
    if model.identity.key == sent.identity.key:
        return model
    wanted, there = dict(sent.identity.libraries), dict(model.identity.libraries)
    other = [
        f"{name} {there.get(name, 'not at all')} instead of {wanted.get(name, 'none')}"
        for name in sorted(wanted | there)
        if there.get(name) != wanted.get(name)
    ]
    what, advice = "finds other files under this name", "give it the same files"
    if other:
        what, advice = f"has {', '.join(other)}", "install the same versions there"
    raise RetryElsewhereError(
        f"{sent.spec.name}: the worker on {platform.node()} {what} and would make other vectors; {advice}."
    )


@dataclass(frozen=True)
class SharedEncoding:
    """The encoding of some texts with a model at an executor."""

    executor: JobExecutor
    sent: SentModel
    gpu: bool
    """Whether it runs on a GPU."""
    batches: int
    """In a block."""

    @classmethod
    def from_model(cls, model: CachedTermModel, texts: int, executor: JobExecutor) -> SharedEncoding | None:
        """Share so many texts out, if the executor can open the model and there is something to share out.

        A service is asked from here: it is another machine already, and the key to it stays on this one.
        """
        if model.spec is None or any(option.names_variable for option in model.spec.declared.options.values()):
            return None
        size, declared = max(1, model.encoder.batch_size), model.spec.declared
        gpu = "device" in declared.options and not model.spec.text("device").startswith("cpu")
        on_gpu = gpu and executor.gpus > 0
        # A block takes some seconds, and there are two at least for everybody.
        workers = executor.gpus if on_gpu else executor.slots
        most = GPU_TEXTS if on_gpu else BLOCK_SECONDS * (declared.terms_per_second or USUAL_RATE)
        batches = max(1, min(most, texts // (2 * max(1, workers))) // size)
        if texts <= batches * size and not on_gpu:
            return None
        spec = replace(model.spec, given_name=model.name)
        return cls(executor, SentModel(spec, model.identity, model_artifacts(spec, executor.artifact)), gpu, batches)

    def measured(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], int | None]:
        """Return the length of each text, and the most that the encoder takes."""
        blocks = ((self.sent, texts[start : start + MEASURED_TEXTS]) for start in range(0, len(texts), MEASURED_TEXTS))
        done = self.executor.map(
            measure_block, blocks, label="lengths of texts", inputs=[*self.sent.artifacts], gpu=self.gpu
        )
        parts = list(in_order(done))
        return np.concatenate([lengths for lengths, _ in parts]), parts[0][1]

    def encode(self, batches: Iterable[Batch], store: EncodingStore) -> Iterator[int]:
        """Encode batches into a store, and yield how many vectors came."""
        rest = iter(batches)
        runs = iter(lambda: list(islice(rest, self.batches)), [])
        with store.marked() as marked, Chunk(store) as chunk:
            blocks = ((self.sent, marked, some, store.dimension) for some in runs)
            for done in self.executor.map(
                encode_block, blocks, label="encoding", inputs=[*self.sent.artifacts], gpu=self.gpu
            ):
                value = done.result()
                if not isinstance(value, int):
                    chunk.add(value)
                    value = len(value[0])
                yield value
