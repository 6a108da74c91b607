from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings.load import load_model
from termgauge.embeddings.store.vocabulary import Vocabulary
from termgauge.embeddings.table_models import rows_of
from termgauge.embeddings.tokens import WordRules, words_of

KNOWN = [
    "fever",
    "Fever",
    "beta",
    "blocker",
    "heart_attack",
    "acute_heart_attack",
    "heart",
    "attack",
    "acute",
    "crohn's",
]


class Toy:
    """A model of whole numbers: word i has the vector (i, i)."""

    composes = False
    dimension = 2

    def __init__(self, words=KNOWN):
        self.vocabulary = Vocabulary.from_words(words)

    def vectors(self, words):
        return np.repeat(rows_of(self.vocabulary, words)[:, None], 2, axis=1).astype(np.float32)


def found(term, rules=None, words=KNOWN):
    rules = rules or WordRules()
    result = words_of(Toy(words), [term], rules)
    return [result.words[row] for row in result.indices], bool(result.missing[0])


@pytest.mark.parametrize(
    ("term", "words", "missing"),
    [
        ("fever", ["fever"], False),
        ("Fever", ["Fever"], False),
        ("FEVER", ["fever"], False),
        ("Beta-Blocker", ["beta", "blocker"], False),
        ("beta-rash", [], True),
        ("fever, unknown", ["fever"], True),
        ("Crohn's", ["crohn's"], False),
        ("(fever)/heart", ["fever", "heart"], False),
        ("", [], True),
        ("...", [], True),
        ("fever fever", ["fever", "fever"], False),
    ],
)
def test_default_rules(term, words, missing):
    assert found(term) == (words, missing)


@given(st.text(max_size=30))
def test_words_are_the_matches_of_the_documented_expression(term):
    assert WordRules().split_term(term) == re.findall(r"\w+(?:[-'’]\w+)*", term)
    assert WordRules(split="space").split_term(term) == term.split()


def test_options():
    assert found("Fever", WordRules(lowercase=True)) == (["fever"], False)
    assert found("fever, heart", WordRules(split="space")) == (["heart"], True)
    assert found("-", WordRules(split="space")) == ([], True)
    assert found("Acute heart attack", WordRules(phrases="_")) == (["acute_heart_attack"], False)
    assert found("heart attack fever", WordRules(phrases="_")) == (["heart_attack", "fever"], False)
    assert found("heart beta", WordRules(phrases="_")) == (["heart", "beta"], False)
    assert found("fever unknown", WordRules(missing="available")) == (["fever"], False)
    assert found("unknown", WordRules(missing="available")) == ([], True)


terms_strategy = st.lists(
    st.lists(st.sampled_from(["fever", "Heart", "ATTACK", "beta-blocker", "rash", "x-y", "acute"]), max_size=4),
    max_size=8,
)


@given(terms_strategy, st.sampled_from(["strict", "available"]))
def test_many_terms_are_what_each_is_alone(terms, missing):
    rules = WordRules(missing=missing)
    texts = [" ".join(words) for words in terms]
    together = words_of(Toy(), texts, rules)
    assert len(together) == len(texts)
    assert len(set(together.words)) == len(together.words)
    for place, text in enumerate(texts):
        alone = words_of(Toy(), [text], rules)
        np.testing.assert_array_equal(together.matrix(place), alone.matrix(0))
        assert together.missing[place] == alone.missing[0]
        assert [word for term, word in together.unknown if term == place] == [word for _, word in alone.unknown]
        np.testing.assert_array_equal(together.means[place], alone.means[0])
        if not alone.missing[0]:
            np.testing.assert_allclose(alone.means[0], alone.matrix(0).mean(axis=0), rtol=1e-6)


def test_rules_are_part_of_the_identity(tmp_path):
    (tmp_path / "a.txt").write_text("a 1 2\nb 3 4\n")
    keys = {
        load_model(f"{tmp_path / 'a.txt'}{query}").identity.key
        for query in ("", "?lowercase=true", "?split=space", "?phrases=_", "?missing=available")
    }
    assert len(keys) == 5
    assert load_model(f"{tmp_path / 'a.txt'}?missing=strict").identity.key in keys
    assert "missing=strict" in load_model(tmp_path / "a.txt").identity.words


def test_possessives_fall_back_to_their_stem_if_asked():
    rules = WordRules(words="possessive")
    known = ["crohn", "Down", "parkinson's", "parkinson", "beta", "blocker"]
    assert found("Crohn's", rules, known) == (["crohn"], False)
    assert found("Crohn’s", rules, known) == (["crohn"], False)
    assert found("CROHN'S", rules, known) == (["crohn"], False)
    assert found("Down's", rules, known) == (["Down"], False)
    assert found("Beta-Blocker's", rules, known) == (["beta", "blocker"], False)
    assert found("Parkinson's", rules, known) == (["parkinson's"], False)  # the last resort only
    assert found("Hodgkin's", rules, known) == ([], True)
    assert found("Crohn's", WordRules(), known) == ([], True)


@given(st.lists(st.text("abCD'’-s ", max_size=12), max_size=4))
def test_the_rule_only_adds_words(terms):
    model = Toy(["a", "b", "ab", "cd", "ab's"])
    plain, more = words_of(model, terms, WordRules()), words_of(model, terms, WordRules(words="possessive"))
    for term in np.flatnonzero(~plain.missing).tolist():
        assert plain.matrix(term).tolist() == more.matrix(term).tolist()


def test_the_rule_is_part_of_what_a_model_is(tmp_path):
    place = tmp_path / "v.txt"
    place.write_text("1 2\ncrohn 1 2\n")
    plain, rule = load_model(str(place)), load_model(f"{place}?words=possessive")
    assert plain.identity.words == str(WordRules()) == load_model(f"{place}?words=plain").identity.words
    assert "words=plain" not in plain.identity.words
    assert rule.identity.words.endswith("&words=possessive")
    assert rule.identity.key != plain.identity.key
    assert not rule.words_of(["Crohn's"]).missing[0]


def test_a_matrix_takes_the_rule_or_a_list_of_words(tmp_path):
    np.save(tmp_path / "m.npy", np.ones((1, 2), np.float32))
    (tmp_path / "m.words.txt").write_text("crohn\n")
    (tmp_path / "list.txt").write_text("hodgkin\n")
    rule = load_model(f"numpy:{tmp_path / 'm.npy'}?words=possessive")
    named = load_model(f"numpy:{tmp_path / 'm.npy'}?words={tmp_path / 'list.txt'}")
    assert not rule.words_of(["Crohn's"]).missing[0]
    assert named.rules == WordRules()
    assert "hodgkin" in named.vocabulary
