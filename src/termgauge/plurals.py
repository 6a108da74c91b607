"""Words that agree with a number: the one place that knows when a noun and its verb are in the plural."""

from __future__ import annotations


def plural(value: int, one: str, many: str = "") -> str:
    """Return the words that go with a number; an s makes the plural if it is not given.

    >>> plural(1, "group is", "groups are"), plural(0, "pair"), plural(2, "has", "have")
    ('group is', 'pairs', 'have')
    """
    return one if value == 1 else many or f"{one}s"


def numbered(value: int, one: str, many: str = "") -> str:
    """Return a number in digits, and the words that go with it.

    >>> numbered(1, "line is", "lines are"), numbered(1200, "pair")
    ('1 line is', '1,200 pairs')
    """
    return f"{value:,} {plural(value, one, many)}"
