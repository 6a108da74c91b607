"""What all results share: what is undefined is null in JSON."""

from __future__ import annotations

import json
import math

from hypothesis import given
from hypothesis import strategies as st

from termgauge.tasks.contract import finite

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(),
    lambda inner: st.lists(inner, max_size=4).map(tuple),
)


def by_definition(value):
    if isinstance(value, tuple):
        return [by_definition(each) for each in value]
    return None if value in (math.inf, -math.inf) or value != value else value


@given(VALUES)
def test_json_holds_it_and_gives_it_back(value):
    written = json.dumps(finite(value), allow_nan=False)
    assert json.loads(written) == finite(value) == by_definition(value)


def test_true_stays_true():
    assert finite((True, 1, 1.0)) == [True, 1, 1.0]
    assert finite(True) is True
