from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import one_line
from termgauge.reporting.blocks import (
    Cell,
    Column,
    Document,
    Fact,
    Interval,
    Prose,
    Section,
    Table,
    WinsLosses,
    block_id,
)
from tests.reporting.small_documents import document, figure, paper_table


@given(st.floats(-1e9, 1e9), st.integers(0, 9), st.booleans())
def test_a_number_keeps_all_digits_and_shows_some(value, digits, signed):
    cell = Cell.number(value, digits, signed=signed)
    assert cell.value == value
    almost = digits and abs(value) < 1 <= abs(round(value, digits))  # which is not shown as 1
    assert math.isclose(float(cell.text), value, rel_tol=1e-12, abs_tol=(1 if almost else 0.5000001) * 10**-digits)
    assert abs(float(cell.text)) < 1 or not almost
    assert cell.text.startswith("+") == (signed and float(cell.text) > 0)
    assert len(cell.text.partition(".")[2]) == digits
    assert not cell.text.startswith("-0.") or float(cell.text) < 0


@pytest.mark.parametrize("value", [None, math.nan])
def test_what_is_missing_has_no_value(value):
    cell = Cell.number(value, note="why")
    assert (cell.text, cell.value, cell.note) == ("–", None, "why")
    assert Interval.known(value, 1.0) is None
    assert Interval.known(0.0, value) is None
    assert Cell.share(None).text == "–"
    assert Cell.count(None) == Cell("")


def test_counts_and_shares():
    assert Cell.count(12345) == Cell("12,345", 12345)
    assert Cell.share(0.914) == Cell("91 %", 0.914)


def test_an_interval_shows_its_ends():
    assert Interval.known(-0.126, 0.5) == (-0.126, 0.5, 3, False, 1.0)
    assert Interval(-0.126, 0.5, 2).ends == ("-0.13", "0.50")
    assert Interval(-0.0001, 0.5, 3, signed=True).ends == ("0.000", "+0.500")


@given(
    st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1), st.integers(1, 5), st.sampled_from([1, 100]), st.booleans()
)
def test_a_value_and_its_interval_have_as_many_digits(value, low, high, digits, top, signed):
    ends = Interval.known(top * low, top * high)
    cell = Cell.number(top * value, digits, top=top, signed=signed, interval=ends)
    for text, shown in zip((cell.text, *cell.interval.ends), (value, low, high), strict=True):
        assert len(text.partition(".")[2]) == digits
        assert abs(float(text) - top * shown) <= 10**-digits + 1e-9
        assert (abs(float(text)) == top) <= (abs(top * shown) == top)


@given(st.integers(0, 99), st.integers(0, 99))
def test_wins_and_losses(wins, losses):
    against = WinsLosses(wins, losses)
    assert bool(against) == (wins + losses > 0) == bool(str(against))
    assert ("+" in str(against), "-" in str(against)) == (wins > 0, losses > 0)
    assert sum(int(each) for each in str(against).replace("+", " ").replace("-", " ").split()) == wins + losses


@given(st.lists(st.text(max_size=100), max_size=3))
def test_ids_are_fit_for_file_names(parts):
    made = block_id(*parts)
    assert made
    assert set(made) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert not made.startswith("-")


def test_blocks_in_order():
    table, picture = paper_table(), figure()
    made = document(table, picture)
    assert list(made.blocks()) == [table, picture]
    assert (made.tables(), made.figures()) == ([table], [picture])


@given(st.text(st.characters(), max_size=20))
def test_whatever_comes_from_outside_is_one_line(text):
    made = (
        Prose((text, text)), Column(text, note=text, group=text), Cell(text, note=text), Fact(text, text),
        Table("t", text, (), (), (text,)), Section("s", text, ()), Document(text, (text,), (), ()),
    )  # fmt: skip
    for value in (value for each in made for value in vars(each).values()):
        for line in value if isinstance(value, tuple) else [value]:
            assert not isinstance(line, str) or line == one_line(line)
