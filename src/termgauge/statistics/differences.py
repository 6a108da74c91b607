"""Which differences between models are real, once p-values are corrected for how many of them are looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.statistics.corrections import adjusted
from termgauge.statistics.significance import Difference

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from termgauge.statistics.bootstrap import Interval


def corrected_differences(
    found: Sequence[tuple[str, str, float, Interval, float]], *, alpha: float, correction: str
) -> tuple[Difference, ...]:
    """Return the differences of pairs of models, each with its interval and its p-value; real if that is below alpha.

    `alpha` is the chance of any false claim among all of them.
    """
    corrected = adjusted([p for *_rest, p in found], correction).tolist()
    return tuple(
        Difference(one, other, value, *interval, p, adjusted_p, adjusted_p < alpha)
        for (one, other, value, interval, p), adjusted_p in zip(found, corrected, strict=True)
    )


def wins_and_losses(model: str, differences: Iterable[Difference]) -> tuple[int, int]:
    """Return how many other models a model significantly beats and loses to."""
    won = [
        (each.value > 0) == (model == each.one)
        for each in differences
        if each.significant and model in (each.one, each.other)
    ]
    return sum(won), len(won) - sum(won)
