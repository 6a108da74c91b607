"""Part-of-speech tags for text that has none: a small averaged perceptron that comes with the package.

The one that is shipped was trained on the GENIA corpus of abstracts and writes Penn tags; any other is trained with
`termgauge tagger train`. While one portion of text is tagged, without the GIL, the next is already read and divided.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import polars as pl

from termgauge.corpus.corpus import TaggedBlock
from termgauge.corpus.sentences import add_tokens
from termgauge.corpus.tagged_sentences import read_tagged_sentences
from termgauge.corpus.tagger_file import read_tagger, write_tagger
from termgauge.corpus.tagger_kernel import Weights, slots_for, tag, text_of
from termgauge.corpus.tagger_training import Learned, learn
from termgauge.io.paths import expanded
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.corpus.corpus import DocumentAbout
    from termgauge.corpus.texts import Document

SHIPPED = Path(__file__).with_name("genia-tagger.npz")
_BLOCK_LETTERS = 1 << 20
"""So many letters of text are tagged at a time."""


class Tagged(NamedTuple):
    """A portion of tagged text: tokens, the number of each token's tag and document, and where sentences end."""

    forms: list[str]
    tags: NDArray[np.uint8]
    documents: NDArray[np.int64]
    ends: list[int]
    about: Mapping[int, DocumentAbout]
    """The documents that begin in this portion, by number."""


@dataclass(frozen=True, eq=False)
class Tagger:
    """Gives each word of a sentence its part of speech."""

    learned: Learned
    training: Mapping[str, Any]
    """What it was trained on and how."""
    weights: Weights

    @classmethod
    def of(cls, learned: Learned, training: Mapping[str, Any]) -> Self:
        """Return a tagger that knows what was learned."""
        starts = np.concatenate([[0], np.cumsum(learned.counts, dtype=np.int64)])
        slots = slots_for(learned.keys, len(learned.keys))
        return cls(learned, training, Weights(slots, learned.keys, starts, learned.weight_tags, learned.weights))

    @classmethod
    def load(cls, path: str | os.PathLike[str] | None = None) -> Self:
        """Open a tagger that was trained before; without a path, the one that comes with the package."""
        return cls.of(*read_tagger(SHIPPED if path is None else expanded(path)))

    @classmethod
    def train(cls, paths: Sequence[str | os.PathLike[str]], *, epochs: int = 5, seed: int = 42) -> Self:
        """Train a tagger on files of tagged sentences."""
        given = read_tagged_sentences(paths)
        training = {
            "files": [Path(path).name for path in paths],
            "sentences": len(given.ends),
            "tokens": len(given.forms),
            "epochs": epochs,
            "seed": seed,
        }
        return cls.of(learn(given, epochs=epochs, seed=seed), training)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tagger to a file."""
        write_tagger(expanded(path), self.learned, self.training)

    @property
    def tags(self) -> list[str]:
        """The tags it gives, in code point order."""
        return self.learned.tags

    def about(self) -> dict[str, Any]:
        """Return what it was trained on and how, and which tags it gives."""
        return {"training": dict(self.training), "tags": self.tags}

    def counts(self, numbers: NDArray[np.uint8]) -> dict[str, int]:
        """Return how often each tag was given."""
        counted = np.bincount(numbers, minlength=len(self.tags)).tolist()
        return {tag: count for tag, count in zip(self.tags, counted, strict=True) if count}

    def tag(self, sentences: Iterable[Sequence[str]]) -> list[list[str]]:
        """Return the tags of the tokens of each sentence."""
        divided = [list(sentence) for sentence in sentences]
        ends = np.cumsum([len(sentence) for sentence in divided], dtype=np.int64).tolist()
        numbers = self.numbers([form for sentence in divided for form in sentence], ends)
        names = [self.tags[number] for number in numbers.tolist()]
        return [names[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    def numbers(self, forms: Sequence[str], ends: Sequence[int]) -> NDArray[np.uint8]:
        """Return the numbers of the tags of tokens in a row, of which sentences end at some places."""
        known = self.learned.known
        fixed = np.fromiter((known.get(form, -1) for form in forms), dtype=np.int16, count=len(forms))
        numbers: NDArray[np.uint8] = tag(text_of(forms, ends), fixed, self.weights, len(self.tags))
        return numbers

    def tagged(self, documents: Iterable[Document], *, first: int = 0) -> Iterator[Tagged]:
        """Divide documents into sentences and tokens and tag them, portion by portion; count documents from `first`."""
        with ThreadPool(1) as pool:
            waiting = None
            for portion in _portions(documents, first):
                tagging = pool.submit(self.numbers, portion.forms, portion.ends)
                if waiting is not None:
                    yield waiting[0]._replace(tags=waiting[1].result())
                waiting = portion, tagging
            if waiting is not None:
                yield waiting[0]._replace(tags=waiting[1].result())

    def tag_documents(self, documents: Iterable[Document], *, first: int = 0) -> Iterator[TaggedBlock]:
        """Tag documents, counted from `first`; what comes out is what reading tagged text gives."""
        names = pl.Series("tag", self.tags, dtype=pl.String)
        for portion in self.tagged(documents, first=first):
            tokens = pl.DataFrame({
                "form": pl.Series(portion.forms, dtype=pl.String),
                "tag": names.gather(portion.tags),
                "lemma": pl.repeat(None, len(portion.forms), dtype=pl.String, eager=True),
                "document": portion.documents,
            })  # fmt: skip
            yield TaggedBlock(tokens, portion.about)


def _portions(documents: Iterable[Document], first: int) -> Iterator[Tagged]:
    """Divide documents into tokens, in portions that have no tags yet."""
    number, letters = first - 1, 0
    forms: list[str] = []
    ends: list[int] = []
    counts: dict[int, int] = {}
    about: dict[int, DocumentAbout] = {}
    for document in documents:
        if not document.continues:
            number += 1
            about[number] = document.about
        before = len(forms)
        for paragraph in document.paragraphs:
            letters += len(paragraph)
            add_tokens(paragraph, forms, ends)
        counts[number] = counts.get(number, 0) + len(forms) - before
        if letters >= _BLOCK_LETTERS:
            yield _portion(forms, ends, counts, about)
            letters, forms, ends, counts, about = 0, [], [], {}, {}
    if about or forms:
        yield _portion(forms, ends, counts, about)


def _portion(forms: list[str], ends: list[int], counts: dict[int, int], about: Mapping[int, DocumentAbout]) -> Tagged:
    numbers = np.repeat(np.array(list(counts), dtype=np.int64), list(counts.values()))
    return Tagged(forms, np.empty(0, dtype=np.uint8), numbers, ends, about)
