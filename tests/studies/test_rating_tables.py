from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.studies.ratings import ordered, parse_ratings
from tests.studies.raters import answers_text, drawn, long_text, matrix_text

TEXTS = [answers_text(drawn(4, 3), duplicates={(1, 1): 2}), long_text(drawn(4, 3)), matrix_text(drawn(4, 3))]
COLUMNS = {
    "rater": pl.String, "group": pl.String, "page": pl.Int64, "position": pl.Int64, "pair": pl.String,
    "rating": pl.Float64, "kind": pl.String, "seconds": pl.Float64,
}  # fmt: skip


def outcome(text):
    """Read; anything but ratings or a sentence escapes and fails the test."""
    try:
        found = parse_ratings(text, "f")
    except TermgaugeError as error:
        said = str(error)
    else:
        said = ""
    if said:
        assert said.startswith("f")
        assert len(said) > 20
        assert "\n" not in said
        return None
    low, high = found.scale
    assert dict(found.answers.schema) == COLUMNS
    assert found.answers["rating"].drop_nulls().is_between(low, high).all()
    assert found.pairs["pair"].is_unique().all()
    assert set(found.answers["pair"]) <= set(found.pairs["pair"])
    first = found.first_showings()
    assert first.select("rater", "pair").is_unique().all()
    return found


@given(st.text())
def test_any_text(text):
    outcome(text)


@given(
    st.lists(
        st.lists(st.sampled_from(["pair", "rater", "rating", "word1", "r1", "", "-1", "NA", "1", "2.5", "x", "nan"]))
    )
)
def test_any_cells(rows):
    outcome("\n".join("\t".join(row) for row in rows))


@given(st.sampled_from(TEXTS), st.floats(0, 1), st.floats(0, 1), st.text(max_size=3))
def test_mutated_tables(text, one, other, extra):
    start, end = sorted((int(one * len(text)), int(other * len(text))))
    outcome(text[:start])
    outcome(text[:start] + text[end:])
    outcome(text[:start] + extra + text[start:])
    outcome(text[:start] + extra + text[start + len(extra) :])


@pytest.mark.parametrize("text", TEXTS)
def test_the_tables_themselves(text):
    assert outcome(text).count == 12


def test_what_a_table_does_not_say_is_null():
    answers = pl.DataFrame(
        {"rater": ["b", "a", "b"], "pair": ["1", "1", "2"], "rating": [1.0, 2.0, 3.0], "line": [1, 2, 3]}
    )
    found = ordered(answers, "f")
    assert found["rater"].to_list() == ["b", "b", "a"]
    assert found["page"].null_count() == found["seconds"].null_count() == 3
