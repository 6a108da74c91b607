from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError


def test_random_vectors_do_not_depend_on_order_or_company():
    model = load_model("baseline:random?dim=20&seed=7")
    together = model.vectors(["fever", "cough", "疲労"])
    np.testing.assert_array_equal(together[::-1], model.vectors(["疲労", "cough", "fever"]))
    np.testing.assert_array_equal(together[1], model.vectors(["cough"])[0])
    assert not np.array_equal(together, load_model("baseline:random?dim=20&seed=8").vectors(["fever", "cough", "疲労"]))


def test_random_vectors_are_the_same_on_every_machine():
    found = load_model("baseline:random?dim=4").vectors(["fever"])[0]
    # BLAKE2b of the word under the seed, counted up by SplitMix64: worked out with whole numbers.
    import hashlib

    state = int.from_bytes(hashlib.blake2b(b"fever", digest_size=8, key=(42).to_bytes(8, "little")).digest(), "little")
    expected = []
    for _ in range(4):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        mixed = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
        expected.append(((mixed ^ mixed >> 31) // 2**40 + 0.5) / 2**23 - 1)
    np.testing.assert_array_equal(found, np.array(expected, np.float32))


def test_random_vectors_are_spread_evenly():
    vectors = load_model("baseline:random?dim=50").vectors([f"word{number}" for number in range(2000)])
    assert np.abs(vectors.mean(axis=0)).max() < 0.06
    assert np.abs(vectors.var(axis=0) - 1 / 3).max() < 0.03
    assert np.abs(np.corrcoef(vectors[:40]) - np.eye(40)).max() < 0.65


def test_random_ignores_case_by_default():
    found = load_model("baseline:random").words_of(["Fever", "fever", "Beta-Blocker x"])
    assert found.words == ["fever", "beta-blocker", "x"]
    assert not found.missing.any()


def levenshtein(one: str, two: str) -> int:
    previous = list(range(len(two) + 1))
    for row, left in enumerate(one, start=1):
        current = [row]
        for column, right in enumerate(two, start=1):
            current.append(min(previous[column] + 1, current[-1] + 1, previous[column - 1] + (left != right)))
        previous = current
    return previous[-1]


terms = st.text("abcdE é-", max_size=8)


@given(st.lists(st.tuples(terms, terms), max_size=8))
def test_edit_similarity_is_its_definition(pairs):
    first, second = [one for one, _ in pairs], [two for _, two in pairs]
    found = load_model("baseline:levenshtein").score(first, second)
    expected = [
        1 - levenshtein(a.lower(), b.lower()) / max(len(a.lower()), len(b.lower())) if a or b else np.nan
        for a, b in pairs
    ]
    np.testing.assert_allclose(found, expected)


def test_edit_similarity_with_case():
    assert load_model("baseline:levenshtein").score(["AB"], ["ab"]).tolist() == [1.0]
    assert load_model("baseline:levenshtein?lowercase=false").score(["AB"], ["ab"]).tolist() == [0.0]


@given(st.lists(st.tuples(terms, terms), min_size=1, max_size=8))
def test_character_ngrams_are_symmetric_and_in_range(pairs):
    pytest.importorskip("sklearn")
    model = load_model("baseline:char-ngrams")
    first, second = [one for one, _ in pairs], [two for _, two in pairs]
    there, back = model.score(first, second), model.score(second, first)
    np.testing.assert_allclose(there, back)
    defined = there[~np.isnan(there)]
    assert ((defined >= 0) & (defined <= 1)).all()
    same = model.score(first, first)
    np.testing.assert_allclose(same[~np.isnan(same)], 1)
    assert [bool(np.isnan(score)) for score in same] == [not term.strip() for term in first]


def test_character_ngrams_by_hand():
    pytest.importorskip("sklearn")
    model = load_model("baseline:char-ngrams?least=3&most=3")
    # " ab", "abc", "bc " and " ab", "abd", "bd ": one of three n-grams in common, the others in one of two terms.
    rare = np.log(3 / 2) + 1
    np.testing.assert_allclose(model.score(["abc"], ["abd"]), 1 / (1 + 2 * rare**2))
    assert np.isnan(model.score([""], ["abc"])[0])
    assert np.isnan(model.score([""], [" "])[0])


def test_character_ngrams_are_fitted_on_the_corpus_and_say_so():
    pytest.importorskip("sklearn")
    model = load_model("baseline:char-ngrams")
    alone = model.score(["fever"], ["fevers"])
    fitted = model.score(["fever"], ["fevers"], corpus=["fever", "fevers", "cough", "coughs"])
    assert alone[0] != fitted[0]
    assert "terms of the benchmark" in model.identity.source
    with pytest.raises(TermgaugeError, match="least=4 is more than most=2"):
        load_model("baseline:char-ngrams?least=4&most=2")


@pytest.mark.parametrize(
    "spec", ["baseline:levenshtein", "baseline:char-ngrams", "baseline:char-ngrams?lowercase=false"]
)
def test_tables_of_all_pairs_have_the_scores_of_single_pairs(spec, monkeypatch):
    monkeypatch.setattr("termgauge.embeddings.baselines._NUMBERS_AT_ONCE", 9)  # a few rows at a time
    model = load_model(spec)
    one, two = ["Fever", "high fever", "", "cold"], ["fever", "Cold", "", "common cold"]
    table = np.concatenate(list(model.against(one, two, one + two)))
    for row, text in enumerate(one):
        single = model.score([text] * len(two), two, one + two)
        np.testing.assert_allclose(table[row], single, rtol=0, atol=1e-12)


def test_a_table_of_terms_without_any_ngram_is_undefined():
    table = np.concatenate(list(load_model("baseline:char-ngrams").against(["", " "], [""], [""])))
    assert np.isnan(table).all()
    assert table.shape == (2, 1)
