from __future__ import annotations

import numpy as np

from benchmarks.levels import quality


def test_intervals_of_shares_hold_about_as_often_as_they_say():
    found = quality.shares(np.array([0.6, 0.9, 0.99]), np.array([0.005, 0.05, 0.2]))
    for held in found.values():
        assert 0.91 < held.least <= held.mean <= held.most
        assert 0.93 < held.mean < 0.985


def test_what_is_printed(capsys):
    quality.main(20)
    printed = capsys.readouterr().out
    assert "recall: 0." in printed
    assert "alpha, raters who are right in 90%" in printed
