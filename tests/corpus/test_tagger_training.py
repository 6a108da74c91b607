"""Learning to tag, and how often a tagger is right."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks import plain_tagger as reference
from termgauge.corpus import tagger_kernel
from termgauge.corpus.sentences import TaggedSentences, read_tagged_sentences
from termgauge.corpus.tagger import Tagger, score
from termgauge.corpus.tagger_kernel import MOST_TAGS, QUANTUM, known_words, learn
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
        patched.setattr(tagger_kernel, "_FIRST_ROWS", 64)  # so that the tables grow
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


@given(
    st.dictionaries(st.sampled_from("abc"), st.tuples(st.integers(0, 110), st.integers(0, 4)), min_size=1),
    st.randoms(use_true_random=False),
)
@example({"a": (97, 3), "b": (96, 4), "c": (19, 0)}, random.Random(0))
@example({"a": (3, 97), "b": (20, 0), "c": (0, 1)}, random.Random(0))
def test_words_are_known_that_are_frequent_and_have_one_tag_nearly_always(counts, order):
    words = [(form, tag) for form, split in counts.items() for tag in (0, 1) for _time in range(split[tag])]
    order.shuffle(words)
    wanted = {
        form: split.index(max(split))
        for form, split in counts.items()
        if sum(split) >= 20 and 100 * max(split) >= 97 * sum(split)
    }
    assert known_words((form for form, _ in words), (tag for _, tag in words)) == wanted
    if words:
        learned = learn(TaggedSentences([form for form, _ in words], ["ab"[tag] for _, tag in words], [len(words)]))
        assert {form: "ab".index(learned.tags[tag]) for form, tag in learned.known.items()} == wanted


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


class Fixed:
    """A tagger that gives tags that were chosen before."""

    def __init__(self, given_):
        self.tags = sorted(set(given_))
        self._numbers = np.array([self.tags.index(tag) for tag in given_], np.uint8)

    def numbers(self, _forms, _ends):
        return self._numbers


TAGS = st.sampled_from(["NN", "NNS", "VB", "MD", "DT"])


@given(st.lists(st.tuples(TAGS, TAGS), min_size=1, max_size=30))
def test_scores_are_those_counted_by_hand(pairs):
    gold, given_ = zip(*pairs, strict=True)
    found = score(Fixed(given_), TaggedSentences(["x"] * len(pairs), list(gold), [len(pairs)]))
    assert found.accuracy == sum(one == other for one, other in pairs) / len(pairs)
    kind = {"NN": "noun", "NNS": "noun", "VB": "verb", "MD": "other", "DT": "other"}
    assert found.class_accuracy == sum(kind[one] == kind[other] for one, other in pairs) / len(pairs)
    for tag, hits in found.tags.items():
        right = pairs.count((tag, tag))
        assert hits["recall"] == (right / gold.count(tag) if tag in gold else None)
        assert hits["precision"] == (right / given_.count(tag) if tag in given_ else None)
    assert sum(hits["tokens"] for hits in found.classes.values()) == len(pairs)
    assert found.classes["noun"]["tokens"] == sum(kind[tag] == "noun" for tag in gold)


def test_tags_of_no_known_set_have_no_classes():
    found = score(Fixed(["Q1"]), TaggedSentences(["x"], ["Q1"], [1]))
    assert (found.accuracy, found.class_accuracy, found.classes) == (1.0, None, None)


def test_the_shipped_tagger_on_the_genia_corpus(shared):
    if shared is None:
        pytest.skip("the GENIA corpus is not at hand")
    found = score(Tagger.load(), read_tagged_sentences([shared / "data" / "genia-pos" / "test.tsv"]))
    assert (found.sentences, found.tokens) == (2036, 50556)
    assert found.accuracy >= 0.983
    assert found.class_accuracy >= 0.989
