from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.statistics.krippendorff import LEVELS, Units, _alphas, krippendorff_alpha

UNITS = np.repeat(np.arange(6), 3)
VALUES = np.random.default_rng(3).integers(0, 4, 18).astype(float)


@given(st.lists(st.integers(0, 3), min_size=6, max_size=6), st.sampled_from(LEVELS))
def test_a_resample_is_the_units_written_as_often_as_they_were_drawn(times, level):
    copies = [
        (f"{unit} {copy}", value) for unit, value in zip(UNITS, VALUES, strict=True) for copy in range(times[unit])
    ]
    found = _alphas(Units.from_values(UNITS, VALUES), np.array([times], np.int32), level)[0]
    if len({value for _unit, value in copies}) < 2:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(krippendorff_alpha(*zip(*copies, strict=True), level).value, abs=1e-10)
