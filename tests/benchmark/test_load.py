"""What names mean: folders, files, and ids of rated sets."""

from __future__ import annotations

import pytest

from termgauge.benchmark.load import load_sets
from termgauge.exceptions import TermgaugeError
from tests.experiment.toy_models import binary_set


def test_sets_from_files(tmp_path):
    pairs = binary_set()
    pairs.write_tsv(tmp_path / "mine.tsv")
    pairs.write_parquet(tmp_path / "mine.parquet")
    one, two = load_sets([tmp_path / "mine.tsv", tmp_path / "mine.parquet"])
    assert (one.id, two.id) == ("mine", "toy/binary")
    assert one.sha256 == two.sha256 == pairs.sha256


def test_the_same_set_twice():
    with pytest.raises(TermgaugeError, match="Two sets are called 'toy/binary'"):
        load_sets([binary_set(), binary_set()])
