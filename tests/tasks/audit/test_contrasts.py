"""Words that tell concepts apart, and words that mean the same, learned from the terms."""

from __future__ import annotations

from termgauge.tasks.audit.inputs import Contrasts, read_entries
from tests.domain.terminologies import terminology_of

ORGANS = ("kidney", "liver", "heart", "lung")
LABELS = {
    **{f"high {organ}": [f"Increased {organ} enzyme"] for organ in ORGANS},
    **{f"low {organ}": [f"Decreased {organ} enzyme"] for organ in ORGANS},
    **{f"tumor {organ}": [f"Tumor of the {organ}", f"Neoplasm of {organ}"] for organ in ORGANS},
    **{f"cyst {organ}": [f"{organ} cyst"] for organ in ORGANS},
    **{f"large cyst {organ}": [f"Large {organ} cyst"] for organ in ORGANS},
    "skin 1": ["Tumor of skin"],
    "skin 2": ["Neoplasm of the skin"],
}


def contrasts():
    entries = read_entries(terminology_of(LABELS))
    return entries, Contrasts(entries)


def test_contrasts_are_words_that_tell_concepts_apart():
    _entries, learned = contrasts()
    assert learned.between("Increased skin enzyme", "Decreased skin enzyme") == ("increased", "decreased")
    assert learned.between("Skin cyst", "Large skin cyst") == ("", "large")
    assert learned.between("Large skin cyst", "Skin cyst") == ("large", "")
    assert learned.between("Tumor of bone", "Neoplasm of bone") is None
    assert learned.between("Big toe", "Small toe") is None
    assert learned.between("Big toe", "Big toe") is None
    assert learned.often("increased", "decreased") == learned.often("decreased", "increased") == len(ORGANS)


def test_numbers_and_letters_are_always_contrasts():
    _entries, learned = contrasts()
    for one, other in (("4th toe", "5th toe"), ("Type II", "Type IV"), ("Vitamin A", "Vitamin B"), ("IL 2", "IL 12")):
        assert learned.between(one, other)


def test_words_that_are_used_for_each_other_propose_synonyms():
    entries, learned = contrasts()
    found = {(entries.texts[one], entries.texts[other]) for one, other in learned.synonymous}
    assert found == {("Tumor of skin", "Neoplasm of the skin")}
    assert set(learned.synonymous.values()) == {("neoplasm", "tumor")}
