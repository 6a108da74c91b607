"""What every comparison shows in the same way: its verdict, the ranking of its models, and their differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.reporting.blocks import Cell, Column, Interval, Prose, Table, block_id
from termgauge.reporting.words import capitalised, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.reporting.blocks import Block
    from termgauge.statistics.comparison import Difference, Joint, Ranked


def joint_blocks(joint: Joint, name: str = "") -> Iterator[Block]:
    """Yield the verdict, the ranking and the differences of a comparison."""
    yield verdict_prose(joint)
    yield ranking_table(joint, name)
    if joint.differences:
        yield differences_table(joint, name)


def verdict_prose(joint: Joint) -> Prose:
    """Return the verdict in words."""
    return Prose((plain(joint.verdict),))


def ranking_table(joint: Joint, name: str = "") -> Table:
    """Return a row for each model, the best first: its value, the ranks it can have, its tier, what it scores."""
    columns = "Model", Column("Value", numeric=True), "Rank", Column.count("Tier"), Column.share("Scored")
    rows = [(row.model, _value(row), _ranks(row), row.tier, row.scored) for row in joint.ranking]
    mean = "mean " if len(joint.sets) > 1 else ""
    return Table.from_rows(block_id("ranking", name), f"Ranking by {mean}{joint.statistic}.", columns, rows)


def _ranks(row: Ranked) -> str:
    return f"{row.rank_low}" if row.rank_low == row.rank_high else f"{row.rank_low} to {row.rank_high}"


def differences_table(joint: Joint, name: str = "") -> Table:
    """Return a row for any two models, with intervals that hold together."""
    heads = "One", "Other", Column("Difference", numeric=True), Column.number("Adjusted p"), "Verdict"
    rows = [
        (row.one, row.other, _value(row, signed=True), row.adjusted_p, row.verdict(joint.margin))
        for row in joint.differences
    ]
    caption = f"Differences of {capitalised(joint.statistic)}, with intervals that hold together."
    return Table.from_rows(block_id("differences", name), caption, heads, rows, folded=True)


def _value(row: Ranked | Difference, *, signed: bool = False) -> Cell:
    return Cell.number(row.value, signed=signed, interval=Interval.known(row.low, row.high))
