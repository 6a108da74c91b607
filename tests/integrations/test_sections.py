"""What an export wrote, as it is shown."""

from __future__ import annotations

from pathlib import Path

from termgauge.integrations.export import Exported, export_section


def test_every_part_is_counted():
    (table,) = export_section(Exported("triplets", Path("out"), {"train": 1200, "test": 3}, of="triplets")).blocks
    assert [column.heading for column in table.columns] == ["Part", "Triplets"]
    assert [[cell.text for cell in row] for row in table.rows] == [["train", "1,200"], ["test", "3"]]
