"""Differences of pairs of models, corrected for their number."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from termgauge.statistics.inputs import adjusted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.statistics.bootstrap import Interval


class Difference(NamedTuple):
    """How two systems differ on a set."""

    one: str
    other: str
    value: float
    """The first system's value less the second's."""
    low: float
    high: float
    """The interval at the corrected level."""
    p_value: float
    adjusted_p: float
    """The p-value after the correction, to be held against alpha itself."""
    significant: bool

    def as_dict(self) -> dict[str, str | float | bool | None]:
        """Return its fields as results name them."""
        return {"difference" if key == "value" else key: value for key, value in self._asdict().items()}


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
