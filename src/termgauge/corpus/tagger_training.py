"""Learning to tag, and scoring a tagger on sentences that people tagged.

An averaged perceptron learns from tagged sentences, which are shuffled anew for each epoch. Each wrong tag adds one to
the weights of the right tag's features and takes one from those of the wrong one. A weight averaged over all words
looked at is its last value less its changes, each by the share of words seen before it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from termgauge.compiled import njit
from termgauge.corpus.tables import NOUN, VERB
from termgauge.corpus.tagger_kernel import FEATURES, fill_keys, find, parts_of, slots_for, text_of
from termgauge.corpus.tagsets import OTHER, TAG_SETS, fitting
from termgauge.exceptions import TermgaugeError
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from termgauge.corpus.tagged_text import TaggedSentences
    from termgauge.corpus.tagger import Tagger
    from termgauge.corpus.tagger_kernel import Text

MOST_TAGS = 250
FREQUENT, ONE_TAG = 20, 0.97
"""A word that was seen so often, with one tag in such a share of cases, always takes that tag."""
QUANTUM = 1 / 64
"""Averaged weights are rounded to multiples of this, and kept as whole numbers."""
_FIRST_ROWS = 1 << 15


class Perceptron(NamedTuple):
    """What a tagger knows: its tags, its frequent words that have one tag, and the weights of features by tag.

    Weights are sorted by feature, then tag; those that are rounded to zero are left out.
    """

    tags: list[str]
    known: dict[str, int]
    keys: NDArray[np.uint32]
    """Of the features that have weights, ascending."""
    counts: NDArray[np.uint8]
    """How many tags have a weight, for each feature."""
    weight_tags: NDArray[np.uint8]
    weights: NDArray[np.int16]


class _Rows(NamedTuple):
    """The weights while they are learned: a row for each feature, a column for each tag."""

    slots: NDArray[np.int32]
    keys: NDArray[np.uint32]
    weights: NDArray[np.int32]
    moments: NDArray[np.int64]
    """The sum of the changes of each weight, each times the number of words seen before it."""


def learn(given: TaggedSentences, *, epochs: int = 5, seed: int = 42) -> Perceptron:
    """Learn to tag from tagged sentences; the same sentences and seed give the same tagger."""
    names = sorted(set(given.tags))
    if not names:
        raise TermgaugeError("There are no tagged sentences to learn from; name a file with a word and a tag a line.")
    if len(names) > MOST_TAGS:
        raise TermgaugeError(
            f"There are {len(names):,} different tags in the training file, more than a tagger can tell apart "
            f"({MOST_TAGS}); check that the second column holds part-of-speech tags."
        )
    numbers = {name: number for number, name in enumerate(names)}
    gold = np.array([numbers[tag] for tag in given.tags], dtype=np.int16)
    known = known_words(given.forms, gold.tolist())
    fixed = np.array([known.get(form, -1) for form in given.forms], dtype=np.int16)
    text = text_of(given.forms, given.ends)
    order, random = list(range(len(given.ends))), Random(seed)  # noqa: S311
    rows, used, step = _empty(_FIRST_ROWS, len(names)), 0, 0
    with track("Learning to tag", total=epochs * len(order), unit="sentences") as advance:
        for _ in range(epochs):
            random.shuffle(order)
            shuffled, done = np.array(order, dtype=np.int64), 0
            while done < len(order):
                before = done
                done, used, step = _learn(text, shuffled, done, gold, fixed, rows, used, step)
                advance(done - before)
                if done < len(order):
                    rows = _grow(rows, used)
    averaged = rows.weights[:used] - rows.moments[:used] / max(step, 1)
    return Perceptron(names, known, *_compact(rows.keys[:used], averaged))


def known_words(forms: Iterable[str], tags: Iterable[int]) -> dict[str, int]:
    """Return the frequent words that have one tag nearly always, with that tag."""
    seen: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for form, tag in zip(forms, tags, strict=True):
        seen[form][tag] += 1
    words = {}
    for form in sorted(seen):
        tag, count = max(seen[form].items(), key=lambda entry: (entry[1], -entry[0]))
        total = seen[form].total()
        if total >= FREQUENT and count >= ONE_TAG * total:
            words[form] = tag
    return words


def _empty(count: int, tags: int) -> _Rows:
    keys = np.zeros(count, dtype=np.uint32)
    table = np.zeros((count, tags), dtype=np.int32), np.zeros((count, tags), dtype=np.int64)
    return _Rows(slots_for(keys, 0), keys, *table)


def _grow(rows: _Rows, used: int) -> _Rows:
    """Return the same rows with room for as many again."""
    larger = _empty(2 * len(rows.keys), rows.weights.shape[1])
    larger.keys[:used], larger.weights[:used] = rows.keys[:used], rows.weights[:used]
    larger.moments[:used] = rows.moments[:used]
    return larger._replace(slots=slots_for(larger.keys, used))


@njit()
def _learn(
    text: Text,
    order: NDArray[np.int64],
    done: int,
    gold: NDArray[np.int16],
    fixed: NDArray[np.int16],
    rows: _Rows,
    used: int,
    step: int,
) -> tuple[int, int, int]:
    """Learn from sentences in their order until all are done or there is no room for the features of the next."""
    tags = rows.weights.shape[1]
    keys, scores = np.empty(FEATURES, np.uint32), np.empty(tags, np.int32)
    while done < len(order):
        begin, seen = text.sentences[order[done]], parts_of(text, order[done])
        if used + len(seen) * FEATURES > len(rows.keys):
            break
        before = before_that = tags
        for at in range(len(seen)):
            best = int(fixed[begin + at])
            if best < 0:
                step += 1
                fill_keys(keys, seen, at, before, before_that)
                scores[:] = 0
                for feature in range(FEATURES):
                    row = find(rows.slots, rows.keys, keys[feature])
                    if row >= 0:
                        scores += rows.weights[row]
                best = int(np.argmax(scores))
                right = int(gold[begin + at])
                if best != right:
                    used = _change(rows, used, keys, right, best, step)
            before_that = before
            before = best
        done += 1
    return done, used, step


@njit()
def _change(rows: _Rows, used: int, keys: NDArray[np.uint32], right: int, wrong: int, step: int) -> int:
    """Move the weights of some features from the wrong tag to the right one; return how many features there are."""
    for key in keys:
        row = find(rows.slots, rows.keys, key)
        if row < 0:
            rows.slots[-1 - row] = used
            rows.keys[used] = key
            row = used
            used += 1
        rows.weights[row, right] += 1
        rows.weights[row, wrong] -= 1
        rows.moments[row, right] += step
        rows.moments[row, wrong] -= step
    return used


def _compact(
    keys: NDArray[np.uint32], averaged: NDArray[np.float64]
) -> tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int16]]:
    """Round weights, and keep those that are not zero."""
    limits = np.iinfo(np.int16)
    rounded = np.clip(np.rint(averaged / QUANTUM), limits.min, limits.max).astype(np.int16)
    order = np.argsort(keys, kind="stable")
    order = order[(rounded[order] != 0).any(axis=1)]
    rounded = rounded[order]
    rows, tags = np.nonzero(rounded)
    counts = np.bincount(rows, minlength=len(order)).astype(np.uint8)
    return keys[order], counts, tags.astype(np.uint8), rounded[rows, tags]


CLASSES = NOUN, VERB, OTHER


@dataclass(frozen=True)
class Hits:
    """How often a tag, or a class of tags, stands in the text, was given, and was given rightly."""

    tokens: int
    given: int
    right: int

    @property
    def recall(self) -> float | None:
        """The share of its tokens that were given it."""
        return self.right / self.tokens if self.tokens else None

    @property
    def precision(self) -> float | None:
        """The share of the tokens that were given it and have it."""
        return self.right / self.given if self.given else None


@dataclass(frozen=True)
class Accuracy:
    """What became of the tokens of a text whose tags are known."""

    sentences: int
    tokens: int
    tags: Mapping[str, Hits]
    classes: Mapping[str, Hits] | None
    """Nouns, verbs and all others; None if the tags are of no set that is known."""

    @property
    def accuracy(self) -> float:
        """The share of tokens that were given their tag."""
        return sum(hits.right for hits in self.tags.values()) / self.tokens

    @property
    def class_accuracy(self) -> float | None:
        """The share of tokens whose tag is at least of the right class."""
        return None if self.classes is None else sum(hits.right for hits in self.classes.values()) / self.tokens

    def as_dict(self) -> dict[str, Any]:
        """Return all of it, as JSON has it."""
        return {
            "sentences": self.sentences,
            "tokens": self.tokens,
            "accuracy": self.accuracy,
            "class_accuracy": self.class_accuracy,
            "classes": None if self.classes is None else _rows(self.classes),
            "tags": _rows(self.tags),
        }


def score(tagger: Tagger, text: TaggedSentences) -> Accuracy:
    """Tag sentences whose tags are known, and count how often the tagger is right."""
    given = [tagger.tags[number] for number in tagger.numbers(text.forms, text.ends).tolist()]
    pairs = Counter(zip(text.tags, given, strict=True))
    known = fitting({*text.tags, *given}, TAG_SETS.values())
    classes = None
    if known:
        of_tag = {tag: known[0].class_of(tag) for pair in pairs for tag in pair}
        plain = {tag: kind if kind in CLASSES else OTHER for tag, kind in of_tag.items()}
        classes = _hits(((plain[tag], plain[other]), count) for (tag, other), count in pairs.items())
        classes = {kind: classes.get(kind, Hits(0, 0, 0)) for kind in CLASSES}
    return Accuracy(len(text.ends), len(text.forms), _hits(pairs.items()), classes)


def _hits(pairs: Iterable[tuple[tuple[str, str], int]]) -> dict[str, Hits]:
    """Count, for each name, where it belongs, where it was given, and where both are so."""
    tokens: Counter[str] = Counter()
    given: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for (name, other), count in pairs:
        tokens[name] += count
        given[other] += count
        right[name] += count * (name == other)
    return {name: Hits(tokens[name], given[name], right[name]) for name in sorted({*tokens, *given})}


def _rows(hits: Mapping[str, Hits]) -> dict[str, dict[str, float | None]]:
    return {
        name: {"tokens": each.tokens, "precision": each.precision, "recall": each.recall} for name, each in hits.items()
    }
