from __future__ import annotations

import polars as pl

from termgauge.tasks.pairs.result import group_means
from termgauge.tasks.pairs.scored import SCHEMA
from termgauge.tasks.pairs.sections.compared import group_means_section, means_section
from termgauge.tasks.pairs.sections.standings import standings


def found(sets):
    """Return standings of two models on some labelled sets."""
    rows = [
        (model, name, "cos", statistic, value, value - 0.1, value + 0.1, 50, "shared")
        for name in sets
        for model, value in (("good", 0.8), ("fair", 0.7))
        for statistic in ("auc", "f1")
    ]
    return standings(pl.DataFrame(rows, schema=SCHEMA, orient="row"), {}, {})


def test_a_small_table_of_what_is_compared_and_all_below_it():
    placed = found(["hp/fsn-syn/easy/random", "hp/fsn-syn/hard/random"])
    section = group_means_section(placed)
    _about, small, whole = section.blocks
    assert [column.heading for column in small.columns] == ["Model", "fsn-syn"]
    assert [(row[0].text, row[1].value, row[1].best) for row in small.rows] == [
        ("good", 0.8, True),
        ("fair", 0.7, False),
    ]
    assert whole.folded
    assert len(whole.rows) == whole.data.height == 4
    shown = means_section(group_means(placed)).blocks[-1]
    assert not shown.folded
    assert {row[1].text for row in shown.rows} == {"area under the ROC curve", "F1 at the best threshold"}


def test_no_group_of_one_set():
    assert group_means_section(found(["mine"])) is None
    assert group_means_section(found(["mine"]), own=["own=mine"]) is not None
