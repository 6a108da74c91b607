"""Terms as numbers: each text once, pairs that do not know their order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from termgauge.benchmark.positives import Lexicon, as_numbers, unordered, unordered_pair

TEXTS = st.lists(st.text("abAB ß", max_size=4), max_size=20)
NUMBERS = st.integers(0, 2**31 - 1)


@given(TEXTS)
def test_each_text_has_one_number_in_the_order_of_appearance(texts):
    lexicon = Lexicon()
    numbers = [lexicon.number(text) for text in texts]
    assert lexicon.texts == list(dict.fromkeys(texts))
    assert lexicon.lowered == [text.lower() for text in lexicon.texts]
    assert [lexicon.texts[number] for number in numbers] == texts
    assert [lexicon.number(text) for text in texts] == numbers
    assert len(lexicon) == len(set(texts))
    assert lexicon.number("never seen") == len(set(texts))


@given(st.lists(st.tuples(st.text("abcAB ", max_size=6), st.text("abcAB ", max_size=6)), min_size=1, max_size=12))
def test_distances_are_those_of_lower_case_terms(pairs):
    lexicon = Lexicon()
    first, second = (as_numbers([lexicon.number(pair[side]) for pair in pairs]) for side in (0, 1))
    expected = [Levenshtein.distance(one.lower(), two.lower()) for one, two in pairs]
    assert lexicon.distances(first, second).tolist() == expected


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=12))
def test_a_pair_has_one_key_in_both_orders_and_no_other_pair_has_it(pairs):
    first, second = as_numbers([one for one, _ in pairs]), as_numbers([two for _, two in pairs])
    keys = unordered(first, second).tolist()
    assert keys == unordered(second, first).tolist()
    assert keys == [unordered_pair(one, two) for one, two in pairs]
    assert len(set(keys)) == len({frozenset(pair) for pair in pairs})
