"""Words that agree with a number."""

from __future__ import annotations

import pytest

from termgauge.plurals import numbered, plural


@pytest.mark.parametrize(
    ("value", "verb", "words"),
    [
        (0, "have", "0 queries are"),
        (1, "has", "1 query is"),
        (2, "have", "2 queries are"),
        (1200, "have", "1,200 queries are"),
    ],
)
def test_words_agree_with_none_one_two_and_many(value, verb, words):
    assert plural(value, "has", "have") == verb
    assert numbered(value, "query is", "queries are") == words
    assert numbered(value, "pair") == f"{value:,} pair{'' if value == 1 else 's'}"
