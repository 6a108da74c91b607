from __future__ import annotations

import pytest
from benchmarks.levels.linking import CASES, Case, main, marked

from benchmarks.levels import linking


def test_a_line_for_each_case(capsys, monkeypatch):
    monkeypatch.setattr(linking, "CASES", [Case(10, 0.5)])
    main(20)
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("10 concepts, accuracy 0.5 ")
    assert "mrr: 0." in line


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=str)
def test_equal_models_are_marked_no_more_often_than_they_may_be(case):
    assert max(marked(case, 1000).values()) <= 0.06 + 0.013  # two standard errors of 1,000 repeats
