from __future__ import annotations

import json
import sys

import pytest

from termgauge.embeddings.libraries import first_line, library
from termgauge.exceptions import TermgaugeError


def test_a_library_that_is_there_is_returned():
    assert library("json", "This test", "tokens") is json


@pytest.mark.parametrize(
    ("called", "needed"), [("", "tokenizers.models"), ("the package 'tokenizers'", "the package 'tokenizers'")]
)
def test_one_that_is_missing_is_named_with_its_extra(monkeypatch, called, needed):
    monkeypatch.setitem(sys.modules, "tokenizers.models", None)
    with pytest.raises(TermgaugeError) as error:
        library("tokenizers.models", "This test", "tokens", called)
    assert str(error.value) == f"This test needs {needed}; install it with: pip install 'termgauge[tokens]'."


@pytest.mark.parametrize(
    ("said", "shown"), [("It is broken.\nTraceback: …", "It is broken"), ("", "ValueError"), ("a" * 300, "a" * 200)]
)
def test_only_the_beginning_of_what_a_library_says_is_shown(said, shown):
    assert first_line(ValueError(said)) == shown
