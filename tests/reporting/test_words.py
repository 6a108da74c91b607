from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from termgauge.reporting.words import (
    bold,
    capitalised,
    corrected,
    count,
    counted,
    listed,
    lowered,
    named,
    spans,
)

NAMES = st.lists(st.text(min_size=1, max_size=12).filter(str.strip), min_size=1, max_size=8)


@given(st.text(min_size=1, max_size=30))
def test_a_name_in_bold_is_one_span(name):
    (span,) = spans(bold(name))
    assert span.style == "bold"
    assert len(span.text) == len(name)


@given(NAMES)
def test_of_many_names_the_first_are_said(names):
    said = [span.text for span in spans(named(names)) if span.style == "bold"]
    assert len(said) == min(4, len(names))
    more = len(names) - 4
    assert ("other" in named(["x"] * len(names))) == (more > 0)
    if more > 0:
        assert named(names).endswith(f" and {count(more)} other{'s' if more > 1 else ''}")


def test_lists_and_counts():
    assert listed(["a", "b", "c"], last="or") == "a, b or c"
    assert [count(each) for each in (0, 12, 13, 1200)] == ["no", "twelve", "13", "1,200"]
    assert [counted(each, "box", "boxes") for each in (1, 2)] == ["one box", "two boxes"]
    assert (capitalised("a Model"), lowered("A Model")) == ("A Model", "a Model")
    assert [corrected(each) for each in ("none", "bonferroni")] == ["without correction", "corrected by Bonferroni"]
