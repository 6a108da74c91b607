"""The compiled tagger: greedy, from left to right, without the GIL; ``benchmarks/plain_tagger.py`` defines its result.

Each part of a word is hashed once and then mixed with the numbers of the features that it is seen by. Scores are whole
numbers, so the order of adding does not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

START, END = 1, 2
"""What stands for the words before a sentence and after it."""


class Parts(NamedTuple):
    """What features see of a word, each as a hash."""

    word: int
    first: int
    first_three: int
    last_two: int
    last_three: int
    last_four: int
    signs: int


WORD, _FIRST, _FIRST_THREE, _LAST_TWO, LAST_THREE, _LAST_FOUR, _SIGNS = range(len(Parts._fields))
SEEN = (
    *((part, 0) for part in range(len(Parts._fields))),
    *((WORD, -2), (WORD, -1), (WORD, 1), (WORD, 2)),
    *((LAST_THREE, -1), (LAST_THREE, 1)),
)
"""The features that need no tags: which part of which word, counted from the word that is tagged."""
FEATURES = len(SEEN) + 5
"""All features: a constant, the tag before, the one before that, both, and the tag before with the word."""
DIGIT, HYPHEN, CAPITAL, CAPITALS, SMALL, OTHER = 1, 2, 4, 8, 16, 32
_PARTS = len(Parts._fields)
_SEEN_PARTS = np.array([part for part, _ in SEEN])
_SEEN_STEPS = np.array([step for _, step in SEEN])
_HALF, _TAG_BITS = np.uint64(32), np.uint64(16)
_BASIS, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_GOLDEN, _FACTOR = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_START, _END = np.uint64(START), np.uint64(END)


class Text(NamedTuple):
    """Tokens as bytes: as they are written and in small letters, and where each token and each sentence begins."""

    forms: NDArray[np.uint8]
    form_starts: NDArray[np.int64]
    words: NDArray[np.uint8]
    word_starts: NDArray[np.int64]
    sentences: NDArray[np.int64]


class Weights(NamedTuple):
    """Features with their weights: a hash table of rows, and for each row the tags that have a weight."""

    slots: NDArray[np.int32]
    """Rows by hash; -1 where there is none."""
    keys: NDArray[np.uint32]
    starts: NDArray[np.int64]
    tags: NDArray[np.uint8]
    values: NDArray[np.int16]


def text_of(forms: Sequence[str], ends: Sequence[int]) -> Text:
    """Lay out tokens, and the places where sentences end, for the kernels."""
    joined = "\n".join(forms)
    if joined.count("\n") != max(len(forms) - 1, 0):
        joined = "\n".join(form.replace("\n", " ") for form in forms)
    return Text(*_lay_out(joined), *_lay_out(joined.lower()), np.array([0, *ends], dtype=np.int64))


def _lay_out(joined: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the bytes of tokens, each of which ends with a line break, and where each begins."""
    data = np.frombuffer(f"{joined}\n".encode("utf-8", "replace"), dtype=np.uint8)
    return data, np.concatenate([[0], np.flatnonzero(data == 10) + 1])


@njit()
def mixed(feature: int, value: np.uint64) -> np.uint64:
    """Return a hash of a feature's number and its value."""
    value ^= np.uint64(feature + 1) * _GOLDEN
    value = (value ^ (value >> _HALF)) * _FACTOR
    value = (value ^ (value >> _HALF)) * _FACTOR
    return value ^ (value >> _HALF)


@njit()
def _hash(data: NDArray[np.uint8], start: int, end: int) -> np.uint64:
    value = _BASIS
    for at in range(start, end):
        value = (value ^ np.uint64(data[at])) * _PRIME
    return value


@njit()
def _after(data: NDArray[np.uint8], start: int, end: int, letters: int) -> int:
    """Return the place after so many letters, which are one to four bytes each."""
    at = start
    while at < end and letters:
        at += 1
        while at < end and data[at] & 0xC0 == 0x80:
            at += 1
        letters -= 1
    return at


@njit()
def _before(data: NDArray[np.uint8], start: int, end: int, letters: int) -> int:
    """Return the place of the last so many letters."""
    at = end
    while at > start and letters:
        at -= 1
        while at > start and data[at] & 0xC0 == 0x80:
            at -= 1
        letters -= 1
    return at


@njit()
def _signs(text: Text, token: int) -> int:
    """Return which kinds of signs a word holds."""
    start, end = text.form_starts[token], text.form_starts[token + 1] - 1
    first = _after(text.forms, start, end, 1)
    signs = 0
    for at in range(start, end):
        byte = text.forms[at]
        if 48 <= byte <= 57:
            signs |= DIGIT
        elif byte == 45:
            signs |= HYPHEN
        elif 97 <= byte <= 122:
            signs |= SMALL
        elif not 65 <= byte <= 90:
            signs |= OTHER
        elif at >= first:
            signs |= CAPITALS
    word = text.word_starts[token]
    for at in range(start, first):
        if word + at - start >= len(text.words) or text.forms[at] != text.words[word + at - start]:
            signs |= CAPITAL
    return signs


@njit()
def parts_of(text: Text, sentence: int) -> NDArray[np.uint64]:
    """Return what features see of each word of a sentence."""
    begin, stop = text.sentences[sentence], text.sentences[sentence + 1]
    seen = np.empty((stop - begin, _PARTS), np.uint64)
    for token in range(begin, stop):
        row = token - begin
        start, end = text.word_starts[token], text.word_starts[token + 1] - 1
        first = text.form_starts[token]
        seen[row, 0] = _hash(text.words, start, end)
        seen[row, 1] = _hash(text.forms, first, _after(text.forms, first, text.form_starts[token + 1] - 1, 1))
        seen[row, 2] = _hash(text.words, start, _after(text.words, start, end, 3))
        for letters in range(2, 5):
            seen[row, letters + 1] = _hash(text.words, _before(text.words, start, end, letters), end)
        seen[row, 6] = np.uint64(_signs(text, token))
    return seen


@njit()
def fill_keys(keys: NDArray[np.uint32], seen: NDArray[np.uint64], at: int, before: int, before_that: int) -> None:
    """Write the hashes of the features of a word."""
    known = len(_SEEN_PARTS)
    for feature in range(known):
        place = at + _SEEN_STEPS[feature]
        if place < 0:
            value = _START
        elif place >= len(seen):
            value = _END
        else:
            value = seen[place, _SEEN_PARTS[feature]]
        keys[feature] = np.uint32(mixed(feature, value) >> _HALF)
    one, two = np.uint64(before), np.uint64(before_that)
    keys[known] = np.uint32(mixed(known, np.uint64(0)) >> _HALF)
    keys[known + 1] = np.uint32(mixed(known + 1, one) >> _HALF)
    keys[known + 2] = np.uint32(mixed(known + 2, two) >> _HALF)
    keys[known + 3] = np.uint32(mixed(known + 3, (one << _TAG_BITS) | two) >> _HALF)
    keys[known + 4] = np.uint32(mixed(known + 4, mixed(before, seen[at, WORD])) >> _HALF)


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
def enter(slots: NDArray[np.int32], keys: NDArray[np.uint32], count: int) -> None:
    """Enter the first rows into an empty hash table."""
    for row in range(count):
        slot = find(slots, keys, keys[row])
        if slot < 0:
            slots[-1 - slot] = row


def slots_for(keys: NDArray[np.uint32], count: int) -> NDArray[np.int32]:
    """Return a hash table of rows that is at most half full."""
    slots = np.full(1 << max(4, (2 * len(keys)).bit_length()), -1, dtype=np.int32)
    enter(slots, keys, count)
    return slots


@njit()
def tag(text: Text, known: NDArray[np.int16], weights: Weights, tags: int) -> NDArray[np.uint8]:
    """Return the number of the tag of each token; `known` has those that need no scores, else -1."""
    chosen = np.empty(len(known), np.uint8)
    keys, scores = np.empty(FEATURES, np.uint32), np.empty(tags, np.int32)
    for sentence in range(len(text.sentences) - 1):
        begin, seen = text.sentences[sentence], parts_of(text, sentence)
        before = before_that = tags
        for at in range(len(seen)):
            best = int(known[begin + at])
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
