"""Encoding terms with a slow model once: every vector goes to disk as it is made, and is never made again.

An encoder turns a batch of texts into vectors, or into those of their tokens, and knows nothing of files; around it are
the models that the rest of termgauge sees, `CachedTermModel` and `ContextualTokens`. Vectors are kept under the
encoder's whole identity and the text alone, so experiments share them, and another prompt, pooling or checkpoint, being
another identity, never meets old ones.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
import weakref
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from termgauge.embeddings.model import Described, ShowingModel
from termgauge.embeddings.store.encodings import EncodingStore, text_hashes
from termgauge.embeddings.store.vectors import room_for
from termgauge.embeddings.table_models import WithoutVocabulary
from termgauge.embeddings.tokens import TermWords
from termgauge.exceptions import TermgaugeError, warn
from termgauge.executor import current_executor
from termgauge.io.identity import sha256_of_value
from termgauge.io.store import cached, entry_path, sweep
from termgauge.plurals import numbered, plural
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.model import Kind
    from termgauge.embeddings.sending import SharedEncoding
    from termgauge.embeddings.spec import ModelSpec

NAMESPACE = "encodings"
BLOCK_TEXTS = 1 << 11
"""Texts whose lengths are asked for at once."""
LARGE_BYTES = 128 << 20
"""A result larger than this lies in a file that is mapped, not in memory."""


@runtime_checkable
class TextEncoder(Described, Protocol):
    """What makes vectors of texts.

    `identity` (of kind ``terms``) must cover everything that changes a vector: contents of the files, pooling, layer,
    prompt, longest length, normalisation, precision, versions of the libraries. It and `name` are asked for without
    encoding anything: load weights in the first call of `encode_batch` or `dimension`, so that an evaluation whose
    vectors are all on disk never loads them.

    If it has a method `announce`, that is told which texts are about to be encoded, for instance to say what it will
    cost. If it has a method `lengths`, that returns the length of each text before cutting, in tokens (with special
    tokens and prompt), and an attribute `max_length` says how much it takes; otherwise characters are counted.
    """

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""

    @property
    def batch_size(self) -> int:
        """How many texts it is given at once; an encoder on several devices shares them out itself."""

    def encode_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of some texts, in their order; none is empty, and they are alike in length."""


class CachedTermModel(ShowingModel):
    """A `TermModel` around an encoder, whose vectors are kept on disk; as ``float16`` they take half the room.

    Terms without any character but white space have no vector (a row of NaN). Two processes may encode with the same
    model at once; at worst both make the same vectors. Those of an encoder whose identity does not tell all are not
    `kept`: they go away with the model.
    """

    kind: Kind = "terms"
    spec: ModelSpec | None = None
    """What it was opened by; None for a model that others cannot open."""

    def __init__(self, encoder: TextEncoder, store: str = "float32", *, kept: bool = True) -> None:
        self.encoder = encoder
        self.name, self.source = encoder.name, encoder.source
        options = dict(encoder.identity.options) | {"store": store}
        self.identity = replace(encoder.identity, options=tuple(sorted(options.items())))
        folder = entry_path(NAMESPACE, self.identity.key) if kept else Path(tempfile.mkdtemp(prefix="termgauge-"))
        self._store = EncodingStore(folder, store, self.identity.as_dict())
        if not kept:  # for as long as a model, or a copy of it, has the store
            weakref.finalize(self._store, shutil.rmtree, folder, ignore_errors=True)
        self._told_of_cut = False
        self._longest: int | None = None
        """The most that the encoder takes, once a worker has said it."""
        self._measuring: Any = encoder if hasattr(encoder, "lengths") else None

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        if self._store.dimension is None:
            self._store.refresh()
        return self._store.dimension or self.encoder.dimension

    def encode(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector of each term, NaN for an empty one; only what was never asked for before is computed.

        A large result is a mapped temporary file.
        """
        texts = [term.encode("utf-8", "replace").decode("utf-8") for term in terms]
        full = np.fromiter((bool(text.strip()) for text in texts), np.bool_, len(texts))
        hashes, first, inverse = np.unique(text_hashes(texts)[full], return_index=True, return_inverse=True)
        where = np.flatnonzero(full)
        places = self._places(hashes, [texts[at] for at in where[first].tolist()])
        result = room_for((len(texts), self.dimension), np.float32, LARGE_BYTES)
        result[~full] = np.nan
        self._store.gather(places[inverse], result, where)
        cut = int(self._store.cut(places).sum())
        if cut and not self._told_of_cut:
            self._told_of_cut = True
            longest = self._longest or (self._measuring.max_length if self._measuring else None)
            than = f"the {longest:,} tokens that it takes" if longest else "what it takes"
            warn_of_cut(self.name, cut, len(places), than)
        return result

    def _places(self, hashes: NDArray[np.bytes_], texts: list[str]) -> NDArray[np.int64]:
        """Return where the vectors of some texts are in the store, once they are all there and sound."""
        for _ in range(2):  # what was damaged is made again
            self._store.refresh()
            missing = self._store.find(hashes) < 0
            if missing.any():
                self._encode([texts[at] for at in np.flatnonzero(missing).tolist()])
                self._store.refresh()
            places = self._store.find(hashes)
            if (places < 0).any():
                break
            if self._store.sound(places):
                return places
        raise TermgaugeError(f"{self.name}: vectors were deleted from the cache meanwhile; run the command again.")

    def _encode(self, texts: list[str]) -> None:
        sweep(f"{NAMESPACE}/{self.identity.key}")
        if hasattr(self.encoder, "announce"):
            self.encoder.announce(texts)
        shared: SharedEncoding | None = None
        if (executor := current_executor()) is not None:
            from termgauge.embeddings.sending import SharedEncoding

            shared = SharedEncoding.from_model(self, len(texts), executor)
        lengths, self._longest = self._measured(texts, shared)
        batches = batches_of(texts, lengths, self._longest, max(1, self.encoder.batch_size))
        with track(f"Encoding with {self.name}", total=len(texts), unit="terms") as advance:
            dimension = self._store.dimension
            parts = shared.encode(batches, dimension) if shared else encoded(self.encoder, batches, dimension)
            for rows in keep(self._store, parts):
                advance(rows)

    def _measured(self, texts: list[str], shared: SharedEncoding | None) -> tuple[NDArray[np.int64], int | None]:
        """Return the length of each text, and the most that the encoder takes."""
        if self._measuring is None:
            return np.fromiter((len(text) for text in texts), np.int64, len(texts)), None
        if shared is not None:  # this machine need not be able to open the encoder
            return shared.measured(texts)
        parts = [self._measuring.lengths(texts[at : at + BLOCK_TEXTS]) for at in range(0, len(texts), BLOCK_TEXTS)]
        return np.concatenate([np.array(part, np.int64) for part in parts]), self._measuring.max_length


def warn_of_cut(name: str, cut: int, terms: int, longest: str) -> None:
    """Warn that some terms were longer than a model takes."""
    warn(
        f"{name}: {cut:,} of {numbered(terms, 'term')} {plural(cut, 'is', 'are')} longer than {longest}, and "
        f"{plural(cut, 'was', 'were')} cut there."
    )


CHUNK_ROWS = 4096
CHUNK_SECONDS = 20.0
"""A chunk is written when it has so many rows or took so long: a killed process loses no more than that."""


class Batch(NamedTuple):
    """Texts that are encoded together."""

    texts: list[str]
    cut: NDArray[np.bool_]
    """Which of them are longer than the encoder takes."""


def batches_of(
    texts: Sequence[str], lengths: NDArray[np.int64], longest: int | None, batch_size: int
) -> Iterator[Batch]:
    """Share texts out to batches of alike lengths.

    The longest go first: what does not fit into memory fails at once, and the time left is not underestimated.
    """
    order = np.argsort(-lengths, kind="stable")
    for start in range(0, len(order), batch_size):
        some = order[start : start + batch_size]
        cut = lengths[some] > longest if longest else np.zeros(len(some), np.bool_)
        yield Batch([texts[at] for at in some.tolist()], cut)


Part = tuple["NDArray[np.bytes_]", "NDArray[np.float32]", "NDArray[np.bool_]"]
"""What is kept of some texts: their hashes, their vectors, and which were cut."""


def encoded(encoder: TextEncoder, batches: Iterable[Batch], dimension: int | None) -> Iterator[Part]:
    """Yield what is kept of batches; their vectors have as many numbers as those that are known, if any."""
    for batch in batches:
        vectors = checked_vectors(encoder.name, batch.texts, encoder.encode_batch(batch.texts), dimension)
        dimension = vectors.shape[1]
        yield text_hashes(batch.texts), vectors, batch.cut


def checked_vectors(
    name: str, texts: Sequence[str], vectors: NDArray[np.float32], dimension: int | None = None
) -> NDArray[np.float32]:
    """Return the vectors that an encoder made of some texts, if there is a finite one for each, as long as others."""
    if vectors.ndim != 2 or len(vectors) != len(texts):
        raise TermgaugeError(f"{name}: gave {len(vectors):,} vectors for {len(texts):,} terms.")
    if dimension is not None and vectors.shape[1] != dimension:
        raise TermgaugeError(
            f"{name}: gave a vector of {vectors.shape[1]:,} numbers for '{texts[0]}' after vectors of "
            f"{dimension:,}; the model behind it is not the one it was."
        )
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise TermgaugeError(
            f"{name}: gave a vector that holds NaN or infinity for '{texts[int(bad[0])]}' "
            f"({len(bad):,} of {len(texts):,} terms of this batch); the model is damaged or its precision too low."
        )
    return vectors


def joined(parts: Sequence[Part]) -> Part:
    """Put parts after one another."""
    hashes, vectors, cut = zip(*parts, strict=True)
    return np.concatenate(hashes), np.concatenate(vectors), np.concatenate(cut)


def keep(store: EncodingStore, parts: Iterable[Part]) -> Iterator[int]:
    """Write parts to a store in chunks, and yield how many vectors came; whatever goes wrong, they were paid for."""
    waiting: list[Part] = []
    began = time.monotonic()
    try:
        for part in parts:
            waiting.append(part)
            if sum(len(hashes) for hashes, _, _ in waiting) >= CHUNK_ROWS or time.monotonic() - began >= CHUNK_SECONDS:
                store.add(*joined(waiting))
                waiting, began = [], time.monotonic()
            yield len(part[0])
    finally:
        if waiting:
            store.add(*joined(waiting))


TokenMatrix = tuple[list[str], "NDArray[np.float32]"]
"""The tokens of a text, and their vectors."""
WORD_NAMESPACE = "token-vectors"


class ContextualTokens(WithoutVocabulary):
    """A model of the kind ``words`` whose words are the tokens of a contextual encoder.

    Beside what every encoder has, it has ``token_vectors(texts)``, which returns a `TokenMatrix` of each text: none is
    empty, and each has a token.
    A token has another vector in every term, so there is no vocabulary: the vectors of all terms asked for lie one
    after the other in a file of the cache that is mapped, and a term is a run of its rows.
    """

    def __init__(self, encoder: Any) -> None:  # noqa: ANN401
        self.encoder = encoder
        self.name, self.source, self.identity = encoder.name, encoder.source, encoder.identity

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return int(self.encoder.dimension)

    def known(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Say that everything but white space has a vector."""
        return np.fromiter((bool(word.strip()) for word in words), np.bool_, len(words))

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the mean of the token vectors of each word as a term of its own."""
        tokens = self.words_of(words)
        for index in np.flatnonzero(tokens.missing)[:1].tolist():
            raise KeyError(words[index])
        return tokens.means

    def words_of(self, terms: Sequence[str]) -> TermWords:
        """Return the token vectors of many terms; the vectors are a mapped file."""
        texts = [term.encode("utf-8", "replace").decode("utf-8") for term in terms]
        different = sorted({text for text in texts if text.strip()}, key=lambda text: (len(text), text))
        tokens, vectors, starts = self._encoded(different)
        number = {text: at for at, text in enumerate(different)}
        places = [number.get(text, -1) for text in texts]
        counts = [int(starts[index + 1] - starts[index]) if index >= 0 else 0 for index in places]
        indptr = np.cumsum([0, *counts], dtype=np.int64)
        runs = [np.arange(starts[index], starts[index + 1]) for index in places if index >= 0]
        indices = np.concatenate([np.empty(0, np.int64), *runs])
        return TermWords(tokens, vectors, indptr, indices, np.array(counts) == 0, [])

    def _encoded(self, texts: list[str]) -> tuple[list[str], NDArray[np.float32], NDArray[np.int64]]:
        """Return the tokens of different texts one after the other, their vectors, and where each text begins."""
        if not texts:
            return [], np.empty((0, self.dimension), np.float32), np.zeros(1, np.int64)
        key = sha256_of_value([self.identity.key, texts, "raw"])
        entry = cached(WORD_NAMESPACE, key, lambda folder: self._write(folder, texts), "its vectors are computed again")
        tokens = json.loads((entry / "tokens.json").read_text(encoding="utf-8"))
        vectors = np.memmap(entry / "vectors.f4", "<f4", "r").reshape(len(tokens), -1)
        return tokens, vectors, np.load(entry / "starts.npy")

    def _write(self, folder: Path, texts: list[str]) -> None:
        """Encode batch by batch into a file that grows, so that memory does not."""
        tokens: list[str] = []
        starts = [0]
        size = max(1, self.encoder.batch_size)
        with (
            (folder / "vectors.f4").open("wb") as file,
            track(f"Encoding with {self.name}", total=len(texts), unit="terms") as advance,
        ):
            for start in range(0, len(texts), size):
                batch = texts[start : start + size]
                for text, (words, matrix) in zip(batch, self.encoder.token_vectors(batch), strict=True):
                    if not len(words) or not np.isfinite(matrix).all():
                        raise TermgaugeError(f"{self.name}: gave no numbers for '{text}'; the model is damaged.")
                    tokens += words
                    starts.append(len(tokens))
                    file.write(np.ascontiguousarray(matrix, "<f4").tobytes())
                advance(len(batch))
        np.save(folder / "starts.npy", np.array(starts, np.int64))
        (folder / "tokens.json").write_text(json.dumps(tokens), encoding="utf-8")


def open_encoder(encoder: Callable[[ModelSpec], Any], spec: ModelSpec) -> CachedTermModel | ContextualTokens:
    """Put a model around the encoder of a spec: of terms, or of their tokens if it asks for these."""
    made = encoder(spec)  # its weights are read when the first term is encoded
    of_tokens = "tokens" in spec.declared.options and spec.flag("tokens")
    return ContextualTokens(made) if of_tokens else CachedTermModel(made, spec.text("store"))
