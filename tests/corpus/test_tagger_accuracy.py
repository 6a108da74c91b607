"""Counting how often a tagger is right, against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.corpus.tagged_text import TaggedSentences, read_tagged_sentences
from termgauge.corpus.tagger import Tagger
from termgauge.corpus.tagger_training import score


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
        assert hits.recall == (right / gold.count(tag) if tag in gold else None)
        assert hits.precision == (right / given_.count(tag) if tag in given_ else None)
    assert sum(hits.tokens for hits in found.classes.values()) == len(pairs)
    assert found.as_dict()["classes"]["noun"]["tokens"] == sum(kind[tag] == "noun" for tag in gold)


def test_tags_of_no_known_set_have_no_classes():
    found = score(Fixed(["Q1"]), TaggedSentences(["x"], ["Q1"], [1]))
    assert (found.accuracy, found.class_accuracy, found.classes) == (1.0, None, None)
    assert found.as_dict()["classes"] is None


def test_the_shipped_tagger_on_the_genia_corpus(shared):
    if shared is None:
        pytest.skip("the GENIA corpus is not at hand")
    found = score(Tagger.load(), read_tagged_sentences([shared / "data" / "genia-pos" / "test.tsv"]))
    assert (found.sentences, found.tokens) == (2036, 50556)
    assert found.accuracy >= 0.983
    assert found.class_accuracy >= 0.989
