"""A leaderboard for people and for programs."""

from __future__ import annotations

import json

from termgauge.engine.leaderboard import leaderboard_document, leaderboard_values
from tests.engine.boards import board
from tests.tasks.pairs.sections.drawn import cells_of
from tests.tasks.pairs.sections.made import EASY


def tables_of(document):
    return {table.id: table for table in document.tables()}


def test_who_leads_is_said_first():
    document = leaderboard_document(board(), title="All of them")
    assert document.title == "All of them"
    assert document.headline == "good and fair cannot be told apart."
    assert document.summary[0].startswith("Both are better than poor.")
    assert "2 of 3 sets are not in all runs." in document.summary
    assert list(map(str, document.facts)) == ["All of them of `runs/may` and `runs/june`", "3 models", "3 sets"]


def test_all_models_by_their_rank():
    rows = cells_of(tables_of(leaderboard_document(board()))["overall"])
    assert [row["Model"].text for row in rows] == ["good", "fair", "poor"]
    assert [row["Mean rank"].text for row in rows] == ["1.00", "2.00", "3.00"]
    assert [row["Significantly better"].value for row in rows] == [1, 2, 0]
    assert [row["Sets"].text for row in rows] == ["3 of 3", "3 of 3", "1 of 3"]
    assert [row["Runs"].text for row in rows] == ["may", "may, june", "june"]


def test_where_everything_comes_from():
    tables = tables_of(leaderboard_document(board()))
    assert [row["Also called"].text for row in cells_of(tables["board-models"])] == ["", "alias", ""]
    assert [row["Runs"].text for row in cells_of(tables["board-sets"])] == ["all", "may", "may"]
    assert [row["Models"].value for row in cells_of(tables["board-sets"])] == [3, 3, 2]


def test_it_is_json():
    document = json.loads(json.dumps(leaderboard_values(board()), allow_nan=False))
    assert [each["model"] for each in document["standing"]] == ["good", "fair", "poor"]
    assert document["models"]["fair"]["also"] == ["alias"]
    assert "also" not in document["models"]["good"]
    assert document["sets"][EASY]["runs"] == ["may", "june"]
    assert {each["run"] for each in document["sources"]} == {"may"}
    assert set(document["comparisons"]) == set(document["sets"])
