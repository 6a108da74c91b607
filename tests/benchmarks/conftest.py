"""What tests of benchmarks share: small sizes, of real terms that are at hand."""

from __future__ import annotations

import pytest
from benchmarks.measure import QUICK_VARIABLE

from benchmarks import real_terms
from termgauge.terminology import read_terminology


@pytest.fixture
def small_sizes(monkeypatch, hpo):
    """Run benchmarks on small sizes, with the terms of HPO for those of a wheel that would have to be downloaded."""
    terms = read_terminology(hpo, cache=False).terms
    texts = [group["text"].to_list() for _concept, group in terms.group_by("concept", maintain_order=True)]
    monkeypatch.setenv(QUICK_VARIABLE, "1")
    monkeypatch.setattr(real_terms, "_all_concepts", lambda: [(own[0], own[1:]) for own in texts])
