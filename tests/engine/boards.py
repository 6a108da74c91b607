"""A leaderboard of three models on three sets, made by hand."""

from __future__ import annotations

import polars as pl

from termgauge.engine.leaderboard import BoardModel, BoardSet, Leaderboard, Source
from termgauge.tasks.contract import Testing
from termgauge.tasks.pairs.compare import ComparedSet
from termgauge.tasks.pairs.scored import SCHEMA
from tests.tasks.pairs.sections.made import EASY, HARD, HUMAN, comparison_of, run_comparison_of

VALUES = {
    EASY: {"good": 0.9, "fair": 0.8, "poor": 0.6},
    HARD: {"good": 0.7, "fair": 0.7, "poor": None},
    HUMAN: {"good": 0.2, "fair": 0.5},
}
BEATS = {EASY: [("good", "poor"), ("fair", "poor")], HARD: [], HUMAN: [("fair", "good")]}


def board(sets=tuple(VALUES)):
    """Return the board of some of the sets."""
    rows = [
        (model, name, "cos", "spearman" if name == HUMAN else "auc", value, value, value, 50, subset)
        for name in sets
        for model, value in VALUES[name].items()
        for subset in ("own", "shared")
    ]
    compared = [
        ComparedSet(
            name,
            dict.fromkeys(valued, "cos"),
            comparison_of(name, valued, BEATS[name], "spearman" if name == HUMAN else "auc"),
        )
        for name in sets
        if (valued := {model: value for model, value in VALUES[name].items() if value is not None})
    ]
    return Leaderboard(
        ("runs/may", "runs/june"),
        {
            name: BoardModel(key=name * 20, kind="terms", scheme="onnx", runs=runs, also=also)
            for name, runs, also in (
                ("good", ["may"], []),
                ("fair", ["may", "june"], ["alias"]),
                ("poor", ["june"], []),
            )
        },
        {
            name: BoardSet(
                sha256="ab" * 32, pairs=60, graded=name == HUMAN, runs=["may", "june"] if name == EASY else ["may"]
            )
            for name in sets
        },
        pl.DataFrame(rows, schema=SCHEMA, orient="row"),
        run_comparison_of(compared),
        {(name, model): Source("may", name, model) for name in sets for model in VALUES[name]},
        Testing(),
    )
