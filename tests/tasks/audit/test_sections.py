"""The sections of an audit in reports."""

from __future__ import annotations

from termgauge.reporting.blocks import Document, Prose, Table
from termgauge.reporting.writers.html import html
from termgauge.tasks.audit.result import LISTS
from termgauge.tasks.audit.sections import audit_sections
from termgauge.tasks.contract import About
from tests.tasks.audit.made_up import audited


def test_each_list_has_its_first_rows():
    result = audited(first=2)
    first, *others = audit_sections(result, About())
    assert "read a second time, by rules and by three models" in first.blocks[0].paragraphs[0]
    assert [section.title for section in others] == list(LISTS.values())
    for section, rows in zip(others, result.lists.values(), strict=True):
        (table,) = section.blocks
        assert isinstance(table, Table)
        assert len(table.rows) == min(2, len(rows))
        assert table.data.height == len(rows)
    assert "Broken femur" in html(Document("", (), (), (first, *others)))


def test_without_models_there_is_no_table_of_them_and_that_is_said():
    first, unlike, *_others = audit_sections(audited({}), About("name"))
    assert len(first.blocks) == 1
    assert any("No model was named" in paragraph for paragraph in first.blocks[0].paragraphs)
    assert isinstance(unlike.blocks[0], Prose)
    assert unlike.blocks[0].paragraphs == ("Without a model there is no such list.",)
