"""What two runs differ in, sorted and counted."""

from __future__ import annotations

import json
import math

from termgauge.engine.diff import Change, RunDiff
from termgauge.tasks.changes import ValueChange


def value(model, before, after, **more):
    given = {"paired": True, "identical": before == after, "test": "exact McNemar", **more}
    return ValueChange(model, "s", ("cos", "cos"), "accuracy", before, after, 10, (1.0, 1.0), **given)


VALUES = (
    value("same", 0.5, 0.5, test=""),
    value("small", 0.5, 0.6, significant=True),
    value("large", 0.5, 0.9),
    value("worse", 0.9, 0.5, significant=True),
    value("lower is better", 0.9, 0.5, significant=True, better="lower"),
    value("undefined", 0.9, math.nan, test=""),
)
DIFF = RunDiff(("a", "b"), 0.05, "holm", 4, (Change("seed", "1", None),), (), (), VALUES, (("m", "s", "x"),))


def test_significant_changes_come_first_then_large_ones():
    assert [each.model for each in DIFF.changed] == ["worse", "lower is better", "small", "large", "undefined"]
    assert [each.model for each in DIFF.better] == ["lower is better", "small"]
    assert [each.model for each in DIFF.worse] == ["worse"]


def test_it_is_json_without_nan():
    document = json.loads(json.dumps(DIFF.as_dict(), allow_nan=False))
    counts = ("compared", "changed", "better", "worse", "tests")
    assert {name: document[name] for name in counts} == dict(zip(counts, (6, 5, 2, 1, 4), strict=True))
    assert document["settings"] == [{"name": "seed", "before": "1", "after": None}]
    assert document["missing"] == [{"model": "m", "set": "s", "state": "x"}]
    last = document["values"][-1]
    assert (last["after"], last["difference"], last["measure"], last["verdict"]) == (None, None, "cos", "not tested")
