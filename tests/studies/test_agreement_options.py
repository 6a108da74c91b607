from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.studies.options import AgreementOptions


@pytest.mark.parametrize("given", ["0,6", "0, 6", (0, 6), [0.0, 6.0]])
def test_a_scale_is_a_text_or_two_numbers(given):
    assert AgreementOptions.of(scale=given).scale == (0.0, 6.0)


@pytest.mark.parametrize("given", ["0", "6,0", "0,x", "0,6,9", "0,nan"])
def test_what_is_no_scale(given):
    with pytest.raises(TermgaugeError, match="such as 0,6"):
        AgreementOptions.of(scale=given)


def test_raters_are_names_with_commas():
    assert AgreementOptions.of().raters is None
    assert AgreementOptions.of(raters="ann, bob").raters == ["ann", "bob"]
    assert AgreementOptions.of(raters=["ann", "bob"]).raters == ["ann", "bob"]
    assert AgreementOptions.of().scale is None


def test_rules_are_known():
    with pytest.raises(TermgaugeError, match="Did you mean 'others'"):
        AgreementOptions.of(rule="other")
