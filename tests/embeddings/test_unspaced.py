"""Words of scripts without spaces."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings.tokens import WordRules, cut_words, is_unspaced, words_of
from termgauge.exceptions import TermgaugeWarning
from tests.domain.tables import Words

ORIENTAL = st.text(st.sampled_from("心筋梗塞性急รคหัวใจ"), min_size=1, max_size=12)


def model_of(*words):
    return Words(list(words), np.eye(len(words), dtype=np.float32), name="words")


def found(model, term, **rules):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TermgaugeWarning)
        made = words_of(model, [term], WordRules(**rules))
    return [made.words[index] for index in made.indices], [word for _term, word in made.unknown]


@given(ORIENTAL, st.sets(ORIENTAL))
def test_cutting_loses_nothing_and_takes_the_longest(word, known):
    (parts,) = cut_words([word], lambda runs: runs & known).values()
    assert "".join(parts) == word
    rest = word
    for part in parts:
        longer = [each for each in known if rest.startswith(each) and len(each) > len(part)]
        assert not [each for each in longer if len(each) <= 20 and not _splits_a_mark(rest, each)]
        rest = rest[len(part) :]


def _splits_a_mark(text, word):
    return text[len(word) : len(word) + 1] in ("\u0e31", "\u0e34")


def test_only_such_scripts_are_cut():
    for text in ("Herzinfarkt", "infarto agudo", "Инфаркт", "심근경색", "καρδιά", "קדחת", "حمى"):
        assert not is_unspaced(text)
    for text in ("心筋梗塞", "ひ", "カテーテル", "หัวใจ", "ຫົວໃຈ", "បេះដូង", "နှလုံး", "abc心"):
        assert is_unspaced(text)


def test_chinese_and_thai_terms_meet_their_vectors():
    model = model_of("心筋", "梗塞", "หัวใจ", "CT")
    assert found(model, "心筋梗塞") == (["心筋", "梗塞"], [])
    assert found(model, "CT心筋") == (["CT", "心筋"], [])
    assert found(model, "โรคหัวใจ") == (["หัวใจ"], ["โ", "ร", "ค"])
    assert found(model_of("心筋梗塞", "心筋"), "心筋梗塞") == (["心筋梗塞"], [])


def test_it_is_said_that_cutting_is_no_segmenting():
    with pytest.warns(TermgaugeWarning, match="words: terms in a script without spaces are cut"):
        words_of(model_of("心"), ["心"], WordRules())


@pytest.mark.parametrize("form", ["é", "e\u0301"])
def test_accents_are_found_however_they_are_written(form):
    term = f"syndrome m{form}tabolique"
    model = model_of("syndrome", "métabolique")
    assert found(model, term) == (["syndrome", "métabolique"], [])
    assert found(model_of("syndrome", "metabolique"), term) == (["syndrome"], ["métabolique"])


def test_words_of_other_languages_are_whole():
    model = model_of("herzinfarkt", "straße", "i\u0307drar", "रक्तचाप", "σύνδρομος")
    for term, word in {
        "Herzinfarkt": "herzinfarkt",
        "STRASSE": None,
        "Straße": "straße",
        "İdrar": "i\u0307drar",
        "रक्तचाप": "रक्तचाप",
        "ΣΎΝΔΡΟΜΟΣ": "σύνδρομος",
    }.items():
        assert found(model, term) == (([word], []) if word else ([], [term]))
