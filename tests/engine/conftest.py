"""What tests of experiments share: a look at what is scored."""

from __future__ import annotations

import pytest

from termgauge.tasks.pairs import scored as pair_scoring


@pytest.fixture
def scored(monkeypatch):
    """Return a list that gets a line for each model, set and measures that are scored."""
    calls = []
    plain = pair_scoring.score_pairs

    def counted(model, pairs, measures, advance):
        calls.append((model.name, pairs.id, tuple(measures)))
        return plain(model, pairs, measures, advance)

    monkeypatch.setattr(pair_scoring, "score_pairs", counted)
    return calls
