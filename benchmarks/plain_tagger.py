"""What the tagger computes, in plain Python: the features of a word, its best tag, and how weights are perceptron.

The compiled tagger must give the same; this is the definition, and slow. Features are known by a hash of 32 bits, so
that weights are kept in tables of numbers; two features that share a hash share their weights.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from random import Random
from typing import TYPE_CHECKING

from termgauge.corpus.tagger_kernel import (
    CAPITAL,
    CAPITALS,
    DIGIT,
    END,
    HYPHEN,
    OTHER,
    SEEN,
    SMALL,
    START,
    WORD,
    known_words,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MASK = (1 << 64) - 1
_SIGNS_OF = {"[0-9]": DIGIT, "-": HYPHEN, "(?<=.)[A-Z]": CAPITALS, "[a-z]": SMALL, "[^A-Za-z0-9-]": OTHER}


def hashed(text: str) -> int:
    """Return the FNV-1a hash of a text (64 bits)."""
    value = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "replace"):
        value = (value ^ byte) * 0x100000001B3 & _MASK
    return value


def mixed(feature: int, value: int) -> int:
    """Return a hash of a feature's number and its value, of which every bit depends on every bit."""
    value ^= (feature + 1) * 0x9E3779B97F4A7C15 & _MASK
    for _ in range(2):
        value = (value ^ value >> 32) * 0xD6E8FEB86659FD93 & _MASK
    return value ^ value >> 32


def parts(form: str) -> tuple[int, ...]:
    """Return what features see of a word."""
    word = form.lower()
    signs = sum(sign for pattern, sign in _SIGNS_OF.items() if re.search(pattern, form, re.DOTALL))
    signs += CAPITAL if form[:1] != word[:1] else 0
    beginnings = hashed(form[:1]), hashed(word[:3])
    return hashed(word), *beginnings, hashed(word[-2:]), hashed(word[-3:]), hashed(word[-4:]), signs


def keys(sentence: Sequence[tuple[int, ...]], at: int, before: int, before_that: int) -> list[int]:
    """Return the hashes of the features of a word, given the numbers of the two tags before it."""
    values = []
    for part, step in SEEN:
        place = at + step
        values.append(START if place < 0 else END if place >= len(sentence) else sentence[place][part])
    values += 0, before, before_that, before << 16 | before_that, mixed(before, sentence[at][WORD])
    return [mixed(feature, value) >> 32 for feature, value in enumerate(values)]


def best(scores: Sequence[int]) -> int:
    """Return the number of the highest score; of several, the first."""
    return max(range(len(scores)), key=lambda tag: (scores[tag], -tag))


def tagged(
    sentence: Sequence[str], known: Mapping[str, int], weights: Mapping[int, Mapping[int, int]], tags: int
) -> list[int]:
    """Return the numbers of the tags of a sentence, from left to right."""
    seen = [parts(form) for form in sentence]
    chosen: list[int] = []
    before = before_that = tags
    for at, form in enumerate(sentence):
        tag = known.get(form, -1)
        if tag < 0:
            scores = [0] * tags
            for key in keys(seen, at, before, before_that):
                for other, weight in weights.get(key, {}).items():
                    scores[other] += weight
            tag = best(scores)
        chosen.append(tag)
        before, before_that = tag, before
    return chosen


def trained(
    sentences: Sequence[tuple[Sequence[str], Sequence[int]]], tags: int, epochs: int, seed: int
) -> dict[int, dict[int, float]]:
    """Return the averaged weights of each feature: those of the perceptron, averaged over all words it looked at."""
    known = known_words(
        (form for forms, _ in sentences for form in forms), (tag for _, gold in sentences for tag in gold)
    )
    weights: defaultdict[int, Counter[int]] = defaultdict(Counter)
    moments: defaultdict[int, Counter[int]] = defaultdict(Counter)
    order, random, step = list(range(len(sentences))), Random(seed), 0
    for _ in range(epochs):
        random.shuffle(order)
        for number in order:
            forms, gold = sentences[number]
            seen, before, before_that = [parts(form) for form in forms], tags, tags
            for at, form in enumerate(forms):
                tag = known.get(form, -1)
                if tag < 0:
                    step += 1
                    found = keys(seen, at, before, before_that)
                    tag = best([sum(weights[key][each] for key in found) for each in range(tags)])
                    if tag != gold[at]:
                        for key in found:
                            for each, change in ((gold[at], 1), (tag, -1)):
                                weights[key][each] += change
                                moments[key][each] += change * step
                before, before_that = tag, before
    return {key: {tag: row[tag] - moments[key][tag] / step for tag in row} for key, row in weights.items()}
