"""Lemmas, as lemminflect or a table of the user's has them."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from termgauge.corpus.word_forms import lemmas_of, read_lemmas
from termgauge.exceptions import TermgaugeError


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
