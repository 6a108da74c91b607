"""What outcomes say of models, as it is kept and shown: values, differences, joint values, ranks, tiers, the verdict.

:func:`~termgauge.statistics.compare.compare` makes it once; every page, table, file and command shows this one.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING, Any

from termgauge.display import Showing
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.plurals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import polars as pl

MARGIN = 0.02
_MOST_NAMED = 4
NAMES = {
    "accuracy": "accuracy",
    "auc": "AUC",
    "ap": "average precision",
    "f1": "F1",
    "spearman": "rho",
    "pearson": "r",
    "mean": "value",
    "ratio": "ratio",
}
"""What statistics are called in a sentence."""


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
    """The p-value after the correction, to be held against alpha itself; nothing else decides."""
    significant: bool
    detectable: float = math.nan
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
        low, high = -self.high, -self.low
        return replace(self, one=self.other, other=self.one, value=-self.value, low=low, high=high)

    @property
    def winner(self) -> str | None:
        """The model that is marked better; None if neither is."""
        return (self.one if self.value > 0 else self.other) if self.significant else None


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


def wins_and_losses(model: str, differences: Iterable[Any]) -> tuple[int, int]:
    """Return how many other models a model significantly beats and loses to."""
    won = [
        (difference.value > 0) == (model == difference.one)
        for difference in differences
        if difference.significant and model in (difference.one, difference.other)
    ]
    return sum(won), len(won) - sum(won)


@dataclass(frozen=True)
class SetComparison:
    """All models on one set, and all differences between any two of those that are compared."""

    set: str
    statistic: str
    test: str
    n: int
    """Items that all models compared have a value for."""
    units: int
    estimates: tuple[Estimate, ...]
    differences: tuple[Difference, ...]
    resamples: int | None = None
    """How many were drawn; None of what needs none."""

    @cached_property
    def by_model(self) -> dict[str, Estimate]:
        """The models that are compared."""
        return {estimate.model: estimate for estimate in self.estimates if estimate.compared}

    @property
    def undefined(self) -> tuple[Estimate, ...]:
        """Models that have no value, such as those whose scores are all equal."""
        return tuple(estimate for estimate in self.estimates if math.isnan(estimate.value))

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """The models compared, from the best to the worst; equal ones as given."""
        return tuple(sorted(self.by_model, key=lambda model: -self.by_model[model].value))

    @cached_property
    def counts(self) -> dict[str, tuple[int, int]]:
        """How many others each model is significantly better and worse than."""
        return {model: wins_and_losses(model, self.differences) for model in self.by_model}

    @cached_property
    def _by_pair(self) -> dict[tuple[str, str], Difference]:
        return {(row.one, row.other): row for row in self.differences}

    def between(self, one: str, other: str) -> Difference:
        """Return how two models differ."""
        row = self._by_pair.get((one, other)) or self._by_pair.get((other, one))
        if row is None:
            name = next((name for name in (one, other) if name not in self.by_model), other)
            raise TermgaugeError(f"'{name}' is not among the systems compared.{did_you_mean(name, self.by_model)}")
        return row.seen_from(one)

    @cached_property
    def top(self) -> tuple[str, ...]:
        """The best model, and those that were tested against it and cannot be told from it."""
        best = self.ranking[:1]
        tested = (row for row in self.differences if not row.significant and best[0] in (row.one, row.other))
        alike = {name for row in tested for name in (row.one, row.other)}
        return best + tuple(name for name in self.ranking[1:] if name in alike)

    @property
    def detectable(self) -> float:
        """The minimum detectable difference of two models, as a rule; NaN where none is known."""
        detectable = [row.detectable for row in self.differences if math.isfinite(row.detectable)]
        return median(detectable) if detectable else math.nan


@dataclass(frozen=True)
class Beside:
    """A model that scores too few items to be ranked, on those that it and the best model score."""

    model: str
    scored: float
    difference: Difference | None
    """From the best model; None where there is none."""


@dataclass(frozen=True, eq=False)
class Joint:
    """The mean over a group of sets, of the models that are compared on all of them."""

    name: str
    """Of the group; empty for the main one."""
    statistic: str
    label: str
    """What the statistic is called in a sentence."""
    sets: tuple[str, ...]
    skipped: tuple[str, ...]
    """Sets that do not count: too small, or of another kind."""
    margin: float
    """Differences smaller than this do not matter."""
    differences: tuple[Difference, ...]
    """With simultaneous intervals."""
    ranking: tuple[Ranked, ...]
    beside: tuple[Beside, ...] = ()
    baselines: tuple[str, ...] = ()
    """Models that know no medicine."""
    alpha: float = 0.05
    """Intervals have the level 1 - alpha."""

    def __eq__(self, other: object) -> bool:
        """Say whether another says the same, undefined numbers included."""
        return isinstance(other, Joint) and self.as_dict() == other.as_dict()

    def __hash__(self) -> int:
        """Return a number that equal ones share."""
        return hash((self.name, self.sets))

    def seen_from(self, model: str) -> dict[str, Difference]:
        """Return the differences of a model from the others, by their names."""
        rows = (row for row in self.differences if model in (row.one, row.other))
        return {row.other: row for row in (row.seen_from(model) for row in rows)}

    @property
    def verdict(self) -> str:
        """Which model is best, in a sentence or a few."""
        return " ".join(verdict_sentences(self))

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-like values."""
        return {
            **({"name": self.name} if self.name else {}),
            "sets": list(self.sets),
            "skipped": list(self.skipped),
            "statistic": self.statistic,
            "label": self.label,
            "margin": self.margin,
            "alpha": self.alpha,
            "verdict": self.verdict,
            "systems": [
                {
                    "name": row.model,
                    **_finite(row, "value", "low", "high"),
                    "rank": [row.rank_low, row.rank_high],
                    "tier": row.tier,
                    "could_be_best": row.best,
                    "scored": row.scored,
                    "baseline": row.model in self.baselines,
                }
                for row in self.ranking
            ],
            "differences": [self._difference(row) for row in self.differences],
            "beside": [
                {
                    "name": aside.model,
                    "scored": aside.scored,
                    "difference": aside.difference and self._difference(aside.difference),
                }
                for aside in self.beside
            ],
        }

    def _difference(self, row: Difference) -> dict[str, Any]:
        numbers = _finite(row, "value", "low", "high", "p_value", "adjusted_p", "detectable")
        return {"one": row.one, "other": row.other, **numbers, "verdict": row.verdict(self.margin)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Joint:
        """Read what :meth:`as_dict` wrote."""

        def numbers(row: Mapping[str, Any], *names: str) -> dict[str, float]:
            return {name: math.nan if row.get(name) is None else float(row[name]) for name in names}

        def difference(row: Mapping[str, Any]) -> Difference:
            parts = numbers(row, "value", "low", "high", "p_value", "adjusted_p", "detectable")
            return Difference(row["one"], row["other"], **parts, significant=row["verdict"].startswith("different"))

        def ranked(row: Mapping[str, Any]) -> Ranked:
            value, low, high = numbers(row, "value", "low", "high").values()
            (first, last), tier = row["rank"], row["tier"]
            return Ranked(row["name"], value, low, high, first, last, tier, row["could_be_best"], row["scored"])

        systems = values["systems"]
        return cls(
            values.get("name", ""),
            values["statistic"],
            values.get("label", values["statistic"]),
            tuple(values["sets"]),
            tuple(values["skipped"]),
            values["margin"],
            tuple(difference(row) for row in values["differences"]),
            tuple(map(ranked, systems)),
            tuple(
                Beside(row["name"], row["scored"], row["difference"] and difference(row["difference"]))
                for row in values["beside"]
            ),
            tuple(row["name"] for row in systems if row["baseline"]),
            values.get("alpha", 0.05),
        )


def _finite(row: object, *names: str) -> dict[str, float | None]:
    numbers = {name: getattr(row, name) for name in names}
    return {name: value if math.isfinite(value) else None for name, value in numbers.items()}


@dataclass(frozen=True, repr=False)
class Comparison(Showing):
    """What outcomes say of models: on each set, and over the sets of the main group.

    `estimates`, `differences`, `joint` and `ranking` are frames; `verdict` is a sentence.
    """

    alpha: float
    correction: str
    family: str
    margin: float
    sets: tuple[SetComparison, ...]
    main: Joint | None
    """Over the main group of sets; None where there is nothing to compare."""
    groups: tuple[Joint, ...] = ()
    """Over other groups of sets."""

    @cached_property
    def by_set(self) -> dict[str, SetComparison]:
        """The sets by their names."""
        return {part.set: part for part in self.sets}

    @property
    def estimates(self) -> pl.DataFrame:
        """A row for each set and model."""
        return _frame(Estimate, ((part.set, row) for part in self.sets for row in part.estimates))

    @property
    def differences(self) -> pl.DataFrame:
        """A row for each set and two models."""
        return _frame(Difference, ((part.set, row) for part in self.sets for row in part.differences))

    @property
    def joint(self) -> pl.DataFrame:
        """A row for any two models over all sets of the main group, with simultaneous intervals."""
        import polars as pl

        rows = self.main.differences if self.main else ()
        verdicts = [row.verdict(self.margin) for row in rows]
        frame = _frame(Difference, (("", row) for row in rows)).drop("set")
        return frame.with_columns(pl.Series("verdict", verdicts, pl.String))

    @property
    def ranking(self) -> pl.DataFrame:
        """A row for each model, the best first."""
        return _frame(Ranked, (("", row) for row in (self.main.ranking if self.main else ()))).drop("set")

    @property
    def verdict(self) -> str:
        """Which model is best, in a sentence or a few."""
        return self.main.verdict if self.main else "No set can be compared."

    def to_frame(self) -> pl.DataFrame:
        """Return the estimates: a row for each set and model."""
        return self.estimates

    def _brief(self) -> str:
        models = {row.model for part in self.sets for row in part.estimates}
        return f"comparison of {numbered(len(models), 'model')} on {numbered(len(self.sets), 'set')}: {self.verdict}"


def _frame(kind: type[Any], rows: Iterable[tuple[str, Any]]) -> pl.DataFrame:
    import polars as pl

    types = {"str": pl.String, "float": pl.Float64, "int": pl.Int64, "bool": pl.Boolean}
    schema = {"set": pl.String} | {name: types[kind.__annotations__[name]] for name in kind.__annotations__}
    return pl.DataFrame([{"set": name, **asdict(row)} for name, row in rows], schema)


def verdict_sentences(main: Joint) -> Iterator[str]:
    """Say which model is best, how it compares with the best baseline, and what the answer does not cover."""
    claim, mark, numbers = _opening(main)
    yield f"{claim}{mark} {numbers}."
    yield from _against_baseline(main)
    for aside in main.beside:
        yield _beside(aside, main.ranking[0].model)
    if main.skipped:
        yield f"Not counted: {_listed(main.skipped, 'set')}."


def headline(main: Joint, best: str = "is best") -> tuple[str, str]:
    """Return the verdict for the top of a page, and the sentences with its numbers; `best` is what the best one does.

    A baseline is no answer: where the best model is one, the headline says that no model beats it.
    """
    top = main.ranking[0].model
    claim, _mark, numbers = _opening(main, best)
    start = numbers[:1] if numbers.startswith(top) else numbers[:1].upper()  # a name stays as it is
    sentences = [f"{start}{numbers[1:]}.", *_against_baseline(main)]
    if claim == f"{top} {best}" and top in main.baselines and len(main.baselines) < len(main.ranking):
        return f"No model beats the baseline {top}.", sentences[0]
    return f"{claim}.", " ".join(sentences)


def _opening(main: Joint, best: str = "is best") -> tuple[str, str, str]:
    """Return what is claimed, the mark behind it, and the numbers."""
    top, *rest = main.ranking
    several = len(main.sets) > 1
    value = f"{'mean ' if several else ''}{main.label} {_with_interval(top)}"
    value += f" over {len(main.sets)} sets" if several else ""
    seen = main.seen_from(top.model)
    alike = [row.model for row in rest if row.model in seen and not seen[row.model].significant]
    beaten = [row.model for row in rest if row.model in seen and seen[row.model].significant]
    if not seen:
        return f"{top.model} alone was measured", ":", value
    if not alike:
        within = ", though by less than the margin" if seen[beaten[0]].verdict(main.margin) != "different" else ""
        baseline = " and the best baseline" if beaten[0] in main.baselines and top.model not in main.baselines else ""
        numbers = f"{value}, {_with_interval(seen[beaten[0]])} above {beaten[0]}, the next{baseline}{within}"
        return f"{top.model} {best}", ":", numbers
    same = all(seen[model].verdict(main.margin) == "same" for model in alike)
    how = f"are the same within {main.margin:g}" if same else "cannot be told apart"
    claim = f"{_listed([top.model, *alike])} {how}"
    highest = f"{top.model} has the highest value: {value}"
    if not beaten:
        return claim, ".", highest
    who = ("both" if len(alike) == 1 else "all") if _all_beat(main, alike, beaten) else ""
    return claim, ";", f"{f'{who} are' if who else f'{top.model} is'} better than {_listed(beaten)}. {highest}"


def _all_beat(main: Joint, alike: Sequence[str], beaten: Sequence[str]) -> bool:
    """Say whether all are better; two models that are only shown beside the others were not compared."""
    seen = ((model, main.seen_from(model).get(other)) for model in alike for other in beaten)
    return all(difference is not None and difference.winner == model for model, difference in seen)


def _against_baseline(main: Joint) -> Iterator[str]:
    """Say how the best model compares with the best baseline, where that was not said."""
    weak = next((row.model for row in main.ranking if row.model in main.baselines), None)
    best = next((row.model for row in main.ranking if row.model not in main.baselines), None)
    if weak is None or best is None:
        return
    difference = main.seen_from(best).get(weak)
    if difference is None or len(main.ranking) == 2:  # not compared, or said
        return
    if difference.winner == best:
        if main.ranking[1].model != weak:
            yield f"It is {_with_interval(difference)} above {weak}, the best baseline."
    elif difference.winner == weak:
        yield f"No model beats the baseline {weak}, which is {_with_interval(difference.seen_from(weak))} above {best}."
    else:
        yield f"{best} cannot be told from the baseline {weak}."


def _beside(aside: Beside, best: str) -> str:
    """Say how a model that scores too few items differs from the best one on those that both score."""
    sentence = f"{aside.model} scores {aside.scored:.0%} of the items"
    if aside.difference is None:
        return f"{sentence} and is not compared."
    below = aside.difference.value < 0
    difference = aside.difference.seen_from(best) if below else aside.difference
    return f"{sentence}; on those it is {_with_interval(difference)} {'below' if below else 'above'} {best}."


def _with_interval(row: Ranked | Difference) -> str:
    """Return a value with its interval, with a third decimal where two would make an end and the value the same."""
    numbers = row.value, row.low, row.high
    hidden = any(f"{end:.2f}" == f"{row.value:.2f}" for end in numbers[1:] if end != row.value)
    value, low, high = (f"{number:.{3 if hidden else 2}f}".replace("0.", ".") for number in numbers)
    return f"{value} [{low}, {high}]" if math.isfinite(row.low) else value


def _listed(names: Sequence[str], what: str = "") -> str:
    """Return names as part of a sentence, the first few of many."""
    more = len(names) - _MOST_NAMED
    others = f"{more} more{f' {what}s' if what else ''}"
    shown = [*names[:_MOST_NAMED], others] if more > 1 else names
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
