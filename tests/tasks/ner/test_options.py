from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.tasks.ner.task import NerOptions


def test_a_corpus_may_stand_alone_and_must_stand():
    assert NerOptions.of(corpus="a").corpus == ["a"]
    with pytest.raises(TermgaugeError, match="The option 'corpus' is needed: A folder with"):
        NerOptions.of()
    with pytest.raises(TermgaugeError, match="'corpus' must have at least 1 item"):
        NerOptions.of(corpus=[])


def test_places_are_relative_to_the_file_and_keep_their_names():
    options = NerOptions.of(corpus=["NCBI", "chem=data/BC5", "data/a=b"]).located(lambda place: f"/here/{place}")
    assert options.corpus == ["/here/NCBI", "chem=/here/data/BC5", "/here/data/a=b"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"profile": "book"}, "must be 'code' or 'paper', not 'book'"),
        ({"trials": 0}, "must be at least 1, not 0"),
        ({"epochs": 0}, "must be at least 1, not 0"),
        ({"decoding": "viterbl"}, "Did you mean 'viterbi'"),
        ({"device": "gpu"}, "must be 'auto', 'cpu' or 'cuda'"),
        ({"max_words": 0}, "must be at least 1"),
    ],
)
def test_values_that_make_no_sense_are_refused(given, said):
    with pytest.raises(TermgaugeError, match=said):
        NerOptions.of(corpus="a", **given)
