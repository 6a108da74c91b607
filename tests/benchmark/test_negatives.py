from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.benchmark import negatives
from termgauge.benchmark.positives import Lexicon, Rows, unordered_pair
from tests.benchmark import plain_builder

words = st.text("abB", min_size=1, max_size=4)
row_lists = st.lists(
    st.tuples(words, words).filter(lambda row: row[0].lower() != row[1].lower()), min_size=1, max_size=16, unique=True
)


def as_rows(rows):
    lexicon = Lexicon()
    first = np.array([lexicon.number(a) for a, _b in rows], dtype=np.int64)
    second = np.array([lexicon.number(b) for _a, b in rows], dtype=np.int64)
    return Rows(first, second, first, second, np.zeros(len(rows), dtype=np.int64)), lexicon


def made(sample, rows, known, seed=42):
    numbered, lexicon = as_rows(rows)
    hidden = {unordered_pair(lexicon.number(a), lexicon.number(b)) for a, b in known}
    found = sample(numbered, lexicon, hidden, random.Random(seed))
    texts = lexicon.texts
    return [(texts[a], texts[b]) for a, b in zip(found.first.tolist(), found.second.tolist(), strict=True)]


@pytest.mark.parametrize("batch", [1, 3, 4096])
@given(rows=row_lists, forbidden=st.lists(st.tuples(words, words), max_size=4))
def test_levenshtein_negatives_are_those_of_the_plain_program(batch, rows, forbidden):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(negatives, "BATCH", batch)
        random.seed(42)
        expected = plain_builder.levenshtein_negatives(rows, plain_builder.either_way(forbidden))
        assert made(negatives.levenshtein_negatives, rows, forbidden) == expected


@given(rows=row_lists, forbidden=st.lists(st.tuples(words, words), max_size=4))
def test_random_negatives_are_allowed_and_miss_only_where_nothing_is_left(rows, forbidden):
    found = made(negatives.random_negatives, rows, forbidden)
    known = plain_builder.either_way(forbidden)
    assert all(pair not in known and pair[0].lower() != pair[1].lower() for pair in found)
    assert len({frozenset(pair) for pair in found}) == len(found)
    if len(found) < len(rows):
        used = {frozenset(pair) for pair in found}
        possible = [
            all(
                frozenset((s, x)) in used or (s, x) in known or s.lower() == x.lower()
                for other, row in enumerate(rows)
                if other != at
                for x in row
            )
            for at, (s, _second) in enumerate(rows)
        ]
        assert any(possible)


@given(rows=row_lists)
def test_random_negatives_are_those_of_the_plain_program_where_it_ends(rows):
    found = made(negatives.random_negatives, rows, [])
    if len(found) == len(rows):
        random.seed(42)
        assert plain_builder.random_negatives(rows, set()) == found


@pytest.mark.parametrize("name", ["random_negatives", "levenshtein_negatives"])
@given(rows=row_lists)
def test_the_generator_goes_on_where_sampling_ended(name, rows):
    own, lexicon = as_rows(rows)
    draw = random.Random(42)
    found = getattr(negatives, name)(own, lexicon, set(), draw)
    if len(found) == len(rows):
        random.seed(42)
        getattr(plain_builder, name)(rows, set())
        assert draw.getstate() == random.getstate()


@pytest.mark.parametrize("sample", [negatives.random_negatives, negatives.levenshtein_negatives])
def test_a_single_row_has_no_negative(sample):
    assert made(sample, [("flu", "influenza")], []) == []


def test_a_set_of_one_large_group_ends_soon():
    """Give each row a try or two, not for ever, where hardly any row can have a negative."""
    size = 150
    rows = [(f"t{one}", f"t{other}") for one in range(size) for other in range(one + 1, size)] + [("a", "b")]
    own, lexicon = as_rows(rows)
    known = {unordered_pair(lexicon.number(one), lexicon.number(other)) for one, other in rows}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(negatives, "_MOST_IN_VAIN", 20_000)
        found = negatives.random_negatives(own, lexicon, known, counting := CountingDraws(42))
    assert counting.count < 2 * (20_000 + 12 * len(rows))
    pairs = {unordered_pair(*pair) for pair in zip(found.first.tolist(), found.second.tolist(), strict=True)}
    assert len(pairs) == len(found)
    assert not pairs & known


class CountingDraws(random.Random):
    """Counts what is drawn of it."""

    count = 0

    def randrange(self, *limits):
        self.count += 1
        return super().randrange(*limits)
