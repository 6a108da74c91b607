"""How two terminologies are joined."""

from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.terminology.mappings import RELATIONS
from termgauge.terminology.options import MappingOptions


def test_relations_are_those_of_the_registry():
    assert MappingOptions.of(mapping_relation=",".join(RELATIONS)).mapping_relation == list(RELATIONS)
    assert MappingOptions.of(mapping_relation=["exact", "close,broad"]).mapping_relation == ["exact", "close", "broad"]
    assert MappingOptions().mapping_relation == ["exact"]
    with pytest.raises(TermgaugeError, match="mapping_relation"):
        MappingOptions.of(mapping_relation="equal")
