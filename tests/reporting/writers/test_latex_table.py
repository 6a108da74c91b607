from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given

from termgauge.reporting.blocks import Cell, Column, Interval, Table, WinsLosses
from termgauge.reporting.writers.latex import MOST_ROWS, latex_table
from tests.reporting.small_documents import hostile_document, paper_table, tables
from tests.reporting.writers.latex_structure import balanced, columns_of, environments_match, rows_of


@given(tables())
def test_every_row_has_every_column(table):
    text = latex_table(table)
    assert text.isascii()
    assert balanced(text)
    assert environments_match(text)
    wanted = columns_of(text)
    found = rows_of(text)
    assert len(found) >= len(table.rows) + 1
    assert {sum(row) for row in found} == {wanted}
    for start, end in re.findall(r"\\cmidrule\(lr\)\{(\d+)-(\d+)\}", text):
        assert 1 <= int(start) <= int(end) <= wanted


def test_the_table_of_the_paper():
    text = latex_table(paper_table())
    assert r"\begin{tabular}{lr@{}lr@{}lr@{}lr@{}l}" in text
    lines = [line.strip() for line in text.splitlines()]
    assert r"& \multicolumn{4}{c}{fsn-syn} & \multicolumn{4}{c}{syn-syn} \\" in lines
    assert r"\cmidrule(lr){2-5} \cmidrule(lr){6-9}" in lines
    heading = " & ".join(rf"\multicolumn{{2}}{{c}}{{{level}}}" for level in ("easy", "hard") * 2)
    assert rf"Model & {heading} \\" in lines
    first = next(line for line in lines if line.startswith("BioNLP PM"))
    assert first.startswith(r"BioNLP PM & \textbf{0.900} & $^{2}$")
    assert "$^{1/-1}$" in text
    assert "$^{-2}$" in text
    assert r"\label{tab:accuracy-levenshtein}" in lines
    assert r"\caption{Accuracy of each model. A model is better" in text


def test_intervals_stand_where_there_is_room():
    narrow, wide = paper_table(kinds=("fsn-syn",)), paper_table(kinds=("fsn-syn", "syn-syn", "replaced-by", "same-as"))
    assert r"{\scriptsize [0.850, 0.950]}" in latex_table(narrow)
    assert "scriptsize" not in latex_table(wide)
    assert r"\begin{table*}" in latex_table(wide)
    assert "Positive/negative superscripts" not in latex_table(wide)
    assert "Positive/negative superscripts" in latex_table(replace(wide, notes=()))


def test_numbers_wide_and_long_tables():
    column = (Column("n", numeric=True),)
    assert "$-$0.07" in latex_table(Table("t", "", column, ((Cell("-0.07"),),)))
    many = Table("t", "", column, tuple((Cell(str(at)),) for at in range(60)))
    assert r"\begin{longtable}{r}" in latex_table(many)
    whole = {table.id: latex_table(table) for table in hostile_document().tables()}
    assert r"\resizebox{\textwidth}{!}{%" in whole["wide"]
    assert re.search(r"\\begin\{longtable\}\{lp\{0\.\d\d\\textwidth\}p\{", whole["long"])
    assert r"\allowbreak{}" in whole["long"]


def test_a_table_becomes_long_at_one_row_more_than_a_page_has():
    for rows, kind in ((MOST_ROWS, "tabular"), (MOST_ROWS + 1, "longtable")):
        table = Table("t", "", (Column("n", numeric=True),), tuple((Cell.count(at),) for at in range(rows)))
        assert rf"\begin{{{kind}}}" in latex_table(table)


def test_wins_losses_and_negative_ends():
    cell = Cell.number(-0.05, 2, against=WinsLosses(0, 12), interval=Interval(-0.1, 0.0))
    text = latex_table(Table("t", "", (Column("n", numeric=True),), ((cell,),)))
    assert r"$-$0.05 & $^{-12}$~{\scriptsize [$-$0.10, 0.00]}" in text
