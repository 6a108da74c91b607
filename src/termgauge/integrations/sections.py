"""What was written for another library, as it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.reporting.blocks import Cell, Column, Section, Table

if TYPE_CHECKING:
    from termgauge.integrations.order import Exported


def export_section(written: Exported) -> Section:
    """Return how much there is of each part of what was written."""
    columns = Column("Part"), Column(written.of.capitalize(), numeric=True)
    rows = tuple((Cell(name), Cell.count(count)) for name, count in written.contents.items())
    return Section("export", "", (Table("contents", "", columns, rows),))
