"""What an audit gives, as a table and as JSON."""

from __future__ import annotations

import json

import polars as pl

from tests.tasks.audit.made_up import audited


def test_the_table_has_every_row_with_room_for_marks():
    result = audited()
    rows = result.rows()
    assert rows.height == sum(map(len, result.lists.values()))
    assert rows.columns[:2] == ["list", "rank"]
    assert rows.columns[-3:] == ["evidence", "verdict", "note"]
    assert {f"percentile {model}" for model in result.models} <= set(rows.columns)
    for name, own in result.lists.items():
        part = rows.filter(pl.col("list") == name)
        assert part["rank"].to_list() == list(range(1, len(own) + 1))
        assert part["term1"].to_list() == [row.term1 for row in own]


def test_a_row_without_percentiles_has_empty_cells():
    rows = audited().rows().filter(pl.col("kind") == "retired itself")
    assert rows["concept2"].to_list() == ["nowhere"]
    assert rows["percentile one"].to_list() == [None]
    assert audited({}).rows().height > 0


def test_brief_json_has_the_first_rows_and_all_counts():
    result = audited(first=1)
    brief = json.loads(json.dumps(result.brief()))
    assert brief["counts"] == result.counts
    assert all(len(rows) == min(1, len(result.lists[name])) for name, rows in brief["lists"].items())
    assert set(brief) == set(result.as_dict())


def test_values_are_of_models():
    result = audited()
    assert {(value.model, value.statistic) for value in result.values()} == {
        (model, statistic) for model in result.models for statistic in ("auc", "unknown")
    }


def test_it_writes_itself(tmp_path):
    table, page = audited().write(tmp_path / "new")
    assert table.is_file()
    assert page.is_file()
