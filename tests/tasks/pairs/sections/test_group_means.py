from __future__ import annotations

import polars as pl

from termgauge.tasks import contract
from termgauge.tasks.pairs.scored import SCHEMA
from termgauge.tasks.pairs.sections.compared import means_section
from termgauge.tasks.pairs.sections.standings import standings


def found(sets, groups=()):
    """Return standings of two models on some labelled sets."""
    rows = [
        (model, name, "cos", statistic, value, value - 0.1, value + 0.1, 50, "shared")
        for name in sets
        for model, value in (("good", 0.8), ("fair", 0.7))
        for statistic in ("auc", "f1")
    ]
    return standings(
        pl.DataFrame(rows, schema=SCHEMA, orient="row"), {}, {}, testing=contract.Testing(groups=list(groups))
    )


def test_a_table_of_what_is_compared_with_the_data_of_all():
    placed = found(["hp/fsn-syn/easy/random", "hp/fsn-syn/hard/random"])
    (table,) = means_section(placed).blocks
    assert [column.heading for column in table.columns] == ["Model", "fsn-syn"]
    assert [(row[0].text, row[1].value, row[1].best) for row in table.rows] == [
        ("good", 0.8, True),
        ("fair", 0.7, False),
    ]
    assert table.data.height == 4
    assert set(table.data["statistic"]) == {"auc", "f1"}


def test_no_group_of_one_set():
    assert means_section(found(["mine"])) is None
    assert means_section(found(["mine"], ["own=mine"])) is not None
