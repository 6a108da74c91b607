"""Why a synonym may look unlike the other terms of its concept without being wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.tasks.audit.rules import (
    ABBREVIATION,
    ACRONYM,
    EPONYM,
    KINDS,
    LANGUAGE,
    LAY,
    WRONG,
    Explanations,
)

RULES = Explanations(
    ["Atrial septal defect", "Congenital megacolon", "broken bone", "A disease of the skin", "long fever", "Big toe"]
)


@pytest.mark.parametrize(
    ("synonym", "others", "kind"),
    [
        ("ASD", ["Atrial septal defect"], ACRONYM),
        ("Atrial septal defect", ["ASD"], ACRONYM),
        ("SLE nephritis", ["Kidney in systemic lupus erythematosus"], ACRONYM),
        ("PCO syndrome", ["Polycystic ovary syndrome"], ACRONYM),
        ("Hb", ["Cough"], WRONG),
        ("Elev. temp.", ["Elevated temperature"], ABBREVIATION),
        ("Hirschsprung disease", ["Congenital megacolon"], EPONYM),
        ("Babinski's sign", ["Upgoing toe"], EPONYM),
        ("Tetralogy of Fallot", ["Four heart defects"], EPONYM),
        ("Лихорадка", ["Fever"], LANGUAGE),
        ("Fièvre de lait", ["Milk fever"], LANGUAGE),
        ("Dolor de la mano", ["Hand pain"], LANGUAGE),
        ("Broken bone", ["Cough"], WRONG),
        ("TNF-α elevated", ["Raised cytokine"], WRONG),
        ("Long Fever", ["Cough"], WRONG),
    ],
)
def test_rules(synonym, others, kind):
    assert RULES.kind(synonym, others) == kind


def test_what_the_terminology_says_goes_first():
    assert RULES.kind("Belly ache", ["Abdominal pain"], "layperson") == LAY
    assert RULES.kind("ASD", ["Atrial septal defect"], "synonym", ("de", "en")) == LANGUAGE
    assert RULES.kind("ASD", ["Atrial septal defect"], "synonym", (None, "en")) == ACRONYM


def test_a_word_that_the_terminology_writes_small_is_no_name():
    assert RULES.kind("Skin disease", ["Cough"]) == WRONG
    assert Explanations([]).kind("Skin disease", ["Cough"]) == EPONYM


@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=3))
def test_every_text_has_a_kind(synonym, others):
    assert RULES.kind(synonym, others) in KINDS
