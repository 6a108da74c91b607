"""The compiled tagger against its definition in plain Python."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import plain_tagger as reference
from termgauge.corpus.tagger_kernel import FEATURES, Weights, fill_keys, find, mixed, parts_of, slots_for, tag, text_of

FORMS = st.one_of(
    st.text(st.characters(exclude_characters="\n"), max_size=9),
    st.sampled_from(["IL-2", "İstanbul", "ΟΔΟΣ", "ẞ", "\u212a1", "Été", "", "42%", "\ud800"]),
)
SENTENCES = st.lists(st.lists(FORMS, max_size=6), max_size=5)


def laid_out(sentences, known):
    forms = [form for sentence in sentences for form in sentence]
    return text_of(forms, np.cumsum([len(sentence) for sentence in sentences], dtype=np.int64).tolist(), known)


@given(st.integers(0, 60), st.integers(0, 2**64 - 1))
def test_mixing_is_the_same(feature, value):
    assert int(mixed(feature, np.uint64(value))) == reference.mixed(feature, value)


@given(st.lists(FORMS, max_size=9))
def test_parts_are_the_same(forms):
    assert parts_of(forms).tolist() == [list(reference.parts(form)) for form in forms]


@given(st.lists(FORMS, min_size=1, max_size=6), st.data())
def test_keys_are_the_same(sentence, data):
    at = data.draw(st.integers(0, len(sentence) - 1))
    before, before_that = data.draw(st.tuples(st.integers(0, 250), st.integers(0, 250)))
    found = np.empty(FEATURES, np.uint32)
    fill_keys(found, parts_of(sentence), at, before, before_that)
    assert found.tolist() == reference.keys([reference.parts(form) for form in sentence], at, before, before_that)


@given(st.lists(st.integers(0, 2**32 - 1), unique=True, max_size=40), st.integers(0, 2**32 - 1))
def test_rows_are_found_by_their_keys(numbers, other):
    keys = np.array(numbers, dtype=np.uint32)
    slots = slots_for(keys, len(keys))
    assert [find(slots, keys, key) for key in keys] == list(range(len(keys)))
    if other not in numbers:
        free = -1 - find(slots, keys, np.uint32(other))
        assert slots[free] == -1


@given(SENTENCES, st.data())
def test_tags_are_the_same(sentences, data):
    tags = data.draw(st.integers(1, 5))
    chance = np.random.default_rng(data.draw(st.integers(0, 99)))
    seen = set()
    for sentence in sentences:
        parts = [reference.parts(form) for form in sentence]
        for at in range(len(sentence)):
            for before in range(tags + 1):
                seen.update(reference.keys(parts, at, before, tags))
    weights = {
        key: {int(each): int(chance.integers(-5, 6)) for each in np.flatnonzero(chance.random(tags) < 0.6)}
        for key in sorted(seen)
        if chance.random() < 0.8
    }
    known = {form: 0 for sentence in sentences for form in sentence if chance.random() < 0.2}
    keys = np.array(list(weights), dtype=np.uint32)
    entries = [entry for row in weights.values() for entry in row.items()]
    table = Weights(
        slots_for(keys, len(keys)),
        keys,
        np.cumsum([0, *map(len, weights.values())], dtype=np.int64),
        np.array([each for each, _ in entries], dtype=np.uint8),
        np.array([value for _, value in entries], dtype=np.int16),
    )
    expected = [each for sentence in sentences for each in reference.tagged(sentence, known, weights, tags)]
    assert tag(*laid_out(sentences, known), table, tags).tolist() == expected
