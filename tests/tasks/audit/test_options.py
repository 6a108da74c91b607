"""The options of an audit."""

from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.tasks.audit.task import AuditOptions


@pytest.mark.parametrize("name", ["first", "most"])
def test_at_least_one_row_is_shown_and_kept(name):
    assert getattr(AuditOptions.of(**{name: 1}), name) == 1
    with pytest.raises(TermgaugeError, match=name):
        AuditOptions.of(**{name: 0})
