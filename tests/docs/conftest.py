"""A run without a cluster, which all others must equal."""

from __future__ import annotations

import pytest

from tests.docs.machines import alone


@pytest.fixture(scope="session")
def run_alone(tmp_path_factory):
    return alone(tmp_path_factory.mktemp("alone"))
