"""American spelling, and lemmas, as lemminflect or a table of the user's has them."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from termgauge.corpus.counting import american_forms, american_list, by_pattern, lemmas_of, read_lemmas
from termgauge.exceptions import TermgaugeError

SPELLED = {
    "haemorrhage": "hemorrhage", "haematology": "hematology", "anaemia": "anemia", "programme": "program",
    "colour": "color", "tumour": "tumor", "contour": "contour", "phaeochromocytoma": "pheochromocytoma",
    "gynaecology": "gynecology", "hour": "hour", "analyse": "analyze", "fibre": "fiber", "oedema": "oedema",
    "tumourigenesis": "tumourigenesis",
}  # fmt: skip


def spelled(word, american):
    return american_forms([word], american, lambda made: made).get(word, word)


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
    assert spelled("axe", {"axe": "ax"}) == "axe"
    assert spelled("grey", {"grey": "gray"}) == "gray"
    assert by_pattern("haem") == "haem"
    assert american_forms(["haemos", "colour"], {"colour": "colour"}, lambda made: made) == {"haemos": "hemos"}


def test_the_users_list_goes_first(tmp_path, monkeypatch):
    (tmp_path / "own.tsv").write_text("Colour \t colorful \nwhilom\tonce\n")
    listed = american_list(tmp_path / "own.tsv")
    assert (listed["colour"], listed["whilom"], listed["fibre"]) == ("colorful", "once", "fiber")
    monkeypatch.setitem(sys.modules, "breame.data.spelling_constants", None)
    assert american_list(tmp_path / "own.tsv") == {"colour": "colorful", "whilom": "once"}
    with pytest.raises(TermgaugeError, match="American spelling needs breame"):
        american_list(None)


def test_lemmas_know_classes():
    pytest.importorskip("lemminflect")
    assert lemmas_of(["gone", "went", "was"], "verb", {}) == {"gone": "go", "went": "go", "was": "be"}
    assert lemmas_of(["cells", "mice"], "noun", {}) == {"cells": "cell", "mice": "mouse"}


def test_a_form_without_a_lemma_is_its_own(monkeypatch):
    monkeypatch.setitem(sys.modules, "lemminflect", SimpleNamespace(getLemma=lambda _form, upos: ()))  # noqa: ARG005
    assert lemmas_of(["cells"], "noun", {}) == {"cells": "cells"}


def test_a_table_of_the_users_goes_first(tmp_path, monkeypatch):
    (tmp_path / "lemmas.tsv").write_text("form\tclass\tlemma\nCells\tNoun\tcellule\n\ngone\tverb\tgo\r\n")
    table = read_lemmas(tmp_path / "lemmas.tsv")
    assert table == {("cells", "noun"): "cellule", ("gone", "verb"): "go"}
    monkeypatch.setitem(sys.modules, "lemminflect", None)
    assert lemmas_of(["cells"], "noun", table) == {"cells": "cellule"}
    with pytest.raises(TermgaugeError, match=r"Finding lemmas needs lemminflect; .*termgauge\[words\]"):
        lemmas_of(["cells"], "verb", table)


def test_a_class_that_is_none(tmp_path):
    (tmp_path / "lemmas.tsv").write_text("cells\tnoun\tcell\nred\tadjective\tred\n")
    with pytest.raises(TermgaugeError, match=r"lemmas\.tsv, line 2: the class 'adjective'"):
        read_lemmas(tmp_path / "lemmas.tsv")
