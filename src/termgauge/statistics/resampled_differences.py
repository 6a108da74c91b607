"""Which differences between models are real, where seeds or pairs were drawn again for all models alike.

The rule is that of :func:`~termgauge.statistics.significance.compare_systems`: significant if the adjusted p-value is
below alpha.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.statistics.corrections import adjusted
from termgauge.statistics.significance import Difference

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from termgauge.statistics.bootstrap import Bca


def resampled_differences(
    pairs: Sequence[tuple[str, str, Bca]], *, alpha: float, level: float, correction: str
) -> tuple[Difference, ...]:
    """Test the differences of pairs of models, given over the resamples.

    `alpha` is the chance of any false claim among the pairs, `level` that of one interval: alpha after the correction.
    """
    p_values = [bca.p_value() for _, _, bca in pairs]
    differences = []
    for (one, other, bca), p, corrected in zip(pairs, p_values, adjusted(p_values, correction), strict=True):
        found = (bca.estimate, *bca.interval(level), p, float(corrected), bool(corrected < alpha))
        differences.append(Difference(one, other, *found))
    return tuple(differences)


def wins_and_losses(model: str, differences: Iterable[Difference]) -> tuple[int, int]:
    """Return how many other models a model significantly beats and loses to."""
    won = [
        (each.value > 0) == (model == each.one)
        for each in differences
        if each.significant and model in (each.one, each.other)
    ]
    return sum(won), len(won) - sum(won)
