"""The options of linking: what they refuse."""

from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.tasks.linking.task import LinkingOptions


def test_ranks_are_put_in_order():
    assert LinkingOptions.of(k=[10, 1, 1]).k == [1, 10]
    assert LinkingOptions.of().k == [1, 5, 10]


@pytest.mark.parametrize("wrong", [{"k": [0]}, {"k": []}, {"sample": -1}, {"index": "some"}])
def test_wrong_values_are_refused_in_a_sentence(wrong):
    with pytest.raises(TermgaugeError, match=next(iter(wrong))):
        LinkingOptions.of(**wrong)
