"""What asking for analogies gives: how many each model completes, relation by relation."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl
from pydantic import Field

from termgauge.io.atomic import whole_file
from termgauge.progress import track
from termgauge.statistics.bootstrap import UNDEFINED, Interval
from termgauge.statistics.comparison import wins_and_losses
from termgauge.statistics.dependence import mean_of_pairs
from termgauge.statistics.inputs import corrected_level
from termgauge.statistics.significance import corrected_differences
from termgauge.tasks.analogies.task import METHODS
from termgauge.tasks.results import DifferenceRecord, Finite, Record, Result, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from termgauge.domain.relations import Relation
    from termgauge.statistics.significance import Difference
    from termgauge.statistics.student import Mean

    Analogies = NDArray[np.int32]
    from collections.abc import Iterator, Mapping

    from termgauge.tasks.analogies.measure import ModelAnalogies, RelationAnalogies
    from termgauge.tasks.analogies.task import AnalogyInputs, AnalogyOptions
    from termgauge.tasks.contract import Testing

SCHEMA = {
    "model": pl.String,
    "relation": pl.String,
    "h": pl.Int32,
    "j": pl.Int32,
    "x_h": pl.String,
    "y_h": pl.String,
    "x_j": pl.String,
    "y_j": pl.String,
    "rank": pl.Int32,
    "success": pl.Boolean,
}
"""The pairs by their numbers among the relation's and by their concepts; the rank of the answer, null beyond the
largest k; and whether it is among the first k named."""


class Outcomes:
    """Takes the outcomes of some analogies after others; its parts lie beside the file and go away with it."""

    def __init__(self, path: Path, relations: Sequence[Relation]) -> None:
        self._path = path
        self._parts: list[Path] = []
        self._ends = {
            relation.name: [pl.Series([pair[side] for pair in relation.pairs], dtype=pl.String) for side in (0, 1)]
            for relation in relations
        }
        self._folder = tempfile.TemporaryDirectory(dir=path.parent)

    def add(self, model: str, relation: str, frame: pl.DataFrame) -> None:
        """Set some outcomes down: ``h``, ``j``, ``rank`` and ``success``."""
        x, y = self._ends[relation]
        full = frame.with_columns(
            pl.lit(model).alias("model"),
            pl.lit(relation).alias("relation"),
            *(ends.gather(frame[pair]).alias(f"{end}_{pair}") for pair in "hj" for end, ends in (("x", x), ("y", y))),
        )
        part = Path(self._folder.name) / f"{len(self._parts):09}.parquet"
        full.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items()).write_parquet(part)
        self._parts.append(part)

    def write(self) -> None:
        """Write all of them to the file."""
        with whole_file(self._path) as temporary:
            if self._parts:
                pl.scan_parquet(self._parts, glob=False).sink_parquet(temporary)
            else:
                pl.DataFrame(schema=SCHEMA).write_parquet(temporary)
        self._folder.cleanup()


class Tested(NamedTuple):
    """The coverage of one relation by several models."""

    intervals: tuple[Interval, ...]
    """Of each model, at level 1 - alpha, not corrected; NaN where nothing varies, as where no analogy holds."""
    differences: tuple[Difference, ...]


def compare_pairs(
    names: Sequence[str],
    pairs: int,
    holding: Sequence[Analogies],
    *,
    alpha: float = 0.05,
    correction: str = "bonferroni",
    sorts: Sequence[str] | None = None,
) -> Tested:
    """Return intervals of the coverage of a relation, and the differences of the pairs of models that are of one sort.

    `pairs` counts those out of vocabulary, too, and is at least 2; `holding` has a line with h and j for each analogy
    that holds; where no `sorts` are named, all models are of one.
    """
    both = [(a, b) for a, b in combinations(range(len(names)), 2) if sorts is None or sorts[a] == sorts[b]]
    level = corrected_level(alpha, len(both), correction)
    intervals = tuple(_coverage(pairs, each).share_interval(alpha) for each in holding)
    found = [_coverage(pairs, holding[a], holding[b]) for a, b in both]
    differences = [
        (names[a], names[b], each.value, each.interval(level), each.p_value())
        for (a, b), each in zip(both, found, strict=True)
    ]
    return Tested(intervals, corrected_differences(differences, alpha=alpha, correction=correction))


def _coverage(pairs: int, one: Analogies, other: Analogies | None = None) -> Mean:
    """Return M of one model, less that of another; every two analogies that share a pair are counted together."""
    lines = one if other is None else np.concatenate([one, other])
    values = np.ones(len(lines))
    values[len(one) :] = -1
    keys, place = np.unique(lines[:, 0].astype(np.int64) * pairs + lines[:, 1], return_inverse=True)
    return mean_of_pairs(pairs, keys // pairs, keys % pairs, np.bincount(place, values, len(keys)).astype(np.float64))


COVERAGE = "coverage"


class DomainSummary(Record):
    """Which domain it is."""

    title: str
    key: str
    seeds: int
    related: int
    """Seeds that came from relations, branches or lists: those whose relations are asked."""


class RelationSummary(Record):
    """A relation that was asked."""

    label: str
    pairs: int


class AtK(Record):
    """The analogies that hold if the answer is among so many nearest words."""

    successes: int
    coverage: Finite
    """M: the share of all analogies between the relation's pairs; None where there are none."""
    low: Finite
    high: Finite


class RelationFigures(AtK):
    """One relation in one model; the figures of its own are for the first k."""

    pairs: int
    in_vocabulary: int
    out_of_vocabulary: int
    analogies: int
    """How many there are between pairs in vocabulary."""
    wins: int
    losses: int
    k: dict[str, AtK]


class ModelFigures(Record):
    """All relations in one model."""

    kind: str
    neighbourhood: str
    neighbourhood_size: int
    relations: dict[str, RelationFigures]


class AnalogyDifference(DifferenceRecord):
    """The difference of two models in a relation."""

    k: int
    relation: str


class AnalogyResult(Result):
    """How well models cover the relations of a domain as analogies.

    Only models that sought answers in the same sort of place are compared, in their own vocabularies or in the
    terminology: between the two a difference would say nothing.
    """

    domain: DomainSummary
    terminology: dict[str, str]
    k: list[int]
    """The first is what plain figures are about."""
    method: str
    method_name: str
    labels: str
    alpha: float
    correction: str
    relations: dict[str, RelationSummary]
    models: dict[str, ModelFigures]
    differences: list[AnalogyDifference]
    notes: list[str] = Field(default_factory=list)

    def values(self) -> Iterator[Value]:
        """Yield M of each relation, for the first k."""
        for name, model in self.models.items():
            for relation, own in model.relations.items():
                yield Value(name, COVERAGE, own.coverage, own.low, own.high, own.pairs, item=relation)


def combined(measured: Mapping[str, ModelAnalogies], inputs: AnalogyInputs, options: AnalogyOptions) -> AnalogyResult:
    """Add intervals and differences to what was counted."""
    if inputs.outcomes is not None:
        inputs.outcomes.write()
    domain, relations, testing = inputs.domain, inputs.chosen.relations, inputs.testing
    figures: dict[str, dict[str, RelationFigures]] = {name: {} for name in measured}
    differences: list[AnalogyDifference] = []
    with track("Testing relations", total=len(relations) * len(options.k), unit="relations") as advance:
        for relation in relations:
            tested = {}
            for k in options.k:
                tested[k] = _tested(relation, k, measured, testing)
                advance(1)
            first = tested[options.k[0]].differences
            differences += [
                AnalogyDifference(k=options.k[0], relation=relation.name, **difference.as_dict())
                for difference in first
            ]
            for place, (name, model) in enumerate(measured.items()):
                intervals = {k: each.intervals[place] for k, each in tested.items()}
                figures[name][relation.name] = _figures(
                    model.relations[relation.name], intervals, wins_and_losses(name, first)
                )
    return AnalogyResult(
        domain=DomainSummary(title=domain.title, key=domain.key, seeds=len(domain.seeds), related=len(domain.related)),
        terminology={name: str(value) for name, value in asdict(inputs.terminology.identity).items()},
        k=options.k,
        method=options.method,
        method_name=METHODS[options.method],
        labels=options.labels,
        alpha=testing.alpha,
        correction=testing.correction,
        relations={each.name: RelationSummary(label=each.label, pairs=len(each.pairs)) for each in relations},
        models={
            name: ModelFigures(
                kind=model.kind,
                neighbourhood=model.neighbourhood,
                neighbourhood_size=model.size,
                relations=figures[name],
            )
            for name, model in measured.items()
        },
        differences=differences,
        notes=list(inputs.chosen.notes),
    )


def _tested(relation: Relation, k: int, models: Mapping[str, ModelAnalogies], testing: Testing) -> Tested:
    """Return the intervals and differences of a relation; none where no analogy holds."""
    holding = [model.relations[relation.name].holding_for(k) for model in models.values()]
    if len(relation.pairs) < 2 or not any(map(len, holding)):
        return Tested((UNDEFINED,) * len(models), ())
    return compare_pairs(
        list(models),
        len(relation.pairs),
        holding,
        alpha=testing.alpha,
        correction=testing.correction,
        sorts=[model.neighbourhood for model in models.values()],
    )


def _figures(
    counted: RelationAnalogies, intervals: Mapping[int, Interval], standing: tuple[int, int]
) -> RelationFigures:
    by_k = {
        str(k): AtK(successes=counted.successes[k], coverage=counted.coverage(k), low=low, high=high)
        for k, (low, high) in intervals.items()
    }
    return RelationFigures(
        **next(iter(by_k.values())).model_dump(),
        pairs=counted.pairs,
        in_vocabulary=counted.in_vocabulary,
        out_of_vocabulary=counted.out_of_vocabulary,
        analogies=counted.asked,
        wins=standing[0],
        losses=standing[1],
        k=by_k,
    )
