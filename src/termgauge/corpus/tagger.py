"""Part-of-speech tags for text that has none: a small averaged perceptron that comes with the package.

The one that is shipped was trained on the GENIA corpus of abstracts and writes Penn tags; any other is trained with
`termgauge tagger train` and kept in one file of arrays. While one portion of text is tagged, without the GIL, the next
is already read and divided.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from termgauge.corpus.sentences import add_tokens, divided, read_tagged_sentences
from termgauge.corpus.tables import NOUN, VERB
from termgauge.corpus.tagger_kernel import MOST_TAGS, Perceptron, Weights, learn, slots_for, tag, text_of
from termgauge.corpus.tagsets import OTHER, TAG_SETS, fitting
from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import whole_file
from termgauge.io.paths import expanded
from termgauge.io.source import read_small
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.corpus.sentences import TaggedSentences
    from termgauge.io.documents import Document, DocumentMetadata

SHIPPED = Path(__file__).with_name("genia-tagger.npz")
_BLOCK_LETTERS = 1 << 20
"""So many letters of text are tagged at a time."""


class TaggedPortion(NamedTuple):
    """A portion of tagged text: tokens, the number of each token's tag, and where sentences end."""

    forms: list[str]
    tags: NDArray[np.uint8]
    ends: list[int]
    about: list[tuple[int, DocumentMetadata]]
    """The documents that begin in this portion, each with the number of tokens before it."""


@dataclass(frozen=True, eq=False)
class Tagger:
    """Gives each word of a sentence its part of speech."""

    perceptron: Perceptron
    training: Mapping[str, Any]
    """What it was trained on and how."""

    @cached_property
    def _weights(self) -> Weights:
        learned = self.perceptron
        starts = np.concatenate([[0], np.cumsum(learned.counts, dtype=np.int64)])
        slots = slots_for(learned.keys, len(learned.keys))
        return Weights(slots, learned.keys, starts, learned.weight_tags, learned.weights)

    @classmethod
    def load(cls, path: str | os.PathLike[str] | None = None) -> Self:
        """Open a tagger that was trained before; without a path, the one that comes with the package."""
        return cls(*read_tagger(SHIPPED if path is None else expanded(path)))

    @classmethod
    def train(cls, paths: Sequence[str | os.PathLike[str]], *, epochs: int = 5, seed: int = 42) -> Self:
        """Train a tagger on files of tagged sentences."""
        text = read_tagged_sentences(paths)
        read = {"files": [Path(path).name for path in paths], "sentences": len(text.ends), "tokens": len(text.forms)}
        return cls(learn(text, epochs=epochs, seed=seed), {**read, "epochs": epochs, "seed": seed})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tagger to a file, and what it was trained on; the same tagger gives the same bytes."""
        learned = self.perceptron
        # Of the keys, which ascend, only the steps are stored.
        steps = np.diff(learned.keys, prepend=np.uint32(0))
        stored: list[NDArray[Any]] = [steps, learned.counts, learned.weight_tags, learned.weights]
        arrays = dict(zip(_ARRAYS, stored, strict=True))
        about = {"format": FORMAT, "version": VERSION, "known": learned.known, **self.about()}
        about["sha256"] = _checksum(about, arrays)
        text = json.dumps(about, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")
        with whole_file(expanded(path)) as temporary, temporary.open("wb") as file:
            np.savez_compressed(file, about=np.frombuffer(text, dtype=np.uint8), **arrays)  # type: ignore[arg-type]

    @property
    def tags(self) -> list[str]:
        """The tags it gives, in code point order."""
        return self.perceptron.tags

    def about(self) -> dict[str, Any]:
        """Return what it was trained on and how, and which tags it gives."""
        return {"training": dict(self.training), "tags": self.tags}

    def counts(self, numbers: NDArray[np.uint8]) -> dict[str, int]:
        """Return how often each tag was given."""
        counted = np.bincount(numbers, minlength=len(self.tags)).tolist()
        return {tag: count for tag, count in zip(self.tags, counted, strict=True) if count}

    def tag(self, sentences: Iterable[Sequence[str]]) -> list[list[str]]:
        """Return the tags of the tokens of each sentence."""
        forms, ends = list[str](), list[int]()
        for sentence in sentences:
            forms += sentence
            ends.append(len(forms))
        return divided([self.tags[number] for number in self.numbers(forms, ends).tolist()], ends)

    def numbers(self, forms: Sequence[str], ends: Sequence[int]) -> NDArray[np.uint8]:
        """Return the numbers of the tags of tokens in a row, of which sentences end at some places."""
        text, fixed = text_of(forms, ends, self.perceptron.known)
        numbers: NDArray[np.uint8] = tag(text, fixed, self._weights, len(self.tags))
        return numbers

    def tagged(self, documents: Iterable[Document]) -> Iterator[TaggedPortion]:
        """Divide documents into sentences and tokens and tag them, portion by portion."""
        with ThreadPool(1) as pool:
            tagging: Iterator[Any] = (
                (portion, pool.submit(self.numbers, portion.forms, portion.ends)) for portion in _portions(documents)
            )
            for (portion, numbers), _next in pairwise(chain(tagging, [None])):  # the next is tagged meanwhile
                yield portion._replace(tags=numbers.result())


def _portions(documents: Iterable[Document]) -> Iterator[TaggedPortion]:
    """Divide documents into tokens, in portions that have no tags yet."""
    portion, letters = TaggedPortion([], np.empty(0, dtype=np.uint8), [], []), 0
    for document in documents:
        if not document.continues:
            portion.about.append((len(portion.forms), document.about))
        for paragraph in document.paragraphs:
            letters += len(paragraph)
            add_tokens(paragraph, portion.forms, portion.ends)
        if letters >= _BLOCK_LETTERS:
            yield portion
            portion, letters = TaggedPortion([], portion.tags, [], []), 0
    if portion.about or portion.forms:
        yield portion


FORMAT, VERSION = "termgauge tagger", 1
_MOST_BYTES = 256 << 20
"""No tagger is larger, neither as a file nor unpacked."""
_ARRAYS = {"keys": np.uint32, "counts": np.uint8, "weight_tags": np.uint8, "weights": np.int16}
_ABOUT = "about"
_DAMAGED = (
    ValueError, KeyError, TypeError, IndexError, EOFError, OSError, zlib.error, zipfile.BadZipFile, RuntimeError,
    NotImplementedError, OverflowError, MemoryError, RecursionError,
)  # fmt: skip


def read_tagger(path: Path) -> tuple[Perceptron, dict[str, Any]]:
    """Read a tagger, and what is known about its training."""
    try:
        data = read_small(path, _MOST_BYTES)
    except OSError as error:
        raise TermgaugeError(f"{path}: cannot be read ({error.strerror or error}).") from error
    try:
        arrays = _arrays(data)
        about = json.loads(arrays.pop(_ABOUT).tobytes())
        validity, same_version = about["format"] == FORMAT, about["version"] == VERSION
        if validity and same_version:
            checksum = about.pop("sha256")
            perceptron = _perceptron(about, arrays)
            validity = checksum == _checksum(about, arrays)
    except _DAMAGED:
        validity = False
    if not validity:
        raise TermgaugeError(
            f"{path}: is no tagger, or one that is damaged; make one with: termgauge tagger train TRAIN.tsv --out FILE."
        )
    if not same_version:
        raise TermgaugeError(f"{path}: was written by another version of termgauge; train the tagger again.")
    return perceptron, about["training"]


def _arrays(data: bytes) -> dict[str, np.ndarray[Any, Any]]:
    """Unpack the arrays, which may not be pickled, nor larger than any tagger's."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > _MOST_BYTES:
            raise ValueError
    with np.load(io.BytesIO(data), allow_pickle=False) as stored:
        arrays = {name: np.asarray(stored[name]) for name in (*_ARRAYS, _ABOUT)}
    if any(array.ndim != 1 for array in arrays.values()) or any(
        arrays[name].dtype != kind for name, kind in _ARRAYS.items()
    ):
        raise ValueError
    return arrays


def _perceptron(about: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]) -> Perceptron:
    """Return what a file holds, if every number in it makes sense."""
    tags, words = about["tags"], about["known"]
    counts, weight_tags, weights = arrays["counts"], arrays["weight_tags"], arrays["weights"]
    keys = np.cumsum(arrays["keys"], dtype=np.uint64)
    sound = (
        isinstance(tags, list)
        and isinstance(words, dict)
        and isinstance(about["training"], dict)
        and 0 < len(tags) <= MOST_TAGS
        and all(isinstance(tag, str) and tag for tag in tags)
        and all(isinstance(tag, int) and 0 <= tag < len(tags) for tag in words.values())
        and len(counts) == len(keys)
        and int(counts.sum(dtype=np.int64)) == len(weights) == len(weight_tags)
        and (not len(weight_tags) or int(weight_tags.max()) < len(tags))
        and (not len(keys) or int(keys[-1]) < 1 << 32)
    )
    if not sound:
        raise ValueError
    return Perceptron(list(tags), dict(words), keys.astype(np.uint32), counts, weight_tags, weights)


def _checksum(about: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]) -> str:
    digest = sha256(json.dumps(about, ensure_ascii=True, sort_keys=True).encode("ascii"))
    for name in sorted(arrays):
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()


CLASSES = NOUN, VERB, OTHER


Rates = dict[str, Any]
"""Of a tag, or a class of tags: how many `tokens` have it, the `precision` with which it is given, and the `recall`."""


class Accuracy(NamedTuple):
    """What became of the tokens of a text whose tags are known."""

    sentences: int
    tokens: int
    accuracy: float
    """The share of tokens that were given their tag."""
    class_accuracy: float | None
    """The share of tokens whose tag is at least of the right class; None if the tags are of no set that is known."""
    classes: Mapping[str, Rates] | None
    """Nouns, verbs and all others."""
    tags: Mapping[str, Rates]


def score(tagger: Tagger, text: TaggedSentences) -> Accuracy:
    """Tag sentences whose tags are known, and count how often the tagger is right."""
    predictions = [tagger.tags[number] for number in tagger.numbers(text.forms, text.ends).tolist()]
    pairs = Counter(zip(text.tags, predictions, strict=True))
    accuracy, tags = _rates(pairs.items())
    class_accuracy, classes = None, None
    if tag_sets := fitting({*text.tags, *predictions}, TAG_SETS.values()):
        kinds = {tag: tag_sets[0].class_of(tag) for pair in pairs for tag in pair}
        plain = {tag: kind if kind in CLASSES else OTHER for tag, kind in kinds.items()}
        of_classes = (((plain[tag], plain[other]), count) for (tag, other), count in pairs.items())
        class_accuracy, rates = _rates(of_classes)
        classes = {kind: rates.get(kind, {"tokens": 0, "precision": None, "recall": None}) for kind in CLASSES}
    return Accuracy(len(text.ends), len(text.forms), accuracy, class_accuracy, classes, tags)


def _rates(pairs: Iterable[tuple[tuple[str, str], int]]) -> tuple[float, dict[str, Rates]]:
    """Return how often a name is given where it belongs, in all, and for each name."""
    tokens, predictions, right = Counter[str](), Counter[str](), Counter[str]()
    for (name, other), count in pairs:
        tokens[name] += count
        predictions[other] += count
        right[name] += count * (name == other)
    return right.total() / tokens.total(), {
        name: {
            "tokens": tokens[name],
            "precision": right[name] / predictions[name] if predictions[name] else None,
            "recall": right[name] / tokens[name] if tokens[name] else None,
        }
        for name in sorted({*tokens, *predictions})
    }
