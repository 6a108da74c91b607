"""One comparison of models: estimates, differences, joint values over sets, ranks, tiers and the verdict.

Everything is made from what estimators say (:mod:`~termgauge.statistics.estimators`) and from their one covariance
(:mod:`~termgauge.statistics.covariance`). Differences on a set are corrected by Holm or Bonferroni. The verdict is
about the mean over the main group of sets and allows for the largest of all differences (max-T), so that marks,
intervals, ranks and words agree. Nothing but the adjusted p-value decides a mark.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import polars as pl

from termgauge.display import Showing
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.plurals import numbered
from termgauge.statistics import student
from termgauge.statistics.covariance import Covariance, Error, Units
from termgauge.statistics.estimators import CORRELATIONS, ESTIMATORS, LABELLED, Estimates
from termgauge.statistics.families import LargestDifference, best_candidates
from termgauge.statistics.inputs import adjusted, checked_correction, checked_level, corrected_level

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

Family = Literal["set", "run"]
MARGIN = 0.02
MIN_COVERAGE = 0.5
MAIN_ITEMS, MAIN_UNITS = 100, 30
"""How large a labelled set must be to count in the verdict, where some are."""
POWER = 0.8


@dataclass(frozen=True)
class SetOutcomes:
    """The items of a set, and the values of all models on them."""

    name: str
    statistic: str
    units: Units
    truth: NDArray[np.float64]
    """Labels or ratings; nothing where the statistic needs none."""
    values: Mapping[str, NDArray[np.float64]]
    """For each model, in the order of items; NaN where it has none. For a ratio, items x 2: above and below."""

    def scored(self, model: str) -> NDArray[np.bool_]:
        """Say which items a model has a value for."""
        there = np.isfinite(self.values[model])
        return np.asarray(there if there.ndim == 1 else there.all(axis=1))

    def estimate(self, models: Sequence[str], items: NDArray[np.bool_]) -> Estimates | None:
        """Estimate models on some items; None where the statistic cannot be taken of these."""
        truth = self.truth[items] if len(self.truth) else self.truth
        if not items.any() or (self.statistic in LABELLED and len(set((truth > 0).tolist())) < 2):
            return None
        table = np.array([self.values[model][items] for model in models], np.float64)
        if self.statistic == "ratio":
            return ESTIMATORS["ratio"](table[:, :, 0], table[:, :, 1])
        return ESTIMATORS[self.statistic](table, truth)


@dataclass(frozen=True)
class Estimate:
    """The value of a model on a set."""

    model: str
    value: float
    low: float
    high: float
    n: int
    units: int
    scored: float
    """The share of items that it has a value for."""
    compared: bool
    """Whether it is compared with the others; one that scores too few items is not."""


@dataclass(frozen=True)
class Difference:
    """How two models differ: the first one's value less the second one's."""

    one: str
    other: str
    value: float
    low: float
    high: float
    p_value: float
    adjusted_p: float
    significant: bool
    detectable: float
    """The minimum detectable difference (80 % power)."""

    def verdict(self, margin: float) -> str:
        """Read the interval: different, different within margin, same, or undecided."""
        inside = -margin < self.low and self.high < margin
        if self.significant:
            return "different within margin" if inside else "different"
        return "same" if inside else "undecided"

    def seen_from(self, model: str) -> Difference:
        """Return it as the difference of this model from the other."""
        if model == self.one:
            return self
        ends = {"one": self.other, "other": self.one, "value": -self.value, "low": -self.high, "high": -self.low}
        return Difference(**(asdict(self) | ends))


@dataclass(frozen=True)
class Ranked:
    """A model in the ranking."""

    model: str
    value: float
    low: float
    high: float
    rank_low: int
    rank_high: int
    tier: int
    best: bool
    """Whether it could be the best."""
    scored: float


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


def _pairs(values: NDArray[np.float64], covariance: Covariance, *, largest: bool = False) -> list[_Pair]:
    found = []
    for one, other in combinations(range(len(values)), 2):
        error, value = covariance.error(one, other, largest=largest), float(values[one] - values[other])
        found.append(_Pair(one, other, value, error, error.p_value(value, covariance.units)))
    return found


class SetComparison:
    """All models on one set: those that score enough of it on the items that all of them score."""

    def __init__(self, outcomes: SetOutcomes, alpha: float, min_coverage: float) -> None:
        self.outcomes, self._alpha = outcomes, alpha
        scored = {model: outcomes.scored(model) for model in outcomes.values}
        self.shares = {model: float(there.mean()) if len(there) else 0.0 for model, there in scored.items()}
        most = max(self.shares.values(), default=0.0)
        taking_part = [model for model, share in self.shares.items() if share > 0 and share >= min(most, min_coverage)]
        self.items = np.logical_and.reduce([scored[model] for model in taking_part] or [np.zeros(0, np.bool_)])
        found = outcomes.estimate(taking_part, self.items) if taking_part else None
        values = found.values if found else np.full(len(taking_part), np.nan)
        self.models = [model for model, value in zip(taking_part, values, strict=True) if math.isfinite(value)]
        self.found = found if self.models == taking_part else self.estimates_of(self.models)

    def estimates_of(self, models: Sequence[str]) -> Estimates | None:
        """Return the estimates of some of the models compared."""
        return self.outcomes.estimate(models, self.items) if models else None

    @cached_property
    def units(self) -> Units:
        """The units of the items compared."""
        return self.outcomes.units.chosen(self.items)

    @cached_property
    def covariance(self) -> Covariance:
        """The covariance of the models compared."""
        assert self.found is not None
        return Covariance([(self.found, self.units)])

    @cached_property
    def pairs(self) -> list[_Pair]:
        """Any two models with their difference."""
        return _pairs(self.found.values, self.covariance) if self.found else []

    @cached_property
    def estimates(self) -> list[Estimate]:
        """The value of every model: of those compared on what they share, of others on what they score."""
        return [self._estimate(model) for model in self.outcomes.values]

    def _estimate(self, model: str) -> Estimate:
        compared = model in self.models
        items = self.items if compared else self.outcomes.scored(model)
        found = self.found if compared else self.outcomes.estimate([model], items)
        place = self.models.index(model) if compared else 0
        n = int(items.sum())
        if found is None or not math.isfinite(found.values[place]):
            return Estimate(model, math.nan, math.nan, math.nan, n, 0, self.shares[model], compared)
        covariance = self.covariance if compared else Covariance([(found, self.outcomes.units.chosen(items))])
        value = float(found.values[place])
        ends = value_interval(value, covariance.error(place), self._alpha, self.scale, n, covariance.units)
        return Estimate(model, value, *ends, n, covariance.units, self.shares[model], compared)

    @cached_property
    def scale(self) -> str:
        """The scale of its intervals: correlation, share, area, or free."""
        if self.outcomes.statistic in CORRELATIONS:
            return "correlation"
        if self.outcomes.statistic != "mean":
            return "area"
        values = np.concatenate([np.zeros(0), *self.outcomes.values.values()])
        within = np.nanmin(values, initial=0.0) >= 0 and np.nanmax(values, initial=0.0) <= 1
        return "share" if within else "free"


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


@dataclass(frozen=True)
class Joint:
    """The mean over a group of sets, of the models that are compared on all of them."""

    sets: tuple[str, ...]
    skipped: tuple[str, ...]
    """Sets that do not count: too small, or of another kind."""
    differences: tuple[Difference, ...]
    ranking: tuple[Ranked, ...]


class Comparison(Showing):
    """What outcomes say of models: on each set, and over the sets of the main group.

    `estimates`, `differences`, `joint` and `ranking` are frames; `verdict` is a sentence.
    """

    def __init__(
        self,
        sets: Sequence[SetOutcomes],
        *,
        alpha: float = 0.05,
        correction: str = "holm",
        family: Family = "set",
        margin: float = MARGIN,
        min_coverage: float = MIN_COVERAGE,
    ) -> None:
        self.alpha, self.correction = checked_level(alpha), checked_correction(correction)
        self.family, self.margin = family, margin
        self.sets = [SetComparison(outcomes, alpha, min_coverage) for outcomes in sets]

    @cached_property
    def set_differences(self) -> dict[str, list[Difference]]:
        """All differences on each set, corrected within the set or within the run; intervals are each alone."""
        families = [self.sets] if self.family == "run" else [[part] for part in self.sets]
        found: dict[str, list[Difference]] = {}
        for family in families:
            p_values = [pair.p_value for part in family for pair in part.pairs]
            corrected = iter(adjusted(p_values, self.correction).tolist())
            held = corrected_level(self.alpha, len(p_values), self.correction)
            for part in family:
                found[part.outcomes.name] = [
                    pair.difference(part.models, next(corrected), alpha=self.alpha, level=self.alpha, held=held)
                    for pair in part.pairs
                ]
        return found

    @cached_property
    def main_group(self) -> list[SetComparison]:
        """The sets that the verdict is about: the large ones, else rated ones, else all."""
        usable = [part for part in self.sets if part.models]
        rated = [part for part in usable if part.outcomes.statistic in CORRELATIONS]
        large = [
            part
            for part in usable
            if part not in rated and len(part.units) >= MAIN_ITEMS and part.covariance.units >= MAIN_UNITS
        ]
        return large or rated or usable

    @cached_property
    def main(self) -> Joint | None:
        """The mean over the main group; None where there is nothing to compare."""
        group = self.main_group
        models = [model for model in group[0].models if all(model in part.models for part in group)] if group else []
        if not models:
            return None
        parts = [(part.estimates_of(models), part.units) for part in group]
        covariance = Covariance([(found, units) for found, units in parts if found is not None])
        values = np.mean([found.values for found, _ in parts if found is not None], axis=0)
        pairs = _pairs(values, covariance, largest=len(models) > 2)
        largest = LargestDifference(covariance.matrix, [pair[:2] for pair in pairs])
        level = largest.level(self.alpha)
        differences = tuple(
            pair.difference(models, largest.adjusted(pair.p_value), alpha=self.alpha, level=level, held=level)
            for pair in pairs
        )
        used = tuple(part.outcomes.name for part in group)
        skipped = tuple(part.outcomes.name for part in self.sets if part.outcomes.name not in used)
        return Joint(used, skipped, differences, self._ranking(models, values, covariance, differences))

    def _ranking(
        self,
        models: list[str],
        values: NDArray[np.float64],
        covariance: Covariance,
        differences: Sequence[Difference],
    ) -> tuple[Ranked, ...]:
        better: dict[str, set[str]] = {model: set() for model in models}
        for difference in differences:
            if difference.significant:
                better[difference.other if difference.value > 0 else difference.one].add(
                    difference.one if difference.value > 0 else difference.other
                )
        group, tiers, ranked = self.main_group, dict[str, int](), []
        candidates = best_candidates(values, covariance, self.alpha)
        n = sum(len(part.units) for part in group)
        for at in np.argsort(-values, kind="stable").tolist():
            model = models[at]  # whoever is marked better has a larger value, and so a tier already
            tiers[model] = 1 + max((tiers[rival] for rival in better[model]), default=0)
            ends = value_interval(
                float(values[at]), covariance.error(at), self.alpha, group[0].scale, n, covariance.units
            )
            below = sum(model in rivals for rivals in better.values())
            scored = float(np.mean([part.shares[model] for part in group]))
            ranks = 1 + len(better[model]), len(models) - below
            ranked.append(Ranked(model, float(values[at]), *ends, *ranks, tiers[model], bool(candidates[at]), scored))
        return tuple(ranked)

    @property
    def estimates(self) -> pl.DataFrame:
        """A row for each set and model."""
        return _frame(Estimate, ((part.outcomes.name, row) for part in self.sets for row in part.estimates))

    @property
    def differences(self) -> pl.DataFrame:
        """A row for each set and two models."""
        return _frame(Difference, ((name, row) for name, rows in self.set_differences.items() for row in rows))

    @property
    def joint(self) -> pl.DataFrame:
        """A row for any two models over all sets of the main group, with simultaneous intervals."""
        rows = self.main.differences if self.main else ()
        verdicts = [row.verdict(self.margin) for row in rows]
        return (
            _frame(Difference, (("", row) for row in rows))
            .drop("set")
            .with_columns(pl.Series("verdict", verdicts, pl.String))
        )

    @property
    def ranking(self) -> pl.DataFrame:
        """A row for each model, the best first."""
        return _frame(Ranked, (("", row) for row in (self.main.ranking if self.main else ()))).drop("set")

    @property
    def verdict(self) -> str:
        """Which model is best, in a sentence or a few."""
        return " ".join(_sentences(self))

    def to_frame(self) -> pl.DataFrame:
        """Return the estimates: a row for each set and model."""
        return self.estimates

    def _brief(self) -> str:
        models = {model for part in self.sets for model in part.outcomes.values}
        return f"comparison of {numbered(len(models), 'model')} on {numbered(len(self.sets), 'set')}: {self.verdict}"


def _frame(kind: type[Any], rows: Iterator[tuple[str, Any]]) -> pl.DataFrame:
    types = {"str": pl.String, "float": pl.Float64, "int": pl.Int64, "bool": pl.Boolean}
    schema = {"set": pl.String} | {name: types[kind.__annotations__[name]] for name in kind.__annotations__}
    return pl.DataFrame([{"set": name, **asdict(row)} for name, row in rows], schema)


def _sentences(comparison: Comparison) -> Iterator[str]:
    main = comparison.main
    if main is None:
        yield "No set can be compared."
        return
    names = {"auc": "AUC", "ap": "average precision", "f1": "F1", "spearman": "rho", "pearson": "r", "mean": "value"}
    statistic = comparison.main_group[0].outcomes.statistic
    top, *rest = main.ranking
    value = f"{'mean ' if len(main.sets) > 1 else ''}{names.get(statistic, statistic)} {_with_interval(top)}"
    value += f" over {len(main.sets)} sets" if len(main.sets) > 1 else ""
    seen = {
        row.seen_from(top.model).other: row.seen_from(top.model)
        for row in main.differences
        if top.model in (row.one, row.other)
    }
    alike = [row.model for row in rest if not seen[row.model].significant]
    beaten = [row.model for row in rest if seen[row.model].significant]
    if not rest:
        yield f"{top.model} alone was measured: {value}."
    elif not alike:
        yield f"{top.model} is best: {value}, {_with_interval(seen[beaten[0]])} above {beaten[0]}, the next."
    else:
        than = f" It is better than {_listed(beaten)}." if beaten else ""
        yield f"{_listed([top.model, *alike])} cannot be told apart; {top.model} has the highest value: {value}.{than}"
    left = dict.fromkeys(model for part in comparison.main_group for model in part.outcomes.values)
    for model in [model for model in left if model not in {row.model for row in main.ranking}]:
        yield _beside(comparison, model, top.model)
    if main.skipped:
        yield f"Not counted: {_listed(list(main.skipped))}."


def _beside(comparison: Comparison, model: str, best: str) -> str:
    """Say how a model that scores too few items differs from the best one on those that both score."""
    group = comparison.main_group
    share = float(np.mean([part.shares.get(model, 0.0) for part in group]))
    both = [
        SetOutcomes(o.name, o.statistic, o.units, o.truth, {model: o.values[model], best: o.values[best]})
        for o in (part.outcomes for part in group)
        if model in o.values
    ]
    alone = Comparison(both, alpha=comparison.alpha, min_coverage=0.0).main
    sentence = f"{model} scores {share:.0%} of the items"
    if alone is None or not alone.differences:
        return f"{sentence} and is not compared."
    found = alone.differences[0].seen_from(model)
    if found.value < 0:
        return f"{sentence}; on those it is {_with_interval(found.seen_from(best))} below {best}."
    return f"{sentence}; on those it is {_with_interval(found)} above {best}."


def _with_interval(row: Ranked | Difference) -> str:
    value, low, high = (f"{number:.2f}".replace("0.", ".") for number in (row.value, row.low, row.high))
    return f"{value} [{low}, {high}]" if math.isfinite(row.low) else value


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


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
    return Comparison(
        outcomes, alpha=alpha, correction=correction, family=family, margin=margin, min_coverage=min_coverage
    )


def _checked(given: Any, called: str, needed: Sequence[str]) -> pl.DataFrame:  # noqa: ANN401
    from termgauge.frames import as_polars

    frame = as_polars(pl.DataFrame(given) if isinstance(given, dict) else given, f"The {called}")
    if missing := [name for name in needed if name not in frame.columns]:
        raise TermgaugeError(f"The {called} have no column '{missing[0]}'; they need {', '.join(needed)}.")
    return frame


def _column(part: pl.DataFrame, model: str, statistic: str) -> NDArray[np.float64]:
    column = part[model]
    if statistic != "ratio":
        return column.cast(pl.Float64).fill_null(math.nan).to_numpy()
    struct = isinstance(column.dtype, pl.Struct)
    parts = column.struct.unnest().get_columns() if struct else [column, part["truth"]]
    return np.stack([each.cast(pl.Float64).fill_null(math.nan).to_numpy() for each in parts], axis=1)
