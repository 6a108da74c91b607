"""What can be said about an export."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.integrations.export import ExportOptions, shares


@given(st.lists(st.integers(1, 1000), min_size=3, max_size=3))
def test_shares_add_up_to_one(parts):
    found = shares(",".join(map(str, parts)))
    assert sum(found) == pytest.approx(1)
    assert found == pytest.approx([part / sum(parts) for part in parts])


@pytest.mark.parametrize("text", ["", "0.8", "0.8,0.2", "a,b,c", "-1,1,1", "0,0,1", "nan,1,1", "inf,1,1", "1,1,1,1"])
def test_what_is_no_split_is_said(text):
    with pytest.raises(TermgaugeError, match="must be the shares of train, validation and test"):
        ExportOptions.of(split=text)
    with pytest.raises(TermgaugeError, match="'levenshtein', 'random' or 'mined'"):
        ExportOptions.of(negatives="nearest")
