"""Examples of the documentation that need torch."""

from __future__ import annotations

import pytest

from tests.documentation import ON_TORCH, run_examples

pytest.importorskip("sentence_transformers")


@pytest.mark.parametrize("page", ON_TORCH)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_examples(page)
