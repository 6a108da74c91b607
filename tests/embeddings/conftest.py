"""What the tests of vectors share: gensim, the oracle, and a small table."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest


@pytest.fixture(scope="session")
def gensim() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("gensim.models")


@pytest.fixture
def table():
    """Some words and vectors."""
    words = ["fever", "cough", "Crohn's", "beta-blocker", "β2", "naïve", "疲労"]
    vectors = np.random.default_rng(3).normal(size=(len(words), 5)).astype(np.float32)
    return words, vectors
