from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from termgauge.benchmark.pairset import PairSet
from termgauge.exceptions import TermgaugeError
from termgauge.statistics.separation import best_accuracy
from termgauge.tasks.pairs.worst import worst_pairs

NAN = float("nan")
some_scores = st.lists(st.sampled_from([NAN, -1.0, 0.0, 0.25, 0.5, 0.75, 1.0]), min_size=4, max_size=30)


def pair_set(truth, column):
    terms = [f"t{row}" for row in range(len(truth))]
    return PairSet("x", pl.DataFrame({"term_1": terms, "term_2": terms[::-1], column: truth}))


@given(some_scores, st.randoms())
def test_binary_errors_are_those_at_the_best_threshold_the_farthest_first(scores, random):
    labels = np.array([random.randint(0, 1) for _ in scores])
    values = np.array(scores)
    there = np.flatnonzero(~np.isnan(values))
    if len(set(labels[there])) < 2:
        return
    found = worst_pairs(pair_set(labels, "label"), values, model="m", measure="cos", n=100)
    threshold = best_accuracy(values[there], labels[there]).thresholds[0]
    wanted = [row for row in there if (values[row] >= threshold) != (labels[row] == 1)]
    wanted.sort(key=lambda row: -abs(values[row] - threshold))
    assert [pair.row - 1 for pair in found.pairs] == wanted
    assert (found.threshold, found.scored, found.wrong) == (threshold, len(there), len(wanted))
    for pair in found.pairs:
        assert pair.error == ("false positive" if pair.truth == 0 else "false negative")
        assert (pair.term_1, pair.score) == (f"t{pair.row - 1}", values[pair.row - 1])
    parts = [
        worst_pairs(pair_set(labels, "label"), values, model="m", measure="cos", n=100, only=kind).pairs
        for kind in ("false-positive", "false negative")
    ]
    assert sorted(pair.row for part in parts for pair in part) == sorted(row + 1 for row in wanted)
    assert worst_pairs(pair_set(labels, "label"), values, model="m", measure="cos", n=1).pairs == found.pairs[:1]


@given(some_scores, st.randoms())
def test_graded_errors_are_the_largest_disagreements_of_rank(scores, random):
    ratings = np.array([random.randint(0, 3) / 2 for _ in scores])
    values = np.array(scores)
    there = np.flatnonzero(~np.isnan(values))
    if not len(there):
        return
    found = worst_pairs(pair_set(ratings, "score"), values, model="m", measure="cos", n=100)
    off = (rankdata(values[there]) - rankdata(ratings[there])) / max(1, len(there) - 1)
    wanted = sorted(np.flatnonzero(off), key=lambda place: -abs(off[place]))
    assert [pair.row - 1 for pair in found.pairs] == [there[place] for place in wanted]
    assert [pair.size for pair in found.pairs] == pytest.approx([abs(off[place]) for place in wanted])
    assert [pair.error for pair in found.pairs] == ["too high" if off[place] > 0 else "too low" for place in wanted]
    assert found.threshold is None
    json.dumps(found.as_dict(), allow_nan=False)


def test_what_has_no_wrong():
    with pytest.raises(TermgaugeError, match="no negative pair"):
        worst_pairs(pair_set([1, 1], "label"), np.array([0.1, 0.2]), model="m", measure="cos")
    with pytest.raises(TermgaugeError, match="'m' can score no pair"):
        worst_pairs(pair_set([1, 0], "label"), np.array([NAN, NAN]), model="m", measure="cos")
    perfect = worst_pairs(pair_set([1, 0], "label"), np.array([0.9, 0.2]), model="m", measure="cos")
    assert (perfect.wrong, perfect.pairs) == (0, ())
