from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from termgauge.reporting.blocks import Cell, Column, Interval, Prose, Section, Table, WinsLosses
from termgauge.reporting.writers.terminal import terminal
from tests.conftest import tried
from tests.reporting.small_documents import document, figure, hostile_document, paper_table

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
WORDS = st.text("abcdefghijk-/", min_size=1, max_size=12)
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
VALUES = st.builds(
    Cell.number,
    st.none() | st.floats(-99, 99),
    st.integers(1, 4),
    against=st.builds(WinsLosses, st.integers(0, 12), st.integers(0, 12)),
    interval=st.none() | st.just(Interval(-0.25, 0.75)),
    best=st.booleans(),
)


@st.composite
def tables(draw):
    groups = draw(st.lists(st.sampled_from(["", "Random negatives", "x"]), max_size=12))
    columns = [Column("Model"), *(Column(draw(NAMES), numeric=True, group=group) for group in groups)]
    rows = [(Cell(f"row{at} {draw(NAMES)}"), *(draw(VALUES) for _ in groups)) for at in range(draw(st.integers(1, 4)))]
    return Table("t", "", tuple(columns), tuple(rows))


def shown(made, width=80):
    console = Console(width=width, color_system=None, highlight=False)
    with console.capture() as capture:
        console.print(terminal(made, width=width))
    return capture.get()


def shown_table(table, width=80):
    return shown([Section("s", "", (table,))], width)


def test_words_and_tables_are_shown_and_no_figures():
    text = shown(document(), 200)
    assert text.startswith("A report\n")
    assert "GloVe wins on 2 of 3 sets." in text
    assert "Terminology: HPO 2025" in text
    assert "GloVe wins by avg_cos." in text
    assert "0.800⁺¹⁻¹ [0.750, 0.850]" in text
    assert "Accuracy of each model." in text
    assert "Values of models." not in text


def test_what_is_folded_is_not_shown():
    made = document(Prose(("Words.",)), replace(paper_table(), folded=True), figure())
    assert "Words." in shown(made)
    assert "BioNLP" not in shown(made)


def test_words_about_figures_are_not_shown_without_them():
    assert "Look:" not in shown([Section("maps", "Maps", (Prose(("Look:",)), figure()))])
    assert "Look:" in shown([Section("maps", "Maps", (Prose(("Look:",)),))])


@settings(deadline=None)
@given(tables(), st.sampled_from([80, 100, 140]))
def test_a_table_fits_and_nothing_in_it_is_cut(table, width):
    text = shown_table(table, width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert "…" not in text
    words = text.translate(RAISED).split()
    for row in table.rows:
        for word in row[0].text.split():
            assert word in words
        for cell in row[1:]:
            assert f"{cell.text}{cell.against}" in words
    for column in table.columns:
        assert all(word in words for word in column.heading.split())


@settings(deadline=None)
@given(tables())
def test_each_part_names_its_rows(table):
    text = shown_table(table)
    parts = text.count("Model")
    for at in range(len(table.rows)):
        assert len(re.findall(rf"^row{at}\b", text, re.MULTILINE)) == parts


def test_groups_stand_over_their_columns_and_are_kept_together():
    columns = (Column("Model"), *(Column(f"c{at}", numeric=True, group=f"group {at // 3}") for at in range(9)))
    rows = ((Cell("m"), *(Cell("0.1234567", at) for at in range(9))),)
    lines = shown_table(Table("t", "", columns, rows)).splitlines()
    first = [at for at, line in enumerate(lines) if "group" in line]
    assert [lines[at].rstrip().split("  ")[-1].strip() for at in first] == ["group 1", "group 2"]
    for at in first:
        for group in re.finditer(r"group (\d)", lines[at]):
            assert lines[at + 1].index(f"c{3 * int(group[1])}") >= group.start()


@pytest.mark.parametrize(("sets", "kept"), [(3, True), (4, False)])
def test_only_a_table_with_many_intervals_loses_them_for_room(sets, kept):
    cell = Cell.number(0.5, against=WinsLosses(1, 1), interval=Interval(0.25, 0.75))
    columns = (Column("Model"), *(Column(f"set {at}", numeric=True) for at in range(sets)))
    table = Table("t", "", columns, ((Cell("a model with a name"), *[cell] * sets),))
    text = shown_table(table)
    assert ("[0.250, 0.750]" in text) == kept
    assert ("intervals are left out" in text) != kept
    assert "[0.250, 0.750]" in shown_table(table, 160)


def test_digits_and_intervals_stand_below_each_other():
    cells = [
        Cell.number(0.5, against=WinsLosses(10, 1), interval=Interval(0.25, 0.75), best=True),
        Cell.number(-10.25, interval=Interval(-11.0, -9.0)),
        Cell.number(None),
    ]
    table = Table("t", "", (Column("Model"), Column("v", numeric=True)), tuple((Cell("m"), cell) for cell in cells))
    first, second, third = shown_table(table).splitlines()[1:]
    assert first.index(".") == second.index(".")
    assert first.index("[") == second.index("[")
    assert third.rstrip().endswith("–")


def test_styles():
    cell = Cell.number(0.5, against=WinsLosses(1, 0), interval=Interval(0.25, 0.75), best=True)
    table = Table("t", "", (Column("v", numeric=True),), ((cell,),), ("A note.",))
    console = Console(width=80, force_terminal=True, color_system="standard")
    with console.capture() as capture:
        console.print(terminal([Section("s", "Title", (table,))]))
    text = capture.get()
    assert "\x1b[1mTitle\x1b[0m" in text
    assert "\x1b[1m0.500\x1b[0m⁺¹\x1b[2m [0.250, 0.750]\x1b[0m" in text
    assert "\x1b[2mA note.\x1b[0m" in text


def test_hostile_texts_are_no_markup():
    assert "[D]" in shown(hostile_document())


LONG = "Names vs synonyms, hard, edit-distance negatives"
COLUMNS = st.builds(
    Column,
    st.lists(st.sampled_from(["Place", "Model", "accuracy", "Cross-validated", "Sets"]), min_size=1, max_size=3).map(
        " ".join
    ),
    numeric=st.booleans(),
    group=st.sampled_from(["", "Significantly", LONG]),
)


@given(st.lists(COLUMNS, min_size=1, max_size=9), st.data(), st.sampled_from([60, 80, 100]))
@settings(max_examples=tried(100))
def test_no_heading_is_broken_inside_a_word(columns, data, width):
    texts = st.lists(st.integers(1, 60).map(lambda size: "x" * size), min_size=1, max_size=3).map(" ".join).map(Cell)
    columns = [replace(column, group=column.group if column.numeric else "") for column in columns]
    rows = [tuple(data.draw(VALUES if column.numeric else texts) for column in columns) for _ in range(2)]
    lines = shown_table(Table("t", "", tuple(columns), tuple(rows)), width).splitlines()
    assert max(map(cell_len, lines)) <= width
    words = {word for line in lines for word in line.split()}
    assert {word for column in columns for word in f"{column.heading} {column.group}".split()} <= words


def test_a_divided_table_repeats_the_name_behind_the_place():
    columns = [Column("Place", numeric=True), Column("Model"), *(Column(f"set {at}", numeric=True) for at in range(20))]
    row = (Cell.count(1), Cell("GloVe"), *(Cell.number(0.5) for _ in range(20)))
    text = shown_table(Table("t", "", tuple(columns), (row,)), 60)
    assert text.count("Place  Model") == text.count("GloVe") > 1
