"""Without the library, the evaluator says what to install; with it, it is tested among what runs on torch."""

from __future__ import annotations

import sys

import pytest

import termgauge as tg
from tests.engine.toy_models import graded_set


def test_what_it_needs_is_said(monkeypatch):
    assert "SentenceTransformerEvaluator" in dir(tg.integrations)
    evaluator = tg.integrations.SentenceTransformerEvaluator
    for module in [name for name in sys.modules if name.split(".")[0] == "sentence_transformers"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(tg.TermgaugeError, match=r"needs sentence-transformers; install .* 'termgauge\[transformers\]'"):
        evaluator(graded_set())


def test_other_names_are_not_there():
    with pytest.raises(AttributeError, match="has no attribute 'SentenceTransformersEvaluator'"):
        _ = tg.integrations.SentenceTransformersEvaluator
