"""What the tables for a terminal are made of; goes when the terminal shows documents."""

from __future__ import annotations

import math

from rich.table import Table

from termgauge.document.blocks import WinsLosses

_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")


def table_of(*headings: str, right: int = 1) -> Table:
    """Make a plain table; from column `right` on, numbers are aligned to the right (0: none are)."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="right" if right and index >= right else "left")
    return table


def interval(low: float | None, high: float | None, digits: int = 2) -> str:
    """Return an interval for people; nothing where there is none."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return ""
    return f"[{low:z.{digits}f}, {high:z.{digits}f}]"


def superscript(wins: int, losses: int) -> str:
    """Return how many others a system beats and loses to, as the papers put it behind a value."""
    return raised(str(WinsLosses(wins, losses)))


def raised(text: str) -> str:
    """Return digits and signs as superscripts."""
    return text.translate(_RAISED)
