"""The table and the page on disk."""

from __future__ import annotations

import json
import re

import polars as pl

from termgauge.tasks.audit.result import PAGE, TABLE
from termgauge.tasks.audit.sections import audit_page
from tests.tasks.audit.made_up import LABELS, audited, terminology

HOSTILE = "</script><script>alert(1)</script>"


def test_the_table_reads_back(tmp_path):
    result = audited()
    table, page = result.write(tmp_path / "audit")
    assert (table.name, page.name) == (TABLE, PAGE)
    back = pl.read_csv(table)
    assert back.columns == result.rows().columns
    assert back["term1"].to_list() == result.rows()["term1"].to_list()


def test_a_spreadsheet_sees_no_formula(tmp_path):
    labels = {**LABELS, "e1": ["=1+1 fevers"], "e2": ["=1+1 fever"]}
    table, _page = audited({}, terminology(labels)).write(tmp_path)
    assert "'=1+1 fever" in table.read_text()


def test_the_page_needs_nothing_else_and_holds_no_foreign_script():
    labels = {**LABELS, "e1": [f"{HOSTILE} fevers"], "e2": [f"{HOSTILE} fever"]}
    page = audit_page(audited(source=terminology(labels)))
    assert "alert(1)</script>" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert "default-src 'none'" in page
    data = json.loads(re.search(r'id="page-data">(.*?)</script>', page, re.DOTALL)[1])
    assert data["models"] == ["one", "two", "letters"]
    assert HOSTILE in json.dumps(json.loads(data["rows"]) if isinstance(data["rows"], str) else HOSTILE)


def test_marks_are_kept_by_what_was_found():
    def key(**options):
        return re.search(r'"key":"(\w+)"', audit_page(audited(**options)))[1]

    assert key() == key()
    assert key() != key(most=1)
