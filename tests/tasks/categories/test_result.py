from __future__ import annotations

import json
import math

from termgauge.tasks.categories.members import Category
from termgauge.tasks.categories.result import CategoryResult, CategorySummary, Separation

MEANS = {"AB": 0.5, "AC": 0.25, "AA": math.nan, "BB": 0.75, "CC": 0.125}


def result():
    category = Category("[x]", ("a",) * 5, ("1", "2"), ("1",) * 5, 7)
    known = Separation(
        overlap=0.125, low=0.1, high=0.2, sizes=(1, 2345, 3), means=MEANS, triples=10, undefined_triples=0
    )
    nothing = dict.fromkeys(("overlap", "low", "high"), math.nan)
    unknown = Separation(**nothing, sizes=(1, 1, 1), means=MEANS, triples=0, undefined_triples=1)
    return CategoryResult(
        categories=dict.fromkeys("ABC", CategorySummary.from_category(category)),
        shared_terms=12,
        models={"one": {"avg_cos": known, "cos": unknown}},
    )


def test_it_has_the_layout_that_others_rely_on():
    document = json.loads(json.dumps(result().as_dict(), allow_nan=False))
    assert document == {
        "categories": {letter: {"name": "[x]", "terms": 5, "concepts": 2, "all_terms": 7} for letter in "ABC"},
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
