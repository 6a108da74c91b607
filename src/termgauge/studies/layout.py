"""Who sees which pair when: pairs are shared out over groups of raters and over pages, all by one seed.

All raters of a group see the same pages. Consistency pairs are rated by every group; duplicates are shown a second time
at the end of a page, so that a rater's answers can be compared with themselves.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    import polars as pl

UNIQUE, CONSISTENCY, DUPLICATE = "unique", "consistency", "duplicate"
COLUMNS = ("group", "page", "position", "pair", "kind")
_SHARE = 10
"""In a small set, at most one pair of so many is a consistency pair, and one a duplicate, unless told otherwise."""


def layout(
    n: int, seed: int, groups: int = 2, consistency: int = 50, duplicates: int = 50, pages: int = 5
) -> pl.DataFrame:
    """Return which pair every group sees at which position of which page.

    Parameters
    ----------
    n
        How many pairs there are; they are numbered from 1.
    seed
        Seed for all random choices.
    groups
        How many groups of raters there are.
    consistency
        How many pairs all groups rate.
    duplicates
        How many pairs each rater sees twice; fewer where the pages have fewer pairs to choose from.
    pages
        How many pages each rater sees.

    Returns
    -------
    polars.DataFrame
        ``group``, ``page``, ``position`` and ``pair``, each from 1, and ``kind``.
    """
    if consistency > n:
        raise TermgaugeError(
            f"There are {n:,} pairs, so {consistency:,} of them cannot be consistency pairs; ask for fewer."
        )
    smallest = (n - consistency) // groups
    if smallest + consistency < 1:
        raise TermgaugeError(f"There are {n:,} pairs, too few for {groups:,} groups; ask for fewer groups.")
    if most_pages(n, groups, consistency) < pages:
        raise TermgaugeError(
            f"A group sees only {smallest + consistency:,} different pairs, too few for {pages:,} pages; ask for fewer "
            "pages or groups."
        )
    rng = random.Random(seed)  # noqa: S311
    common = sorted(rng.sample(range(1, n + 1), consistency))
    shared = set(common)
    rest = [pair for pair in range(1, n + 1) if pair not in shared]
    rng.shuffle(rest)
    rows: list[tuple[int, int, int, int, str]] = []
    for group in range(groups):
        mixed = common.copy()
        rng.shuffle(mixed)
        for page in range(pages):
            items = rest[group::groups][page::pages] + mixed[page::pages]
            rng.shuffle(items)
            candidates = [pair for pair in items[: len(items) // 2] if pair not in shared]
            wanted = duplicates // pages + (page < duplicates % pages)
            again = rng.sample(candidates, min(wanted, len(candidates)))
            kinds = [CONSISTENCY if pair in shared else UNIQUE for pair in items] + [DUPLICATE] * len(again)
            rows += [
                (group + 1, page + 1, position, pair, kind)
                for position, (pair, kind) in enumerate(zip(items + again, kinds, strict=True), 1)
            ]
    return _frame(rows)


def most_pages(n: int, groups: int, consistency: int) -> int:
    """Return how many pages there can be if none is to be empty."""
    return max((n - consistency) // groups, consistency)


def in_order(n: int, pages: int) -> pl.DataFrame:
    """Return a layout for one group that sees all pairs in their order, on pages of about the same size."""
    rows = []
    for page in range(pages):
        first, end = n * page // pages, n * (page + 1) // pages
        rows += [(1, page + 1, at - first + 1, at + 1, UNIQUE) for at in range(first, end)]
    return _frame(rows)


def at_most_a_share(wanted: int, n: int) -> int:
    """Return how many consistency pairs, or duplicates, a set of n pairs gets where nothing else is said.

    >>> at_most_a_share(50, 1000), at_most_a_share(50, 120)
    (50, 12)
    """
    return min(wanted, n // _SHARE)


def _frame(rows: list[tuple[int, int, int, int, str]]) -> pl.DataFrame:
    import polars as pl

    types = [pl.Int64] * 4 + [pl.String]
    return pl.DataFrame(rows, schema=dict(zip(COLUMNS, types, strict=True)), orient="row")
