"""What tests of named entities share."""

from __future__ import annotations

import pytest

from tests.tasks.ner.made_corpus import write_corpus, write_vectors
from tests.tasks.ner.stand_in import use_stand_in


@pytest.fixture
def trained(monkeypatch):
    """Let a stand-in train, without torch, and return what it trains."""
    return use_stand_in(monkeypatch)


@pytest.fixture
def corpus_folder(tmp_path):
    return write_corpus(tmp_path / "made")


@pytest.fixture
def vector_files(tmp_path):
    """Return vectors that know which word is which, and vectors that were drawn."""
    return write_vectors(tmp_path / "knows.txt"), write_vectors(tmp_path / "drawn.txt", knows=False)
