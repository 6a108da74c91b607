"""Counting what a reader passes over, with a few examples of each."""

from __future__ import annotations

from collections import Counter

from termgauge.terminology.model import Skipped

MOST_EXAMPLES = 5
LONGEST_EXAMPLE = 120


class Tally:
    """What was passed over so far.

    >>> tally = Tally()
    >>> for line in (3, 9):
    ...     tally.add("synonyms without text", f"line {line}")
    >>> tally.skipped()
    (Skipped(what='synonyms without text', count=2, examples=('line 3', 'line 9')),)
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, list[str]] = {}

    def add(self, what: str, example: str = "", count: int = 1) -> None:
        """Count something, of which an example may be given."""
        if not count:
            return
        self._counts[what] += count
        examples = self._examples.setdefault(what, [])
        if example and len(examples) < MOST_EXAMPLES:
            examples.append(" ".join(example.split())[:LONGEST_EXAMPLE])

    def count(self, what: str) -> int:
        """Return how often something was passed over."""
        return self._counts[what]

    def skipped(self) -> tuple[Skipped, ...]:
        """Return all of it, in the order in which each kind was first met."""
        return tuple(Skipped(what, count, tuple(self._examples[what])) for what, count in self._counts.items())
