"""Examples of the documentation that need torch."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import pytest

from tests.documentation import NEEDED, ON_TORCH, run_examples

pytest.importorskip("sentence_transformers")
PRINTED = {
    "docs/sentence-transformers.md": (
        "2 evaluations\n['after', 'before']\n",
        "of the training of hp-triplets",
        "medical_mean 0.971\n0.943 1.0\n",
        "True\n['after', 'letters']",
    ),
}
"""Some of what the examples of a page print."""


TRAINING = pytest.mark.filterwarnings("ignore")  # what the trainer and its data say is not ours


@pytest.mark.parametrize("page", [pytest.param(page, marks=TRAINING if ON_TORCH[page] else ()) for page in ON_TORCH])
def test_examples_run(page, tmp_path, monkeypatch, capsys, hpo):
    for library in ON_TORCH[page]:
        pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    if find_spec("datasets"):
        monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", str(tmp_path / "datasets"))
    monkeypatch.setattr("sys.path", list(sys.path))
    for write in NEEDED.get(page, ()):
        write(hpo, tmp_path)
    run_examples(page)
    printed = capsys.readouterr().out
    assert all(part in printed for part in PRINTED.get(page, ()))
