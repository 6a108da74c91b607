from __future__ import annotations

import numpy as np
import polars as pl

from termgauge.tasks.analogies.result import SCHEMA, ModelAnalogies, RelationAnalogies, write_outcomes
from tests.tasks.analogies.asking import relation_of

RELATIONS = [relation_of(("x0", "y0"), ("x1", "y1"), ("x2", "y2")), relation_of(("a", "b"), name="of")]
NONE = RelationAnalogies(1, 0, {1: 0}, np.empty((0, 3), np.int32))


def some(known, *holding):
    own = RelationAnalogies(
        3, len(known), {1: 0}, np.array(holding, np.int32).reshape(-1, 3), np.array(known, np.int32)
    )
    return ModelAnalogies("words", "vocabulary", 9, {"treats": own, "of": NONE})


def test_every_analogy_is_written_in_order(tmp_path):
    models = {"one": some([0, 2], [0, 2, 1]), "two": some([1, 2], [2, 1, 3])}
    write_outcomes(tmp_path / "all.parquet", models, RELATIONS, 1)
    frame = pl.read_parquet(tmp_path / "all.parquet")
    assert dict(frame.schema) == SCHEMA
    assert frame.rows() == [
        ("one", "treats", 0, 2, "x0", "y0", "x2", "y2", 1, True),
        ("one", "treats", 2, 0, "x2", "y2", "x0", "y0", None, False),
        ("two", "treats", 1, 2, "x1", "y1", "x2", "y2", None, False),
        ("two", "treats", 2, 1, "x2", "y2", "x1", "y1", 3, False),
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["all.parquet"]


def test_no_analogies_make_an_empty_table(tmp_path):
    write_outcomes(tmp_path / "all.parquet", {"one": some([])}, RELATIONS, 1)
    frame = pl.read_parquet(tmp_path / "all.parquet")
    assert frame.is_empty()
    assert dict(frame.schema) == SCHEMA
