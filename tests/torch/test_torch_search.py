"""Ranks by torch equal ranks by definition, on whatever device."""

from __future__ import annotations

import numpy as np
import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.similarity import torch_search
from termgauge.similarity.search import Listed, NameIndex, Search
from termgauge.similarity.torch_search import chosen_device, count_on_device
from tests.similarity.brute_force import case_with_ties, ranks_by_definition, units

pytest.importorskip("torch")


@pytest.mark.parametrize("seed", range(30))
def test_ranks_by_torch_equal_their_definition(seed, monkeypatch):
    names, concepts, queries, right, hidden = case_with_ties(seed)
    if seed % 2:
        sizes = {"_NAMES_AT_ONCE": 7, "_QUERIES_AT_ONCE": 5, "_MOST_PAIRS": 3, "_PAIRS_AT_ONCE": 4}
        for name, size in sizes.items():
            monkeypatch.setattr(torch_search, name, size)
    search = Search(NameIndex(names, concepts), queries, Listed.from_lists(right), Listed.from_lists(hidden))
    count_on_device(search, "cpu")
    ranks, wrong = ranks_by_definition(names, concepts, queries, right, hidden)
    found = search.ranks()
    assert found.rank.tolist() == ranks
    asked = ~np.isnan(units(queries)[:, 0])
    assert found.wrong_row[asked].tolist() == np.array(wrong)[asked].tolist()


def test_a_device_that_is_not_there_is_refused():
    torch = pytest.importorskip("torch")
    assert chosen_device("auto") == ("cuda" if torch.cuda.is_available() else "cpu")
    with pytest.raises(TermgaugeError, match="CUDA"):
        chosen_device("cuda:99")
