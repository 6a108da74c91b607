from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.tasks.analogies.task import METHODS, AnalogyOptions


def test_the_first_k_stays_first_and_each_stands_once():
    assert AnalogyOptions.of(k=(10, 1, 10, 5)).k == [10, 1, 5]
    assert AnalogyOptions.of(ks=[3], relation=["treats"]).relations == ["treats"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"k": [0]}, "'k' must be whole numbers, each at least 1"),
        ({"k": []}, "'k' must be whole numbers"),
        ({"method": "ad"}, "must be 'add', 'mul' or 'direction', not 'ad'.*Did you mean 'add'"),
        ({"labels": "some"}, "must be 'first' or 'all', not 'some'"),
    ],
)
def test_bad_options(given, sentence):
    with pytest.raises(TermgaugeError, match=sentence):
        AnalogyOptions.of(**given)


def test_every_method_has_a_name():
    for method in METHODS:
        assert AnalogyOptions.of(method=method).method == method
