"""A small study and visitors of its server, for each test of the server anew."""

from __future__ import annotations

import pytest

from tests.studies.server.served import served, small_study


@pytest.fixture
def study(tmp_path):
    return small_study(tmp_path)


@pytest.fixture
def visitor(study):
    with served(study) as make:
        yield make
