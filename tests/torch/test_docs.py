"""Examples of the documentation that need torch."""

from __future__ import annotations

import sys

import pytest

from tests.documentation import ON_TORCH, examples, run_examples

pytest.importorskip("sentence_transformers")


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning")
@pytest.mark.parametrize("page", ON_TORCH)
def test_examples_run(page, tmp_path, monkeypatch):
    if "import mteb" in examples(page):
        pytest.importorskip("mteb")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("sys.path", list(sys.path))
    run_examples(page)
