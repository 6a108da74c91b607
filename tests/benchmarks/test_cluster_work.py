"""Work that is traced uses a cache of its own, and units of a few models stand for those of many."""

from __future__ import annotations

import os

from benchmarks.cluster_work import recorded, with_units_of
from benchmarks.tracing import BLOCKS_OF, Stage, Trace

from termgauge.executor import current_executor
from termgauge.io.store import entry_path


def test_work_is_traced_with_an_empty_cache(monkeypatch):
    monkeypatch.setattr(os, "environ", dict(os.environ))
    usual = os.environ["TERMGAUGE_CACHE_DIR"]
    seen = []

    def work(folder):
        seen.append(entry_path("x", "y").is_relative_to(folder))
        seen.extend(done.result() for done in current_executor().map(abs, [(-1,), (2,)], label="abs"))

    trace = recorded("abs", work)
    assert seen == [True, 1, 2]
    assert [(stage.called, len(stage.worked)) for stage in trace.stages] == [("abs", 2)]
    assert os.environ["TERMGAUGE_CACHE_DIR"] == usual


def test_units_of_two_models_stand_for_those_of_four():
    real = Trace("real", [Stage(f"{BLOCKS_OF}scoring", 0, [0, 0, 0], [7, 8, 9], [0, 0, 0]),
                          Stage("scoring", 3, [1, 1], [5, 6], [1, 1]),
                          Stage("bootstrap", 1, [1], [2], [1])], 9)  # fmt: skip
    many = Trace("many", [Stage("scoring", 4, [2] * 4, [1] * 4, [2] * 4),
                          Stage("bootstrap", 2, [3], [4], [3])], 8)  # fmt: skip
    made = with_units_of(many, real, 2, 4)
    assert made == Trace("many", [Stage(f"{BLOCKS_OF}scoring", 0, [0] * 6, [7, 8, 9] * 2, [0] * 6),
                                  Stage("scoring", 4, [2] * 4, [5, 6, 5, 6], [2] * 4),
                                  Stage("bootstrap", 2, [3], [4], [3])], 8)  # fmt: skip
