from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.options import fields_for
from termgauge.tasks.coverage.task import CoverageOptions


def test_numbers_of_neighbours_ascend_and_stand_once():
    assert CoverageOptions.of(concepts=["1"], k=[10, 5, 10]).k == [5, 10]
    assert CoverageOptions.of(ks=range(1, 4)).k == [1, 2, 3]
    for wrong in ([], [5, 0]):
        with pytest.raises(TermgaugeError, match=r"'k' must be whole numbers, each at least 1, not \["):
            CoverageOptions.of(k=wrong)


def test_what_is_for_files_is_no_flag_and_the_other_way_round():
    only_files = {"analogies", "relations", "method"}
    assert only_files.isdisjoint(fields_for(CoverageOptions, "command"))
    assert only_files <= set(fields_for(CoverageOptions, "file"))
    assert "save_domain" not in fields_for(CoverageOptions, "file")
