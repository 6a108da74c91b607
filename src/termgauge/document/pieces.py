"""What the tables for a terminal are made of."""

from __future__ import annotations

import math

from rich.table import Table

SHORT_STATISTICS = {"spearman": "rho", "accuracy": "accuracy", "auc": "AUC"}
"""What statistics are called where there is little room."""


def table_of(*headings: str, right: int = 1) -> Table:
    """Make a plain table; from column `right` on, numbers are aligned to the right (0: none are)."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="right" if right and index >= right else "left")
    return table


def number(count: int) -> str:
    """Return a count for people.

    Examples
    --------
    >>> number(12345)
    '12,345'
    """
    return f"{count:,}"


def decimal(value: float | None, digits: int = 1) -> str:
    """Return a value to so many digits; a dash where there is none.

    Examples
    --------
    >>> decimal(0.346, 2), decimal(None), decimal(-0.001, 2)
    ('0.35', '–', '0.00')
    """
    return "–" if value is None or math.isnan(value) else f"{value:z.{digits}f}"


def with_minus(text: str) -> str:
    """Return a number as text with a minus sign, as wide as a plus sign and never broken off, for a hyphen.

    Examples
    --------
    >>> with_minus("-0.25"), with_minus("0.5-fold")
    ('−0.25', '0.5-fold')
    """
    return "\N{MINUS SIGN}" + text[1:] if text.startswith("-") and text[1:2].isdigit() else text


def share(value: float | None) -> str:
    """Return a share in per cent.

    Examples
    --------
    >>> share(0.914)
    '91 %'
    """
    return "–" if value is None or math.isnan(value) else f"{100 * value:.0f} %"


def interval(low: float | None, high: float | None, digits: int = 2) -> str:
    """Return an interval for people; nothing where there is none."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return ""
    return f"[{low:z.{digits}f}, {high:z.{digits}f}]"


def size(count: float) -> str:
    """Return a number of bytes for people.

    Examples
    --------
    >>> size(1_500_000)
    '1.5 MB'
    """
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit in ("B", "kB") else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")


def superscript(wins: int, losses: int) -> str:
    """Return how many others a system beats and loses to, as the papers put it behind a value.

    Examples
    --------
    >>> superscript(3, 1), superscript(0, 12), superscript(0, 0)
    ('⁺³⁻¹', '⁻¹²', '')
    """
    return raised(counts_behind(wins, losses))


def counts_behind(wins: int, losses: int) -> str:
    """Return significant wins and losses in plain characters.

    Examples
    --------
    >>> counts_behind(3, 1), counts_behind(0, 0)
    ('+3-1', '')
    """
    return "".join(f"{sign}{count}" for sign, count in (("+", wins), ("-", losses)) if count)


def raised(text: str) -> str:
    """Return digits and signs as superscripts."""
    return text.translate(_RAISED)


def ends(low: float | None, high: float | None, digits: int = 2) -> tuple[str, str] | None:
    """Return the ends of an interval, each for people; None where there is none."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return None
    return decimal(low, digits), decimal(high, digits)


def corrected(correction: str) -> str:
    """Return how tests were corrected for their number, in words.

    Examples
    --------
    >>> corrected("holm"), corrected("none")
    ('corrected by Holm', 'without correction')
    """
    return "without correction" if correction == "none" else f"corrected by {correction.capitalize()}"
