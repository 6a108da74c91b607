"""The vectors of a term's tokens in the context of the term, for the measures that compare sets of vectors.

A token has another vector in every term, so there is no vocabulary: the vectors of all terms asked for lie one after
the other in a file of the cache that is mapped, and a term is a run of its rows.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol

import numpy as np

from termgauge.embeddings.encoders.encoding import Encoder
from termgauge.embeddings.table_models import WithoutVocabulary
from termgauge.embeddings.tokens import TermWords
from termgauge.exceptions import TermgaugeError
from termgauge.io.identity import sha256_of_value
from termgauge.io.store import cached
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray


TokenMatrix = tuple[list[str], "NDArray[np.float32]"]
"""The tokens of a text, and their vectors."""

NAMESPACE = "token-vectors"


class TokenEncoder(Encoder, Protocol):
    """What makes vectors of the tokens of texts, of the kind ``words``; it loads weights when they are first needed."""

    def token_vectors(self, texts: Sequence[str]) -> list[TokenMatrix]:
        """Return the tokens of each text and their vectors; no text is empty, each has a token."""


class ContextualTokens(WithoutVocabulary):
    """A model of the kind ``words`` whose words are the tokens of a contextual encoder."""

    def __init__(self, encoder: TokenEncoder) -> None:
        self.encoder = encoder
        self.name, self.source, self.identity = encoder.name, encoder.source, encoder.identity

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self.encoder.dimension

    def known(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Say that everything but white space has a vector."""
        return np.fromiter((bool(word.strip()) for word in words), np.bool_, len(words))

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the mean of the token vectors of each word as a term of its own."""
        tokens = self.words_of(words)
        for place in np.flatnonzero(tokens.missing)[:1].tolist():
            raise KeyError(words[place])
        return tokens.means

    def words_of(self, terms: Sequence[str]) -> TermWords:
        """Return the token vectors of many terms; the vectors are a mapped file."""
        texts = [term.encode("utf-8", "replace").decode("utf-8") for term in terms]
        different = sorted({text for text in texts if text.strip()}, key=lambda text: (len(text), text))
        if not different:
            nothing = np.zeros(len(terms) + 1, np.int64)
            empty = np.empty((0, self.dimension), np.float32)
            return TermWords([], empty, nothing, nothing[:0], np.ones(len(terms), np.bool_), [])
        key = sha256_of_value([self.identity.key, different])
        make = lambda folder: self._write(folder, different)  # noqa: E731
        entry = cached(NAMESPACE, key, make, "its vectors are computed again")
        vectors = np.load(entry / "vectors.npy", mmap_mode="r")
        starts = np.load(entry / "starts.npy")
        tokens = json.loads((entry / "tokens.json").read_text(encoding="utf-8"))
        return _arranged(texts, different, tokens, vectors, starts)

    def _write(self, folder: Path, texts: list[str]) -> None:
        """Encode batch by batch into a file that grows, so that memory does not."""
        tokens: list[str] = []
        counts: list[int] = []
        size = max(1, self.encoder.batch_size)
        raw = folder / "vectors.raw"
        with raw.open("wb") as file, track(f"Encoding with {self.name}", total=len(texts), unit="terms") as advance:
            for start in range(0, len(texts), size):
                batch = texts[start : start + size]
                for text, (own, matrix) in zip(batch, self.encoder.token_vectors(batch), strict=True):
                    if not len(own) or not np.isfinite(matrix).all():
                        raise TermgaugeError(f"{self.name}: gave no numbers for '{text}'; the model is damaged.")
                    tokens += own
                    counts.append(len(own))
                    file.write(np.ascontiguousarray(matrix, "<f4").tobytes())
                advance(len(batch))
        rows = np.memmap(raw, "<f4", "r", shape=(len(tokens), self.dimension))
        np.save(folder / "vectors.npy", rows)
        del rows
        raw.unlink()
        np.save(folder / "starts.npy", np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]))
        (folder / "tokens.json").write_text(json.dumps(tokens), encoding="utf-8")


def _arranged(
    texts: list[str], different: list[str], tokens: list[str], vectors: NDArray[np.float32], starts: NDArray[np.int64]
) -> TermWords:
    """Give each term, in the order asked for, the rows of its text."""
    number = {text: at for at, text in enumerate(different)}
    places = [number.get(text, -1) for text in texts]
    counts = [int(starts[place + 1] - starts[place]) if place >= 0 else 0 for place in places]
    indptr = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)
    runs = [np.arange(starts[place], starts[place + 1]) for place in places if place >= 0]
    indices = np.concatenate(runs).astype(np.int64) if runs else np.empty(0, np.int64)
    return TermWords(tokens, vectors, indptr, indices, np.array(counts) == 0, [])
