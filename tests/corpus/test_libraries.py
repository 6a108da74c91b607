"""Libraries that may not be there."""

from __future__ import annotations

import math

import pytest

from termgauge.corpus.libraries import library
from termgauge.exceptions import TermgaugeError


def test_a_library_is_imported_or_its_extra_is_named():
    assert library("math", "Counting") is math
    with pytest.raises(
        TermgaugeError, match=r"Counting needs nosuchthing; install it with: pip install 'termgauge\[words\]'"
    ):
        library("nosuchthing.part", "Counting")
