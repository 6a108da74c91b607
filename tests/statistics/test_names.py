from __future__ import annotations

import pytest

from termgauge.statistics.inputs import BINARY, GRADED, STATISTICS, statistic_for


@pytest.mark.parametrize("wanted", STATISTICS)
def test_a_set_is_compared_by_a_statistic_of_its_kind(wanted):
    for graded, own in ((True, GRADED), (False, BINARY)):
        assert statistic_for(wanted, graded=graded) == (wanted if wanted in own else own[0])
