from __future__ import annotations

from termgauge.reporting.blocks import Prose
from termgauge.tasks.results import Result, Value
from termgauge.tasks.shown import section_of_values
from tests.tasks.small_task import LettersTask


class Mixed(Result):
    def values(self):
        yield Value("a", "share", 0.25, 0.2, 0.3, 10, item="k = 5")
        yield Value("a", "size", 7.0)
        yield Value("b", "share", None, item="k = 5")


def test_a_row_for_each_model_and_a_column_for_each_value():
    section = section_of_values(LettersTask(), list(Mixed().values()), "short")
    prose, table = section.blocks
    assert (section.id, section.title) == ("letters-short", "Letters: short")
    assert prose == Prose(("Count the letters of names.",))
    assert [(column.group, column.heading) for column in table.columns] == [
        ("", "Model"), ("k = 5", "share"), ("", "size"),
    ]  # fmt: skip
    assert [[cell.text for cell in row] for row in table.rows] == [["a", "0.250", "7.000"], ["b", "–", "–"]]
    assert table.rows[0][1].interval[:2] == (0.2, 0.3)
    assert table.rows[0][2].interval is None
    assert table.data.equals(Mixed().to_frame())


def test_without_a_name_and_without_models():
    section = section_of_values(LettersTask(), [], "")
    assert (section.id, section.title) == ("letters", "Letters")
    assert section.blocks[1].rows == ()
