"""What tests of experiments share: a look at what is scored."""

from __future__ import annotations

import pytest

from termgauge.experiment import evaluate


@pytest.fixture
def scored(monkeypatch):
    """Return a list that gets a line for each model, set and measures that are scored."""
    calls = []
    plain = evaluate.score_pairs

    def score(model, pairs, measures, advance):
        calls.append((model.name, pairs.id, tuple(measures)))
        return plain(model, pairs, measures, advance)

    monkeypatch.setattr(evaluate, "score_pairs", score)
    return calls
