"""Sentences for users."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError, TermgaugeWarning, did_you_mean, sentence_of, warn


@pytest.mark.parametrize(
    ("word", "known", "hint"),
    [
        ("lavenshtein", ["random", "levenshtein"], " Did you mean 'levenshtein'?"),
        ("TABLE", ["table"], " Did you mean 'table'?"),
        ("zebra", ["random"], ""),
        ("x", [], ""),
        ("", ["a"], ""),
    ],
)
def test_did_you_mean(word, known, hint):
    assert did_you_mean(word, known) == hint


@given(word=st.text(), known=st.lists(st.text(), max_size=5))
def test_did_you_mean_never_fails(word, known):
    hint = did_you_mean(word, known)
    assert hint == "" or any(hint == f" Did you mean '{each}'?" for each in known)


def test_warn_points_at_the_caller_of_the_caller():
    def library():
        warn("a sentence")

    with pytest.warns(TermgaugeWarning, match="a sentence") as caught:
        library()
    assert caught[0].filename == __file__


def test_an_error_is_no_other_error():
    """Nothing that catches what a library raises may catch it."""
    assert TermgaugeError.__mro__[1] is Exception
    assert not issubclass(TermgaugeError, (ValueError, OSError, RuntimeError))


def test_a_defect_says_that_it_is_one_and_where():
    with pytest.raises(TypeError) as raised:
        did_you_mean(3, ["three"])
    sentence = sentence_of(raised.value)
    assert sentence.startswith("This is a defect of termgauge (TypeError: ")
    assert ", in exceptions.py, line " in sentence
    assert "\n" not in sentence
    assert sentence_of(TermgaugeError("x.tsv: is empty.")) == "x.tsv: is empty."
    assert sentence_of(MemoryError()).startswith("There is not enough memory")
