"""The compiled tagger: greedy, from left to right, without the GIL; ``benchmarks/plain_tagger.py`` defines its result.

Each part of a word is hashed once and then mixed with the numbers of the features that it is seen by. Scores are whole
numbers, so the order of adding does not matter.

An averaged perceptron learns from tagged sentences, which are shuffled anew for each epoch. Each wrong tag adds one to
the weights of the right tag's features and takes one from those of the wrong one. A weight averaged over all words
looked at is its last value less its changes, each by the share of words seen before it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.compiled import njit
from termgauge.exceptions import TermgaugeError
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.corpus.sentences import TaggedSentences

    Longs = NDArray[np.int64]
    Shorts = NDArray[np.int16]

START, END = 1, 2
"""What stands for the words before a sentence and after it."""


PARTS = 7
WORD, LAST_THREE = 0, 4
"""What features see of a word: hashes of it, its first one and three, its last two, three and four letters, and which
kinds of signs it has."""
SEEN = (
    *((part, 0) for part in range(PARTS)),
    *((WORD, -2), (WORD, -1), (WORD, 1), (WORD, 2)),
    *((LAST_THREE, -1), (LAST_THREE, 1)),
)
"""The features that need no tags: which part of which word, counted from the word that is tagged."""
FEATURES = len(SEEN) + 5
"""All features: a constant, the tag before, the one before that, both, and the tag before with the word."""
DIGIT, HYPHEN, CAPITAL, CAPITALS, SMALL, OTHER = 1, 2, 4, 8, 16, 32
_SIGNS = {"0": DIGIT, "-": HYPHEN, "a": SMALL, "?": OTHER}


class _Kinds(dict[int, str]):
    """What stands for the kind of each sign."""

    def __missing__(self, sign: int) -> str:
        return "?"


_KINDS = _Kinds({ord("-"): "-"} | dict.fromkeys(range(48, 58), "0") | dict.fromkeys(range(65, 91), "A")
                | dict.fromkeys(range(97, 123), "a"))  # fmt: skip
_SEEN_PARTS = np.array([part for part, _ in SEEN])
_SEEN_STEPS = np.array([step for _, step in SEEN])
_HALF, _TAG_BITS = np.uint64(32), np.uint64(16)
_BASIS, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_GOLDEN, _FACTOR = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_START, _END = np.uint64(START), np.uint64(END)


class Text(NamedTuple):
    """Tokens as the kernels take them."""

    parts: NDArray[np.uint64]
    """What features see of each distinct token."""
    rows: Longs
    """The row of each token in them."""
    sentences: Longs
    """Where each sentence begins, and where the last one ends."""


class Weights(NamedTuple):
    """Features with their weights: a hash table of rows, and for each row the tags that have a weight."""

    slots: NDArray[np.int32]
    """Rows by hash; -1 where there is none."""
    keys: NDArray[np.uint32]
    starts: Longs
    tags: NDArray[np.uint8]
    values: Shorts


def text_of(forms: Sequence[str], ends: Sequence[int], words: Mapping[str, int]) -> tuple[Text, Shorts]:
    """Lay out tokens, and the places where sentences end, for the kernels, with the tags of `words` that have one."""
    row_of = {form: row for row, form in enumerate(dict.fromkeys(forms))}
    rows = np.fromiter(map(row_of.__getitem__, forms), dtype=np.int64, count=len(forms))
    fixed = np.array([words.get(form, -1) for form in row_of], dtype=np.int16)
    return Text(parts_of(list(row_of)), rows, np.array([0, *ends], dtype=np.int64)), fixed[rows]


def parts_of(forms: Sequence[str]) -> NDArray[np.uint64]:
    """Return what features see of each of some words."""
    words = [form.lower() for form in forms]
    first, first_three = [form[:1] for form in forms], [word[:3] for word in words]
    last = ([word[-letters:] for word in words] for letters in (2, 3, 4))
    kinds = [form.translate(_KINDS) for form in forms]
    signs = [
        sum(sign for letter, sign in _SIGNS.items() if letter in of_form) + CAPITALS * ("A" in of_form[1:])
        + CAPITAL * (form[:1] != word[:1]) for form, word, of_form in zip(forms, words, kinds, strict=True)
    ]  # fmt: skip
    return np.column_stack([*map(_hashes, (words, first, first_three, *last)), np.array(signs, dtype=np.uint64)])


def _hashes(texts: Sequence[str]) -> NDArray[np.uint64]:
    """Return the FNV-1a hash of each text (64 bits)."""
    encoded = [text.encode("utf-8", "replace") for text in texts]
    starts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    hashes: NDArray[np.uint64] = _hash(np.frombuffer(b"".join(encoded), dtype=np.uint8), starts)
    return hashes


@njit()
def mixed(feature: int, value: np.uint64) -> np.uint64:
    """Return a hash of a feature's number and its value."""
    value ^= np.uint64(feature + 1) * _GOLDEN
    value = (value ^ (value >> _HALF)) * _FACTOR
    value = (value ^ (value >> _HALF)) * _FACTOR
    return value ^ (value >> _HALF)


@njit()
def _hash(data: NDArray[np.uint8], starts: Longs) -> NDArray[np.uint64]:
    hashes = np.full(len(starts) - 1, _BASIS)
    for text in range(len(hashes)):
        for at in range(starts[text], starts[text + 1]):
            hashes[text] = (hashes[text] ^ np.uint64(data[at])) * _PRIME
    return hashes


@njit()
def fill_keys(keys: NDArray[np.uint32], seen: NDArray[np.uint64], at: int, before: int, before_that: int) -> None:
    """Write the hashes of the features of a word."""
    count = len(_SEEN_PARTS)
    for feature in range(count):
        position = at + _SEEN_STEPS[feature]
        if position < 0:
            value = _START
        elif position >= len(seen):
            value = _END
        else:
            value = seen[position, _SEEN_PARTS[feature]]
        keys[feature] = np.uint32(mixed(feature, value) >> _HALF)
    one, two = np.uint64(before), np.uint64(before_that)
    keys[count] = np.uint32(mixed(count, np.uint64(0)) >> _HALF)
    keys[count + 1] = np.uint32(mixed(count + 1, one) >> _HALF)
    keys[count + 2] = np.uint32(mixed(count + 2, two) >> _HALF)
    keys[count + 3] = np.uint32(mixed(count + 3, (one << _TAG_BITS) | two) >> _HALF)
    keys[count + 4] = np.uint32(mixed(count + 4, mixed(before, seen[at, WORD])) >> _HALF)


@njit()
def find(slots: NDArray[np.int32], keys: NDArray[np.uint32], key: np.uint32) -> int:
    """Return the row of a key; if there is none, -1 less the free slot that it belongs to."""
    slot = np.int64(key) & (len(slots) - 1)
    while True:
        row = slots[slot]
        if row < 0:
            return int(-1 - slot)
        if keys[row] == key:
            return int(row)
        slot = (slot + 1) & (len(slots) - 1)


@njit()
def slots_for(keys: NDArray[np.uint32], count: int) -> NDArray[np.int32]:
    """Return a hash table of the first rows that is at most half full."""
    size = 16
    while size <= 2 * len(keys):
        size *= 2
    slots = np.full(size, -1, dtype=np.int32)
    for row in range(count):
        slot = find(slots, keys, keys[row])
        if slot < 0:
            slots[-1 - slot] = row
    return slots


@njit()
def tag(text: Text, fixed: Shorts, weights: Weights, tags: int) -> NDArray[np.uint8]:
    """Return the number of the tag of each token; `fixed` has those that need no scores, else -1."""
    chosen = np.empty(len(fixed), np.uint8)
    keys, scores = np.empty(FEATURES, np.uint32), np.empty(tags, np.int32)
    for sentence in range(len(text.sentences) - 1):
        begin, stop = text.sentences[sentence], text.sentences[sentence + 1]
        seen = text.parts[text.rows[begin:stop]]
        before = before_that = tags
        for at in range(len(seen)):
            best = int(fixed[begin + at])
            if best < 0:
                fill_keys(keys, seen, at, before, before_that)
                scores[:] = 0
                for feature in range(FEATURES):
                    row = find(weights.slots, weights.keys, keys[feature])
                    if row >= 0:
                        for entry in range(weights.starts[row], weights.starts[row + 1]):
                            scores[weights.tags[entry]] += weights.values[entry]
                best = int(np.argmax(scores))
            chosen[begin + at] = best
            before_that = before
            before = best
    return chosen


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
    weights: Shorts


class _Rows(NamedTuple):
    """The weights while they are learned: a row for each feature, a column for each tag."""

    slots: NDArray[np.int32]
    keys: NDArray[np.uint32]
    weights: NDArray[np.int32]
    moments: Longs
    """The sum of the changes of each weight, each times the number of words seen before it."""


def learn(sentences: TaggedSentences, *, epochs: int = 5, seed: int = 42) -> Perceptron:
    """Learn to tag from tagged sentences; the same sentences and seed give the same tagger."""
    names = sorted(set(sentences.tags))
    if not names:
        raise TermgaugeError("There are no tagged sentences to learn from; name a file with a word and a tag a line.")
    if len(names) > MOST_TAGS:
        raise TermgaugeError(
            f"There are {len(names):,} different tags in the training file, more than a tagger can tell apart "
            f"({MOST_TAGS}); check that the second column holds part-of-speech tags."
        )
    numbers = {name: number for number, name in enumerate(names)}
    gold = np.array([numbers[tag] for tag in sentences.tags], dtype=np.int16)
    words = known_words(sentences.forms, gold.tolist())
    text, fixed = text_of(sentences.forms, sentences.ends, words)
    order, random = list(range(len(sentences.ends))), Random(seed)  # noqa: S311
    keys, size = np.zeros(_FIRST_ROWS, dtype=np.uint32), (_FIRST_ROWS, len(names))
    rows = _Rows(slots_for(keys, 0), keys, np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.int64))
    used = step = 0
    with track("Learning to tag", total=epochs * len(order), unit="sentences") as advance:
        for _ in range(epochs):
            random.shuffle(order)
            rows, used, step = _learn(text, np.array(order, dtype=np.int64), gold, fixed, rows, used, step)
            advance(len(order))
    averaged = rows.weights[:used] - rows.moments[:used] / max(step, 1)
    return Perceptron(names, words, *_compact(rows.keys[:used], averaged))


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


@njit()
def _grown(rows: _Rows, used: int) -> _Rows:
    """Return the same rows with room for as many again."""
    keys = np.append(rows.keys, np.zeros_like(rows.keys))
    weights = np.concatenate((rows.weights, np.zeros_like(rows.weights)))
    return _Rows(slots_for(keys, used), keys, weights, np.concatenate((rows.moments, np.zeros_like(rows.moments))))


@njit()
def _learn(
    text: Text, order: Longs, gold: Shorts, fixed: Shorts, rows: _Rows, used: int, step: int
) -> tuple[_Rows, int, int]:
    """Learn from sentences in their order."""
    tags = rows.weights.shape[1]
    keys, scores = np.empty(FEATURES, np.uint32), np.empty(tags, np.int32)
    for sentence in order:
        begin, stop = text.sentences[sentence], text.sentences[sentence + 1]
        seen = text.parts[text.rows[begin:stop]]
        while used + len(seen) * FEATURES > len(rows.keys):
            rows = _grown(rows, used)
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
    return rows, used, step


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
) -> tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.uint8], Shorts]:
    """Round weights, and keep those that are not zero."""
    limits = np.iinfo(np.int16)
    rounded = np.clip(np.rint(averaged / QUANTUM), limits.min, limits.max).astype(np.int16)
    order = np.argsort(keys, kind="stable")
    order = order[(rounded[order] != 0).any(axis=1)]
    rounded = rounded[order]
    rows, tags = np.nonzero(rounded)
    counts = np.bincount(rows, minlength=len(order)).astype(np.uint8)
    return keys[order], counts, tags.astype(np.uint8), rounded[rows, tags]
