"""The kernels are tested on few texts, too, among which a search would compare all."""

from __future__ import annotations

import pytest

from termgauge.benchmark.nearest import search


@pytest.fixture(autouse=True, scope="module")
def _kernels_for_few_texts():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "MOST_COMPARED", 0)
        yield
