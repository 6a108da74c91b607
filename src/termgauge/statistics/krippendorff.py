"""Krippendorff's alpha, for values that are names, ranks, distances or ratios, with intervals over units.

The disagreement within a unit and that of all values with each other come from counts and sums, never from a table of
all coincidences: ordinal distances are distances of mean ranks, and those have a variance like any other number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.statistics.agreement import RESAMPLES, Rated, interval_of, over_resamples
from termgauge.statistics.bootstrap import SEED, UNDEFINED, Bca, Interval

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

    from termgauge.statistics.bootstrap import Interval

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = get_args(Level)
NO_UNIT = "no unit has two values"
NO_VARIATION = "no variation"
MOST_RATIO_VALUES = 20_000
"""The distances of so many different values, each with each, can be added up in seconds."""


class Alpha(NamedTuple):
    """Krippendorff's alpha."""

    value: float
    """NaN where it is undefined."""
    why: str
    """Why it is undefined; nothing where it is not."""
    values: int
    """How many values count: those of units with two or more."""
    units: int
    """How many units have two values or more."""


@dataclass(frozen=True, eq=False)
class Units:
    """The values of units with two or more, as codes in ascending order of the values."""

    starts: NDArray[np.int64]
    """Where the values of each unit start, and where the last ones end."""
    codes: NDArray[np.int32]
    places: NDArray[np.int64]
    """Which of all units they are, from 0 in ascending order."""
    scale: NDArray[np.float64]
    """The different values in order; of text, their numbers."""

    @classmethod
    def from_values(cls, units: ArrayLike, values: ArrayLike) -> Units:
        """Gather values, at most one for each unit and rater."""
        unit, value = np.asarray(units), np.asarray(values)
        if unit.shape != value.shape or unit.ndim != 1:
            raise TermgaugeError(f"There are {value.size:,} values for {unit.size:,} units; give one unit per value.")
        if value.dtype.kind == "f" and np.isnan(value).any():
            raise TermgaugeError("Some values are missing (NaN); leave those judgements out.")
        _, which, size = np.unique(unit, return_inverse=True, return_counts=True)
        kept = size[which] > 1
        order = np.argsort(which[kept], kind="stable")
        scale, codes = np.unique(value[kept][order], return_inverse=True)
        starts = np.concatenate([[0], np.cumsum(size[size > 1])])
        numbers = scale.astype(np.float64) if scale.dtype.kind in "bfiu" else np.arange(len(scale), dtype=np.float64)
        return cls(starts, codes.astype(np.int32), np.flatnonzero(size > 1), numbers)

    def __len__(self) -> int:
        return len(self.starts) - 1


def krippendorff_alpha(units: ArrayLike, values: ArrayLike, level: Level = "nominal") -> Alpha:
    """Return Krippendorff's alpha of values, each given with its unit.

    Parameters
    ----------
    units, values
        The unit that was judged, and what a rater said; one for each judgement. Values may be text if they are names.
    level
        What differences mean: ``nominal`` (equal or not), ``ordinal`` (ranks), ``interval`` or ``ratio``.

    Examples
    --------
    >>> krippendorff_alpha([1, 1, 2, 2, 3, 3], ["same", "same", "other", "other", "same", "other"]).value
    0.4444444444444444
    >>> krippendorff_alpha([1, 1, 2, 2], [5, 5, 5, 5]).why
    'no variation'
    """
    gathered = Units.from_values(units, values)
    if level not in LEVELS:
        raise TermgaugeError(
            f"The level must be one of {', '.join(LEVELS)}, not '{level}'.{did_you_mean(level, LEVELS)}"
        )
    count, n = len(gathered), len(gathered.codes)
    why = NO_UNIT if not count else NO_VARIATION if len(gathered.scale) < 2 else ""
    value = math.nan if why else float(_alphas(gathered, np.ones((1, count), np.int32), level)[0])
    return Alpha(value, why, n, count)


def alpha_intervals(
    units: ArrayLike,
    values: ArrayLike,
    levels: Sequence[Level] = LEVELS,
    *,
    groups: ArrayLike | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    error: float = 0.05,
) -> dict[Level, Interval]:
    """Return intervals of alpha over resamples of units, which miss in a share `error` of cases.

    `groups` says, for each value, which group of raters gave it: units are drawn among those of the same groups.
    """
    gathered = Units.from_values(units, values)
    estimates = {level: krippendorff_alpha(units, values, level).value for level in levels}
    if not levels or any(map(math.isnan, estimates.values())):
        return dict.fromkeys(levels, UNDEFINED)
    _, items = np.unique(np.asarray(units), return_inverse=True)
    group = np.zeros(len(items), np.int64) if groups is None else np.asarray(groups, np.int64)
    drawn = Rated.from_ratings(group, items, np.zeros(len(items)), np.arange(group.max(initial=0) + 1))

    def evaluate(times: NDArray[np.int32]) -> tuple[NDArray[np.float64], ...]:
        return tuple(_alphas(gathered, times[:, gathered.places], level) for level in levels)

    replicates = over_resamples(drawn, resamples, seed, evaluate)
    return {level: interval_of(estimates[level], part, error) for level, part in zip(levels, replicates, strict=True)}


def _alphas(units: Units, times: NDArray[np.int32], level: Level) -> NDArray[np.float64]:
    """Return alpha in resamples: how often each unit was drawn; NaN where all values of a resample are equal."""
    scale, size = units.scale - units.scale[0] * (level != "ratio"), np.diff(units.starts)
    if level == "ratio" and scale[0] < 0:
        raise TermgaugeError(f"The value {scale[0]:g} is negative, and ratios need values from 0 on.")
    if level == "ratio" and len(scale) > MOST_RATIO_VALUES:
        raise TermgaugeError(f"The {len(scale):,} different values are too many for alpha with ratios; round them.")
    both = np.repeat(np.arange(len(units)), size) * len(scale) + units.codes
    cells, often = np.unique(both, return_counts=True)
    unit, code = np.divmod(cells, len(scale))
    apart = _apart(level, unit, code, often, scale) / (size - 1)
    values = np.empty(len(times))
    for row, drawn in enumerate(times):
        counts = np.bincount(code, weights=drawn[unit] * often, minlength=len(scale))
        if level == "ordinal":
            scale = np.cumsum(counts) - counts / 2
            apart = _apart(level, unit, code, often, scale) / (size - 1)
        used = np.flatnonzero(counts)
        between = _apart(level, np.zeros_like(used), used, counts[used], scale)
        within = (counts.sum() - 1) * float(drawn @ apart)
        values[row] = 1 - within / between[0] if len(used) > 1 else np.nan
    return values


def _apart(
    level: Level, part: NDArray[np.int64], code: NDArray[np.int64], often: NDArray[Any], scale: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the distances of all ordered pairs of values within each part, added up.

    A value is given by its part, its code and how often it is there; parts are numbered from 0 and stand in order.
    """
    size = np.bincount(part, weights=often).astype(np.float64)
    if level == "nominal":
        return size**2 - np.bincount(part, weights=often.astype(np.float64) ** 2)
    value = scale[code]
    if level == "ratio":
        sums, first = np.zeros(len(value)), np.arange(len(value))
        last = np.searchsorted(part, part, side="right") - 1
        for distance in range(1, len(value)):  # all pairs so far apart at once
            first = first[first + distance <= last[first]]
            if not len(first):
                break
            begin, end = int(first[0]), int(first[-1]) + 1
            at: NDArray[np.int64] | slice = first
            beside: NDArray[np.int64] | slice = first + distance
            if end - begin == len(first):  # slices copy nothing
                at, beside = slice(begin, end), slice(begin + distance, end + distance)
            share = (value[at] - value[beside]) / np.maximum(value[at] + value[beside], np.finfo(float).tiny)
            sums[at] += 2 * often[at] * often[beside] * share**2
        return np.bincount(part, weights=sums).astype(np.float64)
    # Ordered pairs of n values: twice n times their sum of squares about the mean.
    means = np.bincount(part, weights=often * value) / size
    return 2 * size * np.bincount(part, weights=often * (value - means[part]) ** 2)


_AT_ONCE = 1 << 22
"""Weights of units that are held at once."""


def unit_terms(counts: ArrayLike) -> NDArray[np.float64]:
    """Return what each unit adds: its answers, how often they differ, and its answers of each kind.

    Counts are units x kinds of answers; a unit with fewer than two answers adds nothing.
    """
    table = np.atleast_2d(np.asarray(counts, np.float64))
    answers = table.sum(axis=1)
    table = table * (answers >= 2)[:, None]
    answers = table.sum(axis=1)
    differing = (answers**2 - (table**2).sum(axis=1)) / np.maximum(answers - 1, 1)
    return np.column_stack([answers, differing, table])


def alpha_of(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return alpha of each row of sums of :func:`unit_terms`; NaN where no two answers are of different kinds."""
    n, differing, kinds = sums[..., 0], sums[..., 1], sums[..., 2:]
    expected = n**2 - (kinds**2).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        value: NDArray[np.float64] = np.where(expected > 0, 1 - (n - 1) * differing / expected, np.nan)
    return value


def nominal_alpha(counts: ArrayLike) -> float:
    """Return Krippendorff's alpha of unordered answers, from how often each was given to each unit.

    NaN where no unit has two answers, and where all answers are the same.

    Examples
    --------
    >>> two_raters = [[1, 1], [0, 2], [1, 1], [2, 0], [2, 0], [1, 1], [2, 0], [2, 0], [1, 1], [2, 0]]
    >>> round(nominal_alpha(two_raters), 6)
    0.095238
    """
    return float(alpha_of(unit_terms(counts).sum(axis=0)))


class AlphaResamples(NamedTuple):
    """What units add to alpha, and its sums in resamples that were drawn within parts of fixed numbers of units."""

    units: NDArray[np.float64]
    sums: NDArray[np.float64]

    @classmethod
    def from_parts(cls, parts: Sequence[ArrayLike], resamples: int, seed: int | np.random.Generator = SEED) -> Self:
        """Draw resamples of counts of answers, part by part."""
        generator = np.random.default_rng(seed)
        units = [unit_terms(counts) for counts in parts if len(np.asarray(counts))]
        drawn = [_resampled(part, resamples, generator) for part in units]
        return cls(np.concatenate(units), np.sum(drawn, axis=0)) if units else cls(np.empty((0, 2)), np.zeros((1, 2)))

    def bca(self) -> Bca:
        """Return the distribution of alpha."""
        if not len(self.units):
            return Bca.from_replicates(np.nan, np.empty(0), np.empty(0))
        total = self.units.sum(axis=0)
        return Bca.from_replicates(float(alpha_of(total)), alpha_of(self.sums), alpha_of(total - self.units))


def _resampled(units: NDArray[np.float64], resamples: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """Return the sums over as many units as there are, drawn with replacement, for each resample."""
    n = len(units)
    at_once = max(1, _AT_ONCE // n)
    sums = np.empty((resamples, units.shape[1]))
    for start in range(0, resamples, at_once):
        some = min(at_once, resamples - start)
        sums[start : start + some] = generator.multinomial(n, np.full(n, 1 / n), some) @ units
    return sums
