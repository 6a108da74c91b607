"""Does the one comparison keep its level, and do its intervals hold the true value? Asked of `tg.compare_outcomes`.

Models show the same truth with errors, half of which all models have and half of which belong to units: concepts, words
or documents. Any model could be any other, so each mark is a false one, unless a case says otherwise.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from benchmarks.levels import simulated
from termgauge.statistics import normal
from termgauge.statistics.compare import compare_outcomes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

SENTENCES, ENTITIES = 12, 3
"""Sentences of a document, and entities of a sentence."""


class Layout(NamedTuple):
    """The items of a set: their units (-1 for none), and their truth where the statistic needs it."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    truth: Array


class Goal(NamedTuple):
    """Between which rates a case has to come out."""

    low: float
    high: float

    def __str__(self) -> str:
        """Say it as a table does."""
        return f"≤ {self.high:g}" if not self.low else f"{self.low:g} to {self.high:g}"


LEVEL, STRICT = Goal(0.0, 0.065), Goal(0.0, 0.06)


@dataclass(frozen=True)
class Case:
    """What is simulated."""

    statistic: str
    layout: str
    """How items share units: even, uneven, hub, alone, words, queries or documents."""
    units: int
    asks: str = "marked"
    """What is counted: marked (a difference), holds (the interval of a value), power, separation (and is it marked)."""
    goal: Goal = LEVEL
    quality: float = 1.0
    """How far truth moves scores, in standard deviations of the errors; of queries the share that is right."""
    other: float | None = None
    """The quality of the second model, where it is another one."""
    models: int = 2
    sets: int = 1
    items: int = 0
    """How many a set of even units has, if not eight for each unit."""
    apart: bool = False
    """Whether each set has units of its own."""

    @property
    def qualities(self) -> list[float]:
        """Those of all models."""
        return [self.quality, *[self.quality if self.other is None else self.other] * (self.models - 1)]

    def __str__(self) -> str:
        """Say what it is in one line."""
        name = {"mean": "acc@1", "mrr": "MRR", "ratio": "F"}.get(self.statistic, self.statistic)
        several = f", {self.sets} sets {'with units of their own' if self.apart else 'that share them'}"
        rate = f" at {self.quality:g}" if self.layout == "queries" else ""
        models = f", {self.models} models" if self.models > 2 else ""
        return f"{name}{rate}, {self.units} {self.layout} units{several if self.sets > 1 else ''}{models}: {self.asks}"


def lay_out(case: Case, generator: np.random.Generator) -> Layout:
    """Draw which items share what: labels with synonyms of one concept and pairs of two, or ratings of pairs."""
    units, graded = case.units, case.statistic in ("spearman", "pearson")
    if case.layout in ("queries", "documents"):
        per_unit = generator.integers(1, 6, units) if case.layout == "queries" else np.full(units, SENTENCES)
        first = np.repeat(np.arange(units), per_unit)
        return Layout(first, np.full(len(first), -1), np.zeros(0))
    if case.layout == "alone":
        first = np.arange(units)
        labels = np.arange(units) % 2
        return Layout(first, np.full(units, -1), generator.normal(size=units) if graded else labels.astype(np.float64))
    bounds: NDArray[np.int64] = np.linspace(0, case.items or 8 * units, units + 1).astype(np.int64)
    sizes = bounds[1:] - bounds[:-1]
    if case.layout == "uneven":
        sizes = np.round(np.exp(generator.uniform(math.log(2), math.log(200), units))).astype(np.int64)
    one = np.repeat(np.arange(units), sizes)
    other = (one + generator.integers(1, units, len(one))) % units
    if case.layout == "hub":
        of_hub = generator.random(len(one)) < 1 / 3
        one, other = np.where(of_hub, 0, one), np.where(of_hub, 1 + generator.integers(0, units - 1, len(one)), other)
    if graded:
        return Layout(one, other, generator.normal(size=len(one)))
    similar = np.arange(len(one)) % 2 == 0
    return Layout(one, np.where(similar, one, other), similar.astype(np.float64))


def draw_errors(layout: Layout, effects: Array, generator: np.random.Generator) -> Array:
    """Draw errors (models x items) of variance 1; `effects` are those of units (models + 1 x units)."""
    first, second = layout.first, np.where(layout.second < 0, layout.first, layout.second)
    of_units = np.where(first == second, effects[:, first], (effects[:, first] + effects[:, second]) / 2**0.5)
    errors = (generator.normal(size=of_units.shape) + of_units) / 2**0.5
    return np.asarray((errors[:1] + errors[1:]) / 2**0.5)


def outcomes_of(case: Case, layout: Layout, errors: Array, generator: np.random.Generator) -> list[pl.Series]:
    """Return the column of each model."""
    if case.layout == "documents":
        hits = (generator.random((ENTITIES, *errors.shape)) < 1 / (1 + np.exp(-errors - 1))).sum(axis=0)
        below = hits + ENTITIES + generator.poisson(0.3, errors.shape)
        return [
            pl.DataFrame({"above": 2.0 * above, "below": below}).to_struct()
            for above, below in zip(hits, below, strict=True)
        ]
    values = np.array(case.qualities)[:, None] * layout.truth + errors if len(layout.truth) else errors
    if case.layout == "queries":
        wrong = errors - normal.quantile(case.quality)
        ranks = (
            np.where(wrong < 0, 1.0, np.inf) if case.statistic == "mean" else np.ceil(np.exp(2 * np.maximum(0, wrong)))
        )
        values = np.asarray(1 / ranks)
    if case.asks == "separation":
        values[0] = layout.truth
    return [pl.Series(row) for row in values]


def draw(case: Case, generator: np.random.Generator) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Draw all sets of a case, as the frames that `compare_outcomes` takes."""
    effects = generator.normal(size=(case.models + 1, case.units))
    items, values = [], []
    for number in range(case.sets):
        if case.apart:
            effects = generator.normal(size=effects.shape)
        layout = lay_out(case, generator)
        columns = outcomes_of(case, layout, draw_errors(layout, effects, generator), generator)
        begins = number * case.units if case.apart else 0
        frame = pl.DataFrame({"set": f"s{number}", "item": np.arange(len(layout.first))})
        units = pl.DataFrame({"unit_1": layout.first + begins, "unit_2": layout.second})
        truth = pl.Series("truth", layout.truth if len(layout.truth) else [None] * len(frame), pl.Float64)
        units = units.with_columns(pl.when(pl.col("unit_2") >= 0).then(pl.col("unit_2") + begins), truth)
        items.append(pl.concat([frame, units], how="horizontal"))
        values.append(frame.with_columns(column.alias(f"m{at}") for at, column in enumerate(columns)))
    return pl.concat(items), pl.concat(values)


@cache
def true_value(case: Case) -> float:
    """Return what the first model has on all items that there might be."""
    correlation = case.quality / math.hypot(1, case.quality)
    known = {
        "auc": normal.cdf(case.quality / math.sqrt(2)),
        "pearson": correlation,
        "spearman": 6 / math.pi * math.asin(correlation / 2),
        "mean": case.quality,
    }
    return known[case.statistic]


def simulate(case: Case, repeats: int) -> float:
    """Return the share of repeats in which what a case asks for came out."""
    generator = np.random.default_rng(zlib.crc32(str(case).encode()))
    statistic = "mean" if case.statistic == "mrr" else case.statistic
    found = []
    for _ in range(repeats):
        comparison = compare_outcomes(*draw(case, generator), statistic=statistic)
        several = case.sets > 1 or case.models > 2
        if case.asks == "power":
            found.append(comparison.differences["detectable"][0])
        elif case.asks == "holds":
            frame = comparison.ranking if several else comparison.estimates
            row = frame.filter(model="m0").row(0, named=True)
            found.append(row["low"] <= true_value(case) <= row["high"])
        else:
            frame = comparison.joint if several else comparison.differences
            found.append(frame["significant"].any())
    if case.asks == "power":  # of a difference as large as the mean of those that are stated
        other = math.sqrt(2) * normal.quantile(true_value(case) - float(np.mean(found)))
        return simulate(replace(case, asks="marked", other=other), repeats)
    return float(np.mean(found))


CASES = [
    *(
        Case(statistic, layout, 50)
        for layout in ("uneven", "hub")
        for statistic in ("auc", "ap", "spearman", "pearson")
    ),
    *(
        Case(statistic, "even", units, goal=Goal(0.02, 0.06))
        for statistic in ("auc", "spearman")
        for units in (12, 30, 100, 500)
    ),
    *(Case(statistic, "alone", 100, goal=Goal(0.02, 0.06)) for statistic in ("auc", "spearman")),
    Case("spearman", "words", 300, goal=STRICT),
    *(
        Case(statistic, "queries", units, goal=STRICT, quality=share)
        for statistic in ("mean", "mrr")
        for units, share in ((30, 0.35), (100, 0.97), (300, 0.97))
    ),
    *(Case("ratio", "documents", units) for units in (20, 100)),
    Case("auc", "even", 60, goal=Goal(0.0, 0.05), models=7, sets=10),
    *(Case("auc", "even", 60, "holds", Goal(0.93, 0.97), sets=8, apart=apart) for apart in (False, True)),
    *(
        Case(statistic, "even", units, "holds", Goal(0.92, 0.98))
        for statistic in ("auc", "spearman")
        for units in (12, 30, 100, 500)
    ),
    *(
        Case("mean", "queries", units, "holds", Goal(0.92, 0.98), share)
        for units, share in ((30, 0.35), (100, 0.97), (300, 0.97))
    ),
    Case("auc", "even", 60, "power", Goal(0.75, 0.85)),
    Case("auc", "even", 12, "separation", Goal(1.0, 1.0), other=0.0, items=80),
]


def main(repeats: int = 4000) -> None:
    """Print a line for each case, with what it has to reach."""
    print(f"{'The comparison of models, by tg.compare_outcomes':66} {'rate':>6}  to reach")
    for case, share in simulated(simulate, CASES, [repeats] * len(CASES)):
        missed = "" if case.goal.low <= share <= case.goal.high else "  missed"
        print(f"{case!s:66} {share:6.3f}  {case.goal}{missed}", flush=True)
