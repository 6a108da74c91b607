"""Forms of terms: what differs by rules alone has a form in common, and nothing else should."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.tasks.audit.rules import RULES, SAME_TEXT, american, difference, form, forms, singular

SAME = [
    ("Hypoplastic metacarpal", "Hypoplastic metacarpals", "plural"),
    ("Peg-shaped teeth", "Peg-shaped tooth", "plural"),
    ("Abnormal vertebrae", "Abnormal vertebra", "plural"),
    ("Thrombi", "Thrombus", "plural"),
    ("Short phalanges", "Short phalanx", "plural"),
    ("Multiple diagnoses", "Multiple diagnosis", "plural"),
    ("Xanthomata", "Xanthoma", "plural"),
    ("Swallowing difficulty", "Difficulty swallowing", "word order"),
    ("Anemia, aplastic", "Aplastic anemia", "word order"),
    ("Deficiency of the enzyme", "Enzyme deficiency", "word order"),
    ("Tumour", "tumor", "spelling variant"),
    ("Oesophageal oedema", "esophageal edema", "spelling variant"),
    ("Localised leukaemia", "Localized leukemia", "spelling variant"),
    ("Non-specific rash", "Nonspecific rash", "hyphen or space"),
    ("Missed heart beat", "Missed heartbeat", "hyphen or space"),
    ("Ekbom's syndrome", "Ekbom syndrome", "possessive"),
    ("Fourth toe", "4th toe", "numeral"),
    ("Type II", "Type 2", "numeral"),
    ("Fever", "fEVER", SAME_TEXT),
    ("Tumours of the lung", "Lung tumor", "plural + spelling variant + word order"),
]
DIFFERENT = [
    ("Fever", "Cough"),
    ("Vitamin A deficiency", "Vitamin deficiency"),
    ("Chromosome X", "Chromosome 10"),
    ("CD4+ cells", "CD4- cells"),
    ("Type I", "Type II"),
    ("4th toe", "5th toe"),
    ("Hypertension", "Hypotension"),
    ("Pain in arm", "Pain without arm"),
]


@pytest.mark.parametrize(("one", "other", "kind"), SAME)
def test_what_differs_by_rules_alone_has_a_form_in_common(one, other, kind):
    assert difference(one, other) == difference(other, one) == kind
    assert set(forms(one)) & set(forms(other))


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_means_something_else_has_none(one, other):
    assert difference(one, other) == ""
    assert not set(forms(one)) & set(forms(other))


@pytest.mark.parametrize("word", ["series", "herpes", "caries", "is", "us", "abs"])
def test_words_that_look_like_plurals_stay(word):
    assert singular(word) == word


def test_hours_and_contours_are_not_american():
    assert [american(word) for word in ("hour", "four", "disease", "noise")] == ["hour", "four", "disease", "noize"]


@given(st.text(max_size=40), st.sets(st.sampled_from(RULES)))
def test_a_form_has_no_case_and_never_fails(text, rules):
    assert form(text.upper().lower(), rules) == form(text.upper().lower().lower(), rules)
    assert forms(text)[1].startswith("=")
    assert difference(text, text) == SAME_TEXT


@given(st.lists(st.sampled_from(["acute", "renal", "failure", "tumours", "bones", "type", "II"]), max_size=6))
def test_order_does_not_count(words):
    assert forms(" ".join(words))[0] == forms(" ".join(reversed(words)))[0]
