"""Raters who do not exist, for demonstrations: what they say scatters about a score that only the simulation knows.

Most judge as people do, each a little stricter or milder than the others and seldom twice quite the same. One taps
along without reading, and one does not know rare words, so that a demonstration shows how such raters are found.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

MADE_UP = "made rater"
"""What the names of made raters begin with."""
SCALE = 6
"""Made scores go from 0 to this."""
_DECIDED = 4.7
"""From this score on made raters say that two terms are the same."""
_DOUBT = 0.2
"""So near to it they do not know."""


class ScoredPair(NamedTuple):
    """A pair, and what the simulation takes for the truth about it."""

    word1: str
    word2: str
    score: float
    rare: bool


def demo_pairs() -> list[ScoredPair]:
    """Return the pairs of the demonstration."""
    text = (resources.files("termgauge.studies") / "demo_pairs.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    return [ScoredPair(word1, word2, float(score), rare == "1") for word1, word2, score, rare in rows]


@dataclass
class MadeRater:
    """A made rater."""

    name: str
    group: int
    mildness: float
    """How much higher than others they rate."""
    scatter: float
    """How far from their own opinion a rating falls, as a standard deviation."""
    careless: bool = False
    unsure: bool = False
    """Whether they do not know rare words."""
    chance: random.Random = field(default_factory=random.Random, repr=False)
    _opinions: dict[tuple[str, str], float] = field(default_factory=dict, repr=False)

    def rates(self, pair: ScoredPair, *, quality: bool = False) -> tuple[float | None, float]:
        """Return what they say to a pair, None for "I do not know", and how many seconds they take.

        On the scale from 0 to 6, or 1 for "same" and 0 for "not same".
        """
        if self.careless:
            return self._taps(quality=quality), round(self.chance.uniform(0.4, 1.2), 1)
        seconds = round(math.exp(self.chance.gauss(1.4, 0.5)), 1)
        if self.unsure and pair.rare:
            return None, seconds
        own = pair.score + self.mildness
        opinion = self._opinions.setdefault(pair[:2], own + self.chance.gauss(0, self.scatter))
        if quality:
            return (None if abs(opinion - _DECIDED) < _DOUBT else float(opinion > _DECIDED)), seconds
        return float(min(SCALE, max(0, round(opinion + self.chance.gauss(0, 0.25))))), seconds

    def _taps(self, *, quality: bool) -> float:
        return float(self.chance.choice((0, 1, 1) if quality else (2, 3, 3, 3, 4)))


def made_raters(count: int, groups: int, seed: int) -> list[MadeRater]:
    """Return so many made raters, in turn of each group; the second is careless, the third does not know rare words."""
    chance = random.Random(seed)  # noqa: S311
    names = _names(count)
    return [
        MadeRater(
            name=names[place],
            group=place % groups + 1,
            mildness=round(chance.gauss(0, 0.4), 3),
            scatter=round(chance.uniform(0.8, 1.3), 3),
            careless=place == 1,
            unsure=place == 2,
            chance=random.Random(chance.getrandbits(64)),  # noqa: S311
        )
        for place in range(count)
    ]


def _names(count: int) -> Sequence[str]:
    """Return names that say that nobody stands behind them."""
    return [f"{MADE_UP} {place}" for place in range(1, count + 1)]
