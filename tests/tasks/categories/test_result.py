from __future__ import annotations

import json
import math

from termgauge.tasks.categories.members import Category, Members
from termgauge.tasks.categories.overlap import CategorySeparation
from termgauge.tasks.categories.result import CategoryResult, Separation

MEANS = {"AB": 0.5, "AC": 0.25, "AA": math.nan, "BB": 0.75, "CC": 0.125}


def result():
    members = Members(tuple(Category(f"[x]{letter}", (letter,) * 5, ("1", "2"), ("1",) * 5, 7) for letter in "ABC"), 12)
    known = Separation.of(CategorySeparation(0.125, 0.1, 0.2, (1, 2345, 3), MEANS, 10, 0))
    unknown = Separation.of(CategorySeparation(math.nan, math.nan, math.nan, (1, 1, 1), MEANS, 0, 1))
    return CategoryResult.of(members, {"one": {"avg_cos": known, "cos": unknown}})


def test_it_has_the_layout_that_others_rely_on():
    document = json.loads(json.dumps(result().as_dict(), allow_nan=False))
    assert document == {
        "categories": {letter: {"name": f"[x]{letter}", "terms": 5, "concepts": 2, "all_terms": 7} for letter in "ABC"},
        "shared_terms": 12,
        "models": {
            "one": {
                "avg_cos": {
                    "overlap": 0.125,
                    "low": 0.1,
                    "high": 0.2,
                    "sizes": [1, 2345, 3],
                    "means": MEANS | {"AA": None},
                    "triples": 10,
                    "undefined_triples": 0,
                },
                "cos": {
                    "overlap": None,
                    "low": None,
                    "high": None,
                    "sizes": [1, 1, 1],
                    "means": MEANS | {"AA": None},
                    "triples": 0,
                    "undefined_triples": 1,
                },
            }
        },
        "on_shared": {},
        "too_few": [],
        "left_out": [],
    }


def test_less_overlap_is_better():
    known, unknown = result().values()
    assert known == ("one", "overlap", 0.125, 0.1, 0.2, 10, "avg_cos", "lower")
    assert (unknown.value, unknown.item) == (None, "cos")
