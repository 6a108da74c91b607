from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from termgauge.reporting.words import spans

PLAIN = st.text(st.characters(exclude_characters="*`"), min_size=1, max_size=10)
WRITTEN = {"plain": "{}", "bold": "**{}**", "code": "`{}`"}


@given(st.text(max_size=60))
def test_nothing_is_lost(text):
    assert "".join(WRITTEN[span.style].format(span.text) for span in spans(text)) == text


@given(st.lists(st.tuples(st.sampled_from(["bold", "code"]), PLAIN, PLAIN), max_size=5))
def test_marks_are_found(parts):
    text = "".join(WRITTEN[style].format(marked) + after for style, marked, after in parts)
    wanted = [span for style, marked, after in parts for span in ((style, marked), ("plain", after))]
    assert [tuple(span) for span in spans(text)] == wanted
