"""Sentences for users."""

from __future__ import annotations

import pickle
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge import exceptions
from termgauge.exceptions import (
    TermgaugeError,
    TermgaugeWarning,
    defect_of,
    did_you_mean,
    keep_secret,
    one_line,
    sentence_of,
    warn,
)


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


@given(st.text(st.characters(), max_size=40))
def test_a_message_is_one_line_without_control_characters(text):
    for message in (
        str(TermgaugeError(text)),
        one_line(text),
        sentence_of(OSError(5, text, text)),
        defect_of(KeyError(text)),
    ):
        assert len(message.splitlines()) <= 1
        assert not [letter for letter in message if category(letter) in ("Cc", "Cs", "Zl", "Zp")]
    ordinary = " ".join(text.split())
    if ordinary.isprintable():
        assert one_line(ordinary) == ordinary


def test_several_sentences_stand_in_lines_of_their_own_also_after_a_process():
    error = pickle.loads(pickle.dumps(TermgaugeError("a.toml: is\nempty.", "b.toml: is empty.")))
    assert str(error) == "a.toml: is empty.\nb.toml: is empty."


@given(before=st.text(max_size=30), after=st.text(max_size=30), cut=st.integers(0, 24))
def test_a_secret_is_not_shown_nor_a_longer_part_of_it(secrets, before, after, cut):
    keep_secret(secrets)
    quoted = secrets[cut : cut + 24]
    shown = one_line(f"{before}{quoted} {after}{quoted}")
    assert not any(secrets[at : at + 8] in shown for at in range(len(secrets) - 7))
    assert shown.count("[hidden]") == 2
    assert one_line("nothing to hide") == "nothing to hide"


def test_a_short_secret_hides_no_other_word(monkeypatch):
    monkeypatch.setattr(exceptions, "_secrets", {})
    keep_secret("")
    keep_secret("abc")
    assert one_line("Bearer abc, of the abcess") == "Bearer [hidden], of the abcess"


@pytest.fixture
def secrets(monkeypatch):
    """Return a secret; what is hidden for one test is not hidden for the others."""
    monkeypatch.setattr(exceptions, "_secrets", {})
    return "sk-proj-0123456789-abcdefghijKLMNOPQ"
