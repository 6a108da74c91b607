"""What tests of experiments share: a look at what is scored."""

from __future__ import annotations

import pytest

from termgauge.tasks.pairs import score


@pytest.fixture
def scored(monkeypatch):
    """Return a list that gets a line for each model, set and measures that are scored."""
    calls = []
    plain = score.score_pairs

    def counted(model, pairs, measures, advance):
        calls.append((model.name, pairs.id, tuple(measures)))
        return plain(model, pairs, measures, advance)

    monkeypatch.setattr(score, "score_pairs", counted)
    return calls
