"""Examples of the documentation that need torch."""

from __future__ import annotations

import pytest

from tests.documentation import ON_TORCH, run_examples

pytest.importorskip("sentence_transformers")
PRINTED = {
    "docs/sentence-transformers.md": (
        "medical_mean 0.971\n0.943 1.0\n",
        "2 evaluations\nTrue\n['after', 'letters']",
    ),
}
"""Some of what the examples of a page print."""


TRAINING = pytest.mark.filterwarnings("ignore")  # what the trainer and its data say is not ours


@pytest.mark.parametrize("page", [pytest.param(page, marks=TRAINING if ON_TORCH[page] else ()) for page in ON_TORCH])
def test_examples_run(page, tmp_path, monkeypatch, capsys):
    for library in ON_TORCH[page]:
        pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    run_examples(page)
    printed = capsys.readouterr().out
    assert all(part in printed for part in PRINTED.get(page, ()))
