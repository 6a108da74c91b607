from __future__ import annotations

import polars as pl

from termgauge.domain.relations import Relation
from termgauge.tasks.analogies.result import SCHEMA, Outcomes

RELATIONS = [
    Relation("treats", "treats", (("x0", "y0"), ("x1", "y1"), ("x2", "y2"))),
    Relation("of", "of", (("a", "b"),)),
]


def some(h, j, rank):
    frame = pl.DataFrame({"h": h, "j": j, "rank": rank}, schema={"h": pl.Int32, "j": pl.Int32, "rank": pl.Int32})
    return frame.with_columns(success=pl.col("rank") == 1)


def test_parts_become_one_file_in_their_order(tmp_path):
    outcomes = Outcomes(tmp_path / "all.parquet", RELATIONS)
    outcomes.add("one", "treats", some([0, 0], [1, 2], [1, None]))
    outcomes.add("two", "treats", some([2], [1], [3]))
    assert not (tmp_path / "all.parquet").exists()
    outcomes.write()
    frame = pl.read_parquet(tmp_path / "all.parquet")
    assert dict(frame.schema) == SCHEMA
    assert frame.rows() == [
        ("one", "treats", 0, 1, "x0", "y0", "x1", "y1", 1, True),
        ("one", "treats", 0, 2, "x0", "y0", "x2", "y2", None, None),
        ("two", "treats", 2, 1, "x2", "y2", "x1", "y1", 3, False),
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["all.parquet"]


def test_no_analogies_make_an_empty_table(tmp_path):
    Outcomes(tmp_path / "all.parquet", RELATIONS).write()
    frame = pl.read_parquet(tmp_path / "all.parquet")
    assert frame.is_empty()
    assert dict(frame.schema) == SCHEMA
