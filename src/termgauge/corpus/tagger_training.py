"""Learning to tag: an averaged perceptron over tagged sentences, which are shuffled anew for each epoch.

Each wrong tag adds one to the weights of the right tag's features and takes one from those of the wrong one. A weight
averaged over all words looked at is its last value less its changes, each by the share of words seen before it.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.compiled import njit
from termgauge.corpus.tagger_kernel import fill_keys, find, parts_of, slots_for, text_of
from termgauge.corpus.tagger_reference import FEATURES, known_words
from termgauge.exceptions import TermgaugeError
from termgauge.progress import track

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from termgauge.corpus.tagged_sentences import TaggedSentences
    from termgauge.corpus.tagger_kernel import Text

MOST_TAGS = 250
QUANTUM = 1 / 64
"""Averaged weights are rounded to multiples of this, and kept as whole numbers."""
_FIRST_ROWS = 1 << 15


class Learned(NamedTuple):
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


def learn(given: TaggedSentences, *, epochs: int = 5, seed: int = 42) -> Learned:
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
                    rows = _grown(rows, used)
    averaged = rows.weights[:used] - rows.moments[:used] / max(step, 1)
    return Learned(names, known, *_compact(rows.keys[:used], averaged))


def _empty(count: int, tags: int) -> _Rows:
    keys = np.zeros(count, dtype=np.uint32)
    table = np.zeros((count, tags), dtype=np.int32), np.zeros((count, tags), dtype=np.int64)
    return _Rows(slots_for(keys, 0), keys, *table)


def _grown(rows: _Rows, used: int) -> _Rows:
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
