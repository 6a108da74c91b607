"""A model of every scheme that runs on torch does what every model must do."""

from __future__ import annotations

import pytest

from tests.common.model_invariants import cases
from tests.common.model_samples import ON_TORCH

pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize(("sample", "invariant"), cases(ON_TORCH))
def test_every_model(sample, invariant, tmp_path):
    invariant(sample, tmp_path)
