"""American spelling."""

from __future__ import annotations

import sys

import pytest

from termgauge.corpus.word_forms import american_list, by_list, by_pattern, proposals
from termgauge.exceptions import TermgaugeError

SPELLED = {
    "haemorrhage": "hemorrhage", "haematology": "hematology", "anaemia": "anemia", "programme": "program",
    "colour": "color", "tumour": "tumor", "contour": "contour", "phaeochromocytoma": "pheochromocytoma",
    "gynaecology": "gynecology", "hour": "hour", "analyse": "analyze", "fibre": "fiber", "oedema": "oedema",
    "tumourigenesis": "tumourigenesis",
}  # fmt: skip


def spelled(word, american):
    return proposals([word], american).get(word, by_list(word, american))


def test_words_of_the_oracle(shared):
    lists = [american_list(None)]
    if shared is not None:
        lists.append(american_list(shared / "data" / "lex" / "BritishToAmerican.tsv"))
    for listed in lists:
        assert {word: spelled(word, listed) for word in SPELLED} == SPELLED


def test_only_the_first_pattern_is_applied():
    assert by_pattern("haematoanaemia") == "hematoanemia"  # everywhere, because it is one pattern
    assert by_pattern("leukaemia") == "leukemia"
    assert by_pattern("programmes") == "programs"
    assert by_pattern("detours") == "detours"
    assert by_pattern("michael") == "michel"  # hence the check
    assert by_pattern("archaeology") == "archeology"


def test_short_words_stay():
    assert by_list("axe", {"axe": "ax"}) == "axe"
    assert by_list("grey", {"grey": "gray"}) == "gray"
    assert by_pattern("haem") == "haem"
    assert proposals(["haemos", "colour"], {"colour": "colour"}) == {"haemos": "hemos"}


def test_the_users_list_goes_first(tmp_path, monkeypatch):
    (tmp_path / "own.tsv").write_text("Colour \t colorful \nwhilom\tonce\n")
    listed = american_list(tmp_path / "own.tsv")
    assert (listed["colour"], listed["whilom"], listed["fibre"]) == ("colorful", "once", "fiber")
    monkeypatch.setitem(sys.modules, "breame.data.spelling_constants", None)
    assert american_list(tmp_path / "own.tsv") == {"colour": "colorful", "whilom": "once"}
    with pytest.raises(TermgaugeError, match="American spelling needs breame"):
        american_list(None)
