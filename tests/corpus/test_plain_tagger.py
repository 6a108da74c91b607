"""The definition of the tagger, on cases that can be followed by hand."""

from __future__ import annotations

from benchmarks.plain_tagger import best, hashed, keys, mixed, parts, tagged, trained
from hypothesis import given
from hypothesis import strategies as st

from termgauge.corpus.tagger_kernel import CAPITAL, CAPITALS, DIGIT, FEATURES, HYPHEN, OTHER, SMALL


def test_hashes_are_those_of_fnv():
    assert hashed("") == 0xCBF29CE484222325
    assert hashed("a") == 0xAF63DC4C8601EC8C
    assert hashed("foobar") == 0x85944171F73967E8


@given(st.integers(0, 40), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_mixing_keeps_values_apart(feature, one, other):
    assert (mixed(feature, one) == mixed(feature, other)) == (one == other)
    assert 0 <= mixed(feature, one) < 2**64


def test_parts_of_a_word():
    letters = ("il-2", "I", "il-", "-2", "l-2", "il-2")
    assert parts("IL-2") == (*map(hashed, letters), DIGIT | HYPHEN | CAPITAL | CAPITALS)
    assert parts("a")[-2] == hashed("a")
    assert parts("Été")[-1] == CAPITAL | SMALL | OTHER
    assert parts("")[-1] == 0


def test_features_look_two_words_and_two_tags_around():
    sentence = [parts(word) for word in ("a", "b", "c", "d", "e", "f")]
    middle = keys(sentence, 2, 3, 4)
    assert len(middle) == len(set(middle)) == FEATURES
    for place in range(6):
        other = [*sentence]
        other[place] = parts("changed")
        assert (keys(other, 2, 3, 4) != middle) == (place <= 4)
    assert sum(one != two for one, two in zip(middle, keys(sentence, 2, 5, 4), strict=True)) == 3
    assert sum(one != two for one, two in zip(middle, keys(sentence, 2, 3, 5), strict=True)) == 2


def test_ties_go_to_the_first_tag():
    assert best([1, 3, 3, 2]) == 1


def test_learning_tells_words_apart():
    sentences = [(["cells", "grow"], [0, 1]), (["they", "grow", "cells"], [2, 1, 0])] * 3
    weights = trained(sentences, 3, epochs=3, seed=1)
    scaled = {key: {tag: round(64 * value) for tag, value in row.items()} for key, row in weights.items()}
    for forms, gold in sentences:
        assert tagged(forms, {}, scaled, 3) == gold
    assert tagged(["cells"], {"cells": 2}, scaled, 3) == [2]
