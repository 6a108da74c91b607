"""The options of words."""

from __future__ import annotations

import pytest

from termgauge.corpus.options import WordOptions
from termgauge.exceptions import TermgaugeError


def test_the_defaults_are_those_of_the_protocol():
    usual = WordOptions()
    assert (usual.min_count, usual.min_length, usual.hyphens, usual.digits) == (5, 3, False, False)
    assert (usual.spelling, usual.general) == ("checked", "wordfreq")


@pytest.mark.parametrize("wrong", [{"min_count": 0}, {"tagset": "pen"}, {"spelling": "british"}, {"breadth": "mash"}])
def test_wrong_values_are_refused(wrong):
    with pytest.raises(TermgaugeError, match=next(iter(wrong))):
        WordOptions.of(**wrong)
