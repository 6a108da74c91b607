"""The four quarters of a set of pairs: biomedical and general, associated and unassociated, drawn in a fixed order.

All chance is one ``random.Random`` of the seed for each class of words, asked in the order that is written here, so
that another program that follows the same order draws the same pairs.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

from termgauge.corpus.pools import BIOMEDICAL, GENERAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.corpus.pools import Codes, Pool
    from termgauge.corpus.resources import FoundPairs

QUARTERS = tuple(f"{domain}-{kind}" for domain in (BIOMEDICAL, GENERAL) for kind in ("associated", "unassociated"))
BIOMEDICAL_ASSOCIATED, BIOMEDICAL_UNASSOCIATED, GENERAL_ASSOCIATED, GENERAL_UNASSOCIATED = QUARTERS
DRAWS = 1000
"""For each pair that is wanted, so many draws of unassociated ones before giving up."""


class Asked(NamedTuple):
    """A pool of words, and what the resources say about it."""

    pool: Pool
    found: FoundPairs


class Drawn(NamedTuple):
    """A pair that was drawn: its quarter, and its number in the pool of that quarter's domain."""

    quarter: str
    code: int


def draw(biomedical: Asked, general: Asked, accepted: Codes, per_quarter: int, seed: int) -> list[Drawn]:
    """Draw the four quarters of one class of words; `accepted` are the biomedical pairs that may be drawn."""
    rng = Random(seed)  # noqa: S311 - drawn again by whoever has the seed
    lists = (
        _sampled(accepted, per_quarter, rng),
        _unassociated(biomedical, per_quarter, rng),
        _sampled(general.found.candidates, per_quarter, rng),
        _unassociated(general, per_quarter, rng),
    )
    pairs = [Drawn(quarter, code) for quarter, codes in zip(QUARTERS, lists, strict=True) for code in codes]
    rng.shuffle(pairs)
    return pairs


def _sampled(pairs: Codes, count: int, rng: Random) -> Sequence[int]:
    """Return so many of the pairs, or all of them if there are not more."""
    known: list[int] = pairs.tolist()
    return rng.sample(known, count) if len(known) > count else known


def _unassociated(asked: Asked, count: int, rng: Random) -> Sequence[int]:
    """Draw two words at a time, until there are enough pairs that no resource lists."""
    size = len(asked.pool.words)
    places = range(size)
    closed: set[int] = set(asked.found.closed.tolist())
    found: list[int] = []
    for _ in range(DRAWS * count if size > 1 else 0):
        x, y = rng.sample(places, 2)
        code = x * size + y if x < y else y * size + x
        if code not in closed:
            closed.add(code)
            found.append(code)
            if len(found) == count:
                break
    return found
