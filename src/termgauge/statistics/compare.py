"""Compare models: values, differences, joint values over sets, ranks, tiers, all from one covariance.

Everything is made from what estimators say (:mod:`~termgauge.statistics.estimators`) and from their one covariance
(:mod:`~termgauge.statistics.covariance`). Differences on a set are corrected by Holm or Bonferroni. The verdict is
about the mean over the main group of sets and allows for the largest of all differences (max-T), so that marks,
intervals, ranks and words agree. Nothing but the adjusted p-value decides a mark.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import polars as pl

from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.statistics import student
from termgauge.statistics.comparison import (
    MARGIN,
    NAMES,
    Beside,
    Comparison,
    Difference,
    Estimate,
    Joint,
    Ranked,
    SetComparison,
)
from termgauge.statistics.covariance import Covariance, Error, Units
from termgauge.statistics.estimators import CORRELATIONS, ESTIMATORS, LABELLED, Estimates
from termgauge.statistics.families import LargestDifference, best_candidates
from termgauge.statistics.inputs import adjusted, checked_correction, checked_level, corrected_level

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

Family = Literal["set", "run"]
MIN_COVERAGE = 0.5
MAIN_ITEMS, MAIN_UNITS = 100, 30
"""How large a labelled set must be to count in the verdict, where some are."""
POWER = 0.8


@dataclass(frozen=True)
class SetOutcomes:
    """The items of a set, and the values of all models on them."""

    name: str
    statistic: str
    units: Units | Mapping[str, Units]
    """Those of each item; by model, where these differ."""
    truth: NDArray[np.float64]
    """Labels or ratings; nothing where the statistic needs none."""
    values: Mapping[str, NDArray[np.float64]]
    """For each model, in the order of items; NaN where it has none. An item may have several: for a ratio items x 2,
    what is above and what is below."""
    usable: NDArray[np.bool_] | None = None
    """Which items may count, where values alone do not say it."""
    label: str = ""
    """What the statistic is called in a sentence, if that is not its name."""
    estimator: Callable[[NDArray[np.float64], NDArray[np.float64]], Estimates] | None = None
    """Where the statistic is one of a task's own: what makes it of values (models x items x ...) and truth."""

    def scored(self, model: str) -> NDArray[np.bool_]:
        """Say which items a model has a value for."""
        there = np.isfinite(self.values[model])
        return np.asarray(there if there.ndim == 1 else there.reshape(len(there), -1).all(axis=1))

    def estimate(self, models: Sequence[str], items: NDArray[np.bool_]) -> Estimates | None:
        """Estimate models on some items; None where the statistic cannot be taken of these."""
        truth = self.truth[items] if len(self.truth) else self.truth
        if not items.any() or (self.statistic in LABELLED and len(set((truth > 0).tolist())) < 2):
            return None
        table = np.array([self.values[model][items] for model in models], np.float64)
        if self.estimator is None and self.statistic == "ratio":
            return ESTIMATORS["ratio"](table[:, :, 0], table[:, :, 1])
        return (self.estimator or ESTIMATORS[self.statistic])(table, truth)

    def units_of(self, models: Sequence[str], items: NDArray[np.bool_]) -> Units | list[Units]:
        """Return the units of some items, for some models."""
        if isinstance(self.units, Units):
            return self.units.chosen(items)
        return [self.units[model].chosen(items) for model in models]


class _Pair(NamedTuple):
    """Two models, by their places, with their difference."""

    one: int
    other: int
    value: float
    error: Error
    p_value: float

    def difference(
        self, models: Sequence[str], adjusted_p: float, *, alpha: float, level: float, held: float
    ) -> Difference:
        """Return it with an interval of a level; `held` is the level at which it has to be seen."""
        reach = self.error.reach(level) if self.error.error > 0 else math.nan
        detectable = self.error.reach(held) + student.quantile(POWER, self.error.freedom) * self.error.error
        return Difference(
            models[self.one],
            models[self.other],
            self.value,
            self.value - reach,
            self.value + reach,
            self.p_value,
            adjusted_p,
            significant=adjusted_p < alpha,
            detectable=detectable if self.error.error > 0 else math.nan,
        )


@dataclass(frozen=True)
class _Asked:
    """How models are compared."""

    alpha: float
    correction: str
    family: Family
    margin: float
    min_coverage: float
    reference: Collection[str]
    """Models that are compared with the others, but not with each other."""
    baselines: Collection[str]

    def pairs(
        self, models: Sequence[str], values: NDArray[np.float64], covariance: Covariance, *, largest: bool = False
    ) -> list[_Pair]:
        """Return any two models with their difference."""
        differences = []
        for one, other in combinations(range(len(models)), 2):
            if not (models[one] in self.reference and models[other] in self.reference):
                error, value = covariance.error(one, other, largest=largest), float(values[one] - values[other])
                differences.append(_Pair(one, other, value, error, error.p_value(value, covariance.units)))
        return differences


class _Part:
    """All models on one set: those that score enough of it on the items that all of them score."""

    def __init__(self, outcomes: SetOutcomes, asked: _Asked) -> None:
        self.outcomes, self.asked = outcomes, asked
        scored = {model: outcomes.scored(model) for model in outcomes.values}
        self.shares = {model: float(there.mean()) if len(there) else 0.0 for model, there in scored.items()}
        some = [model for model, share in self.shares.items() if share > 0]
        taking_part = [model for model in some if self.shares[model] >= asked.min_coverage] or some
        counted = [scored[model] for model in taking_part] or [np.zeros(0, np.bool_)]
        self.items = np.logical_and.reduce([*counted, *([] if outcomes.usable is None else [outcomes.usable])])
        estimates = outcomes.estimate(taking_part, self.items) if taking_part else None
        values = estimates.values if estimates else np.full(len(taking_part), np.nan)
        self.models = [model for model, value in zip(taking_part, values, strict=True) if math.isfinite(value)]
        self.found = estimates if self.models == taking_part else self.estimates_of(self.models)

    def estimates_of(self, models: Sequence[str]) -> Estimates | None:
        """Return the estimates of some of the models compared."""
        return self.outcomes.estimate(models, self.items) if models else None

    @property
    def n(self) -> int:
        """How many items are compared."""
        return int(self.items.sum())

    @cached_property
    def covariance(self) -> Covariance:
        """The covariance of the models compared."""
        assert self.found is not None
        return Covariance([(self.found, self.outcomes.units_of(self.models, self.items))])

    @cached_property
    def pairs(self) -> list[_Pair]:
        """Any two models with their difference."""
        return self.asked.pairs(self.models, self.found.values, self.covariance) if self.found else []

    def estimate(self, model: str) -> Estimate:
        """Return a model's value: of one compared on what all share, of another on what it scores."""
        compared = model in self.models
        items = self.items if compared else self.outcomes.scored(model)
        estimates = self.found if compared else self.outcomes.estimate([model], items)
        row = self.models.index(model) if compared else 0
        n = int(items.sum())
        if estimates is None or not math.isfinite(estimates.values[row]):
            return Estimate(model, math.nan, math.nan, math.nan, n, 0, self.shares[model], compared)
        units = self.outcomes.units_of([model], items)
        covariance = self.covariance if compared else Covariance([(estimates, units)])
        value = float(estimates.values[row])
        ends = value_interval(value, covariance.error(row), self.asked.alpha, self.scale, n, covariance.units)
        return Estimate(model, value, *ends, n, covariance.units, self.shares[model], compared)

    @cached_property
    def scale(self) -> str:
        """The scale of its intervals."""
        if self.outcomes.statistic != "mean":
            return scale_of(self.outcomes.statistic)
        values = np.concatenate([np.zeros(0), *self.outcomes.values.values()])
        within = np.nanmin(values, initial=0.0) >= 0 and np.nanmax(values, initial=0.0) <= 1
        return "share" if within else "free"

    def compared(self, corrected: Sequence[float], held: float) -> SetComparison:
        """Return it as it is kept, with p-values that are corrected."""
        alpha = self.asked.alpha
        differences = (
            pair.difference(self.models, p_value, alpha=alpha, level=alpha, held=held)
            for pair, p_value in zip(self.pairs, corrected, strict=True)
        )
        return SetComparison(
            self.outcomes.name,
            self.outcomes.statistic,
            "the jackknife over units",
            self.n,
            self.covariance.units if self.models else 0,
            tuple(self.estimate(model) for model in self.outcomes.values),
            tuple(differences),
        )


def scale_of(statistic: str) -> str:
    """Return the scale of a statistic's intervals: correlation, share, area, or free."""
    if statistic in CORRELATIONS:
        return "correlation"
    return {"mean": "free", "accuracy": "share"}.get(statistic, "area")


def value_interval(value: float, error: Error, alpha: float, scale: str, n: int, units: int) -> tuple[float, float]:
    """Return the interval of a value: on the scale of log odds for areas and shares, Fisher's for correlations.

    Shares near 0 or 1, and what does not vary at all, get Clopper and Pearson's at the number of independent items that
    would have the same error.
    """
    if math.isnan(error.error):
        return math.nan, math.nan
    reach = error.reach(alpha)
    if scale == "free":
        return value - reach, value + reach
    if scale == "correlation":
        if not reach or abs(value) >= 1:
            return math.nan, math.nan
        middle, reach = math.atanh(value), reach / (1 - value**2)
        return math.tanh(middle - reach), math.tanh(middle + reach)
    spread = value * (1 - value)
    if not (reach and spread > 0) or (scale == "share" and not 0.1 < value < 0.9):
        effective = spread * (student.quantile(1 - alpha / 2, math.inf) / reach) ** 2 if reach and spread > 0 else units
        return student.clopper_pearson(value, min(n, effective), alpha)
    middle, reach = math.log(value / (1 - value)), reach / spread
    low, high = (1 / (1 + math.exp(min(700.0, -end))) for end in (middle - reach, middle + reach))
    return low, high


def compare_set(outcomes: SetOutcomes, *, alpha: float = 0.05, correction: str = "holm") -> SetComparison:
    """Compare models on one set alone, on the items that all of them score."""
    part = _Part(outcomes, _Asked(alpha, correction, "set", MARGIN, 0.0, (), ()))
    p_values = [pair.p_value for pair in part.pairs]
    return part.compared(adjusted(p_values, correction).tolist(), corrected_level(alpha, len(p_values), correction))


def with_intervals(
    statistic: str,
    scores: NDArray[np.float64],
    truth: NDArray[np.float64],
    units: Units,
    alpha: float = 0.05,
    *,
    scale: str = "",
) -> list[tuple[float, float, float]]:
    """Return the values of systems (scores are systems x items) with intervals; NaN where one is undefined."""
    estimator = ESTIMATORS[statistic]
    estimates = estimator(scores, truth)
    defined = np.flatnonzero(np.isfinite(estimates.values)).tolist()
    rows = [(math.nan, math.nan, math.nan)] * len(scores)
    if not defined:
        return rows
    if len(defined) < len(scores):
        estimates = estimator(scores[defined], truth)
    covariance, n = Covariance([(estimates, units)]), scores.shape[1]
    for at, row in enumerate(defined):
        value, error = float(estimates.values[at]), covariance.error(at)
        ends = value_interval(value, error, alpha, scale or scale_of(statistic), n, covariance.units)
        rows[row] = (value, *ends)
    return rows


def estimated(outcomes: SetOutcomes, alpha: float = 0.05) -> dict[str, Estimate]:
    """Return the value of each model on the items that all models score, without comparing any."""
    part = _Part(outcomes, _Asked(alpha, "none", "set", MARGIN, 0.0, (), ()))
    return {model: part.estimate(model) for model in outcomes.values}


def compare(
    outcomes: Sequence[SetOutcomes],
    *,
    alpha: float = 0.05,
    correction: str = "holm",
    family: Family = "set",
    margin: float = MARGIN,
    min_coverage: float = MIN_COVERAGE,
    reference: Collection[str] = (),
    baselines: Collection[str] = (),
    groups: Mapping[str, Collection[str]] | None = None,
) -> Comparison:
    """Compare models on sets; the arguments are those of :func:`compare_outcomes`.

    Models of `reference` are compared with others, but not with each other; `baselines` know no medicine; `groups` are
    further groups of sets, of which there are joint values.
    """
    checked_level(alpha)
    checked_correction(correction)
    asked = _Asked(alpha, correction, family, margin, min_coverage, reference, baselines)
    parts = [_Part(outcome, asked) for outcome in outcomes]
    compared: dict[str, SetComparison] = {}
    for together in [parts] if family == "run" else [[part] for part in parts]:
        p_values = [pair.p_value for part in together for pair in part.pairs]
        corrected = adjusted(p_values, correction).tolist()
        held = corrected_level(alpha, len(p_values), correction)
        for part in together:
            part_p, corrected = corrected[: len(part.pairs)], corrected[len(part.pairs) :]
            compared[part.outcomes.name] = part.compared(part_p, held)
    named = {name: [part for part in parts if part.outcomes.name in sets] for name, sets in (groups or {}).items()}
    joints = [_joint(name, group, group, asked) for name, group in named.items()]
    main = _joint("", _main_group(parts), parts, asked)
    return Comparison(
        alpha,
        correction,
        family,
        margin,
        tuple(compared[outcome.name] for outcome in outcomes),
        main,
        tuple(joint for joint in joints if joint),
    )


def _main_group(parts: Sequence[_Part]) -> list[_Part]:
    """Return the sets that the verdict is about: the large ones, else rated ones, else all."""
    usable = [part for part in parts if part.models]
    rated = [part for part in usable if part.outcomes.statistic in CORRELATIONS]
    large = [
        part for part in usable if part not in rated and part.n >= MAIN_ITEMS and part.covariance.units >= MAIN_UNITS
    ]
    return large or rated or usable


def _joint(name: str, group: Sequence[_Part], among: Sequence[_Part], asked: _Asked) -> Joint | None:
    """Return the mean over a group of sets; None where there is nothing to compare."""
    models = [model for model in group[0].models if all(model in part.models for part in group)] if group else []
    if not models:
        return None
    parts = [
        (part_estimates, part.outcomes.units_of(models, part.items))
        for part in group
        if (part_estimates := part.estimates_of(models))
    ]
    covariance, values = Covariance(parts), np.mean([estimates.values for estimates, _ in parts], axis=0)
    pairs = asked.pairs(models, values, covariance, largest=len(models) > 2)
    largest = LargestDifference(covariance.matrix, [pair[:2] for pair in pairs])
    level = largest.level(asked.alpha)
    differences = tuple(
        pair.difference(models, largest.adjusted(pair.p_value), alpha=asked.alpha, level=level, held=level)
        for pair in pairs
    )
    used = tuple(part.outcomes.name for part in group)
    return Joint(
        name,
        group[0].outcomes.statistic,
        group[0].outcomes.label or NAMES.get(group[0].outcomes.statistic, group[0].outcomes.statistic),
        used,
        tuple(part.outcomes.name for part in among if part.outcomes.name not in used),
        asked.margin,
        differences,
        ranking := tuple(_ranked(group, models, values, covariance, differences, asked)),
        tuple(_left_aside(group, models, ranking[0].model, asked)),
        tuple(model for model in models if model in asked.baselines),
        asked.alpha,
    )


def _ranked(
    group: Sequence[_Part],
    models: Sequence[str],
    values: NDArray[np.float64],
    covariance: Covariance,
    differences: Sequence[Difference],
    asked: _Asked,
) -> Iterator[Ranked]:
    """Yield the models from the best to the worst."""
    better: dict[str, set[str]] = {model: set() for model in models}
    for difference in differences:
        if difference.winner:
            better[difference.other if difference.winner == difference.one else difference.one].add(difference.winner)
    tiers = dict[str, int]()
    candidates = best_candidates(values, covariance, asked.alpha)
    n = sum(part.n for part in group)
    for at in np.argsort(-values, kind="stable").tolist():
        model = models[at]  # whoever is marked better has a larger value, and so a tier already
        tiers[model] = 1 + max((tiers[rival] for rival in better[model]), default=0)
        value = float(values[at])
        ends = value_interval(value, covariance.error(at), asked.alpha, group[0].scale, n, covariance.units)
        below = sum(model in rivals for rivals in better.values())
        scored = float(np.mean([part.shares[model] for part in group]))
        ranks = 1 + len(better[model]), len(models) - below
        yield Ranked(model, value, *ends, *ranks, tiers[model], bool(candidates[at]), scored)


def _left_aside(group: Sequence[_Part], ranked: Sequence[str], best: str, asked: _Asked) -> Iterator[Beside]:
    """Yield the models that score too little to be ranked, with their difference from the best on what both score."""
    for model in dict.fromkeys(model for part in group for model in part.outcomes.values if model not in ranked):
        both = [
            replace(set_, values={name: set_.values[name] for name in (model, best)}, usable=None)
            for set_ in (part.outcomes for part in group)
            if model in set_.values
        ]
        alone = [part for set_ in both if len((part := _Part(set_, replace(asked, min_coverage=0.0))).models) == 2]
        joint = _joint("", alone, alone, asked) if alone else None
        shares = float(np.mean([part.shares.get(model, 0.0) for part in group]))
        yield Beside(model, shares, joint.seen_from(model)[best] if joint and joint.differences else None)


def compare_outcomes(
    items: Any,  # noqa: ANN401
    values: Any,  # noqa: ANN401
    *,
    statistic: str,
    alpha: float = 0.05,
    correction: str = "holm",
    family: Family = "set",
    margin: float = MARGIN,
    min_coverage: float = MIN_COVERAGE,
) -> Comparison:
    """Compare models on anybody's numbers: intervals, tests, ranks and a verdict that allow for what items share.

    Parameters
    ----------
    items
        A frame (Polars, pandas, or a dict of columns) with a row for each item: `set`, `item`, `unit_1` and, where it
        has them, `unit_2` and `truth` (a label or a rating). Items that share a unit are dependent.
    values
        A frame with `set`, `item` and a column for each model; what is missing is not scored. For `ratio` a column is a
        struct of the two quantities, or the first of them where `truth` is the second.
    statistic
        mean, ratio, auc, ap, f1, spearman or pearson.
    alpha, correction
        The level, and how many comparisons are allowed for: holm, bonferroni or none.
    family
        Whether the differences of one set are corrected together, or those of all sets (`run`).
    margin
        Differences smaller than this do not matter.
    min_coverage
        A model that scores a smaller share of a set does not reduce the items on which the others are compared.

    Examples
    --------
    >>> items = {"set": ["s"] * 4, "item": [1, 2, 3, 4], "unit_1": ["a", "b", "c", "d"]}
    >>> values = {"set": ["s"] * 4, "item": [1, 2, 3, 4], "one": [1, 1, 1, 0], "other": [0, 1, 0, 0]}
    >>> compare_outcomes(items, values, statistic="mean").differences["value"].to_list()
    [0.5]
    """
    if statistic not in ESTIMATORS:
        close = did_you_mean(statistic, ESTIMATORS)
        raise TermgaugeError(f"There is no statistic '{statistic}'; choose one of {', '.join(ESTIMATORS)}.{close}")
    item_frame, value_frame = (
        _checked(items, "items", ("set", "item", "unit_1")),
        _checked(values, "values", ("set", "item")),
    )
    models = [name for name in value_frame.columns if name not in ("set", "item")]
    for name in ("unit_2", "truth"):
        if name not in item_frame.columns:
            item_frame = item_frame.with_columns(pl.lit(None).alias(name))
    if statistic in LABELLED | CORRELATIONS and item_frame["truth"].null_count():
        raise TermgaugeError(f"The items have no truth; {statistic} needs a label or a rating of each item.")
    joined = item_frame.join(value_frame, on=["set", "item"], how="left", maintain_order="left")
    if joined.height != item_frame.height:
        raise TermgaugeError("The values have two rows of the same set and item; give each item one row.")
    both = pl.concat([joined["unit_1"].cast(pl.String), joined["unit_2"].cast(pl.String)])
    codes = (both.rank("dense").cast(pl.Int64) - 1).fill_null(-1).to_numpy()
    first, second = codes[: joined.height].copy(), codes[joined.height :]
    alone = first < 0  # an item without a unit depends on no other
    first[alone] = codes.max(initial=-1) + 1 + np.arange(int(alone.sum()))
    numbered = joined.with_columns(pl.Series("unit_1", first), pl.Series("unit_2", second))
    outcomes = [
        SetOutcomes(
            str(name),
            statistic,
            Units(part["unit_1"].to_numpy(), part["unit_2"].to_numpy()),
            part["truth"].cast(pl.Float64).to_numpy() if statistic in LABELLED | CORRELATIONS else np.zeros(0),
            {model: _column(part, model, statistic) for model in models},
        )
        for (name,), part in numbered.group_by("set", maintain_order=True)
    ]
    return compare(
        outcomes, alpha=alpha, correction=correction, family=family, margin=margin, min_coverage=min_coverage
    )


def _checked(data: Any, called: str, needed: Sequence[str]) -> pl.DataFrame:  # noqa: ANN401
    from termgauge.frames import as_polars

    frame = as_polars(pl.DataFrame(data) if isinstance(data, dict) else data, f"The {called}")
    if missing := [name for name in needed if name not in frame.columns]:
        raise TermgaugeError(f"The {called} have no column '{missing[0]}'; they need {', '.join(needed)}.")
    return frame


def _column(part: pl.DataFrame, model: str, statistic: str) -> NDArray[np.float64]:
    column = part[model]
    if statistic != "ratio":
        return column.cast(pl.Float64).fill_null(math.nan).to_numpy()
    struct = isinstance(column.dtype, pl.Struct)
    parts = column.struct.unnest().get_columns() if struct else [column, part["truth"]]
    return np.stack([part.cast(pl.Float64).fill_null(math.nan).to_numpy() for part in parts], axis=1)
