"""What asking for analogies gives: how many each model completes, relation by relation."""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from pydantic import Field

from termgauge.io.atomic import whole_file
from termgauge.statistics.compare import SetOutcomes, compare, compare_set
from termgauge.statistics.covariance import NO_UNIT, Units
from termgauge.statistics.estimators import ratio
from termgauge.tasks.analogies.task import METHODS
from termgauge.tasks.results import DifferenceRecord, Finite, JointRecord, Record, Result, Value
from termgauge.tasks.shown import by_neighbourhood

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.domain.relations import Relation
    from termgauge.statistics.comparison import Joint, SetComparison
    from termgauge.statistics.estimators import Estimates
    from termgauge.tasks.analogies.measure import ModelAnalogies, RelationAnalogies
    from termgauge.tasks.analogies.task import AnalogyInputs, AnalogyOptions

    Analogies = NDArray[np.int32]

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


def write_outcomes(path: Path, measured: Mapping[str, ModelAnalogies], relations: Sequence[Relation], k: int) -> None:
    """Write the outcome of every single analogy between pairs in vocabulary, without holding all of them at once."""
    parts = [pl.LazyFrame(schema=SCHEMA)]
    for model, relation in product(measured, relations):
        found = measured[model].relations[relation.name]
        x, y = ([relation.pairs[number][end] for number in found.known.tolist()] for end in (0, 1))
        h, j = (pl.LazyFrame({pair: found.known, f"x_{pair}": x, f"y_{pair}": y}) for pair in "hj")
        held = pl.LazyFrame(found.holding, ["h", "j", "rank"], orient="row")
        every = h.join(j, how="cross", maintain_order="left_right").filter(pl.col("h") != pl.col("j"))
        every = every.join(held, on=["h", "j"], how="left", maintain_order="left")
        about = {
            "model": pl.lit(model),
            "relation": pl.lit(relation.name),
            "success": (pl.col("rank") <= k).fill_null(value=False),
        }
        parts.append(every.with_columns(**about).select(pl.col(name).cast(kind) for name, kind in SCHEMA.items()))
    with whole_file(path) as temporary:
        pl.concat(parts).sink_parquet(temporary)


_ALL_LISTED = 200
"""The number of pairs up to which any two of them are an item; of more, those are between which an analogy holds."""


def outcomes_of(name: str, units: NDArray[np.int64], holding: Mapping[str, Analogies]) -> SetOutcomes:
    """Return the share that holds of both analogies between any two pairs of a relation, which are the units.

    Beside the items that are listed each pair has one for all others, of which nothing holds: they take part in what is
    left without the pair. `holding` has a line with h and j for each analogy that holds.
    """
    pairs = len(units)
    keys = {model: lines.astype(np.int64).min(axis=1) * pairs + lines.max(axis=1) for model, lines in holding.items()}
    if pairs <= _ALL_LISTED:
        listed = np.ravel_multi_index(np.triu_indices(pairs, 1), (pairs, pairs))
    else:
        listed = np.unique(np.concatenate([*keys.values()]))
    low, high = np.divmod(listed, pairs)
    rest = pairs - 1 - np.bincount(low, minlength=pairs) - np.bincount(high, minlength=pairs)
    counts = np.concatenate([np.ones(len(listed)), rest])[None]
    # Squares of contributions are summed up; each item that is not listed belongs to two pairs.
    shares = np.concatenate([np.ones(len(listed)), np.sqrt(rest / 2)])
    total = pairs * (pairs - 1) / 2

    def share(values: NDArray[np.float64], _truth: object) -> Estimates:
        found = ratio(values, counts, (values.sum(axis=1, keepdims=True), np.array([[total]])))
        return replace(found, influence=(values - found.values[:, None] * shares) * (values.shape[1] / total))

    values = {
        model: np.append(np.bincount(np.searchsorted(listed, key), minlength=len(listed)) / 2, np.zeros(pairs))
        for model, key in keys.items()
    }
    ends = Units(np.append(units[low], units), np.append(units[high], np.full(pairs, NO_UNIT)))
    return SetOutcomes(name, "mean", ends, np.zeros(0), values, label="analogy coverage M", estimator=share)


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
    encoders: JointRecord | None = Field(None, exclude_if=lambda joint: joint is None)
    """The verdict on encoders, where there are other models, too."""
    notes: list[str] = Field(default_factory=list)

    def values(self) -> Iterator[Value]:
        """Yield M of each relation, for the first k."""
        for name, model in self.models.items():
            for relation, own in model.relations.items():
                yield Value(name, COVERAGE, own.coverage, own.low, own.high, own.pairs, item=relation)


def combined(measured: Mapping[str, ModelAnalogies], inputs: AnalogyInputs, options: AnalogyOptions) -> AnalogyResult:
    """Add intervals, differences and the verdict; models that sought answers elsewhere are compared apart."""
    if options.outcomes is not None:
        write_outcomes(Path(options.outcomes), measured, inputs.chosen.relations, options.k[0])
    domain, testing, (first_k, *_) = inputs.domain, inputs.testing, options.k
    numbers: dict[frozenset[str], int] = {}  # the pairs of a relation are those of its inverse
    units = {
        relation.name: np.array([numbers.setdefault(frozenset(pair), len(numbers)) for pair in relation.pairs], int)
        for relation in inputs.chosen.relations
    }
    compared: dict[tuple[str, int, str], SetComparison] = {}
    joints: list[Joint | None] = []
    for place, names in by_neighbourhood(measured).items():
        outcomes = {
            (relation, k): outcomes_of(
                f"{place}/{relation}", own, {name: measured[name].relations[relation].holding_for(k) for name in names}
            )
            for relation, own in units.items()
            for k in options.k
            if len(own) > 1
        }
        for key, each in outcomes.items():
            compared[*key, place] = compare_set(each, alpha=testing.alpha, correction=testing.correction)
        main = [each for (_relation, k), each in outcomes.items() if k == first_k]
        joints.append(compare(main, alpha=testing.alpha, margin=testing.margin, min_coverage=0.0).main)
    first, second, *_ = (*joints, None, None)
    return AnalogyResult(
        domain=DomainSummary(title=domain.title, key=domain.key, seeds=len(domain.seeds), related=len(domain.related)),
        terminology={name: str(value) for name, value in asdict(inputs.terminology.identity).items()},
        k=options.k,
        method=options.method,
        method_name=METHODS[options.method],
        labels=options.labels,
        alpha=testing.alpha,
        correction=testing.correction,
        relations={
            each.name: RelationSummary(label=each.label, pairs=len(each.pairs)) for each in inputs.chosen.relations
        },
        models={
            name: ModelFigures(
                kind=model.kind,
                neighbourhood=model.neighbourhood,
                neighbourhood_size=model.size,
                relations={
                    relation: _figures(
                        name, own, {k: compared.get((relation, k, model.neighbourhood)) for k in options.k}
                    )
                    for relation, own in model.relations.items()
                },
            )
            for name, model in measured.items()
        },
        differences=[
            AnalogyDifference.of(each, k=k, relation=relation)
            for (relation, k, _place), part in compared.items()
            for each in part.differences
            if k == first_k
        ],
        notes=list(inputs.chosen.notes),
        joint=first,
        encoders=second,
    )


def _figures(name: str, counted: RelationAnalogies, found: Mapping[int, SetComparison | None]) -> RelationFigures:
    by_k, against = {}, []
    for k, part in found.items():
        low, high = (part.by_model[name].low, part.by_model[name].high) if part else (None, None)
        by_k[str(k)] = AtK(successes=counted.successes[k], coverage=counted.coverage(k), low=low, high=high)
        against.append(part.counts[name] if part else (0, 0))
    (wins, losses), *_ = against
    return RelationFigures(
        **next(iter(by_k.values())).model_dump(),
        pairs=counted.pairs,
        in_vocabulary=counted.in_vocabulary,
        out_of_vocabulary=counted.out_of_vocabulary,
        analogies=counted.asked,
        wins=wins,
        losses=losses,
        k=by_k,
    )
