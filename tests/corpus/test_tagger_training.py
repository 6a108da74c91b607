"""Learning, compiled, against its definition in plain Python; and what cannot be learned from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import plain_tagger as reference
from termgauge.corpus import tagger_training
from termgauge.corpus.tagged_text import TaggedSentences
from termgauge.corpus.tagger_training import MOST_TAGS, QUANTUM, learn
from termgauge.exceptions import TermgaugeError

WORDS = st.tuples(st.sampled_from(["cells", "grow", "The", "p53", "é", "of"]), st.sampled_from(["NN", "VB", "DT"]))
SENTENCES = st.lists(st.lists(WORDS, min_size=1, max_size=7), min_size=1, max_size=12)


def flat(sentences):
    words = [word for sentence in sentences for word in sentence]
    ends = np.cumsum([len(sentence) for sentence in sentences]).tolist()
    return TaggedSentences([form for form, _ in words], [tag for _, tag in words], ends)


@settings(max_examples=25)
@given(SENTENCES, st.integers(1, 3), st.integers(0, 5))
def test_learned_weights_are_the_averages(sentences, epochs, seed):
    given_ = flat(sentences)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tagger_training, "_FIRST_ROWS", 64)  # so that the tables grow
        found = learn(given_, epochs=epochs, seed=seed)
    numbers = {tag: number for number, tag in enumerate(found.tags)}
    plain = [([form for form, _ in each], [numbers[tag] for _, tag in each]) for each in sentences]
    expected = reference.trained(plain, len(found.tags), epochs, seed)
    rounded = {
        (key, tag): number
        for key, row in expected.items()
        for tag, value in row.items()
        if (number := int(np.rint(value / QUANTUM)))
    }
    rows = np.repeat(found.keys, found.counts).tolist()
    assert dict(zip(zip(rows, found.weight_tags.tolist(), strict=True), found.weights.tolist(), strict=True)) == rounded
    assert found.keys.tolist() == sorted(set(rows))
    assert found.known == reference.known_words(given_.forms, [numbers[tag] for tag in given_.tags])


def test_the_seed_decides():
    sentences = [[(f"w{number % 7}", "NN" if number % 3 else "VB"), ("x", "DT")] for number in range(40)]
    one, same, other = (learn(flat(sentences), seed=seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(one[2:], same[2:], strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(one[2:], other[2:], strict=True))


def test_what_cannot_be_learned_from():
    with pytest.raises(TermgaugeError, match="no tagged sentences"):
        learn(TaggedSentences([], [], []))
    many = [f"T{number}" for number in range(MOST_TAGS + 1)]
    with pytest.raises(TermgaugeError, match=r"251 different tags .* second column"):
        learn(TaggedSentences(many, many, [len(many)]))
