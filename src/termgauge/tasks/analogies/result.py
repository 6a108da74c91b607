"""What asking for analogies gives: how many each model completes, relation by relation."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl
from pydantic import Field

from termgauge.domain.neighbourhood import neighbourhood_of
from termgauge.exceptions import warn
from termgauge.io.arrays import Array
from termgauge.io.atomic import whole_file
from termgauge.progress import track
from termgauge.statistics.compare import SetOutcomes
from termgauge.statistics.covariance import NO_UNIT, Units
from termgauge.statistics.estimators import ratio
from termgauge.tasks.analogies.search import Vectors, beaters
from termgauge.tasks.analogies.task import METHODS
from termgauge.tasks.coverage.result import compared_apart
from termgauge.tasks.results import DifferenceRecord, Finite, JointRecord, Record, Result, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.domain.neighbourhood import Neighbourhood
    from termgauge.domain.relations import Relation
    from termgauge.embeddings.model import Model
    from termgauge.similarity.search import Listed
    from termgauge.statistics.comparison import SetComparison
    from termgauge.statistics.estimators import Estimates
    from termgauge.tasks.analogies.task import AnalogyInputs, AnalogyOptions

    Analogies = NDArray[np.int32]


@dataclass(frozen=True)
class RelationAnalogies:
    """The analogies of one relation in one model."""

    pairs: int
    """|W|."""
    in_vocabulary: int
    """|IV|: pairs with both ends in the vocabulary."""
    successes: dict[int, int]
    """AR by k."""
    holding: Array = field(repr=False, compare=False)
    """The analogies that hold for the largest k: the numbers of h and j in W, and the rank of the answer."""
    known: Array = field(default_factory=lambda: np.empty(0, np.int32), repr=False, compare=False)
    """The numbers, in W, of the pairs in vocabulary."""

    @property
    def out_of_vocabulary(self) -> int:
        """|OOV|."""
        return self.pairs - self.in_vocabulary

    @property
    def asked(self) -> int:
        """How many analogies there are between pairs in vocabulary."""
        return self.in_vocabulary * (self.in_vocabulary - 1)

    def holding_for(self, k: int) -> NDArray[np.int32]:
        """Return h and j of the analogies that hold for some k."""
        return self.holding[self.holding[:, 2] <= k, :2]

    def coverage(self, k: int) -> float | None:
        """Return M; None where there are no analogies at all, for want of two pairs."""
        return self.successes[k] / (self.pairs * (self.pairs - 1)) if self.pairs > 1 else None


@dataclass(frozen=True)
class ModelAnalogies:
    """The analogies of all relations in one model."""

    kind: str
    """Of the model: words, concepts or terms."""
    neighbourhood: str
    """Where the answer is sought: in the model's `vocabulary` or, for encoders, among the names of the `terminology`,
    which is a different question."""
    size: int
    """How many words or concepts that is."""
    relations: dict[str, RelationAnalogies]


def analogies_of(model: Model, inputs: AnalogyInputs, options: AnalogyOptions) -> ModelAnalogies:
    """Ask a model for all analogies of some relations.

    An encoder's vocabulary is the terminology: one label of each concept. With ``first`` labels a concept is the
    best-ranked of its labels in the vocabulary; with ``all`` an analogy holds if it does for any choice of labels of
    its four concepts, the labels chosen being left out of the ranking.
    """
    limit, relations = max(options.k), inputs.chosen.relations
    ends = list(dict.fromkeys(end for relation in relations for pair in relation.pairs for end in pair))
    among = neighbourhood_of(model, inputs.terminology, ends, options.lookup)
    places = {end: number for number, end in enumerate(ends)}
    lines = {relation.name: _lines_of(relation, among.seeds, places) for relation in relations}
    if limit >= len(among):
        warn(f"'{model.name}' has {len(among):,} words, so that all of them are among the {limit:,} nearest.")
    if not any(len(some.known) for some in lines.values()):
        warn(f"No pair of any relation is in the vocabulary of '{model.name}': it covers nothing of the domain.")
    vectors, counted = _vectors(among), {}
    total = sum(len(some.known) * (len(some.known) - 1) for some in lines.values())
    with track(f"Analogies in {model.name}", total=total, unit="analogies") as advance:
        for relation in relations:
            holding = _holding(vectors, lines[relation.name], limit, options, advance)
            successes = {k: int((holding[:, 2] <= k).sum()) for k in options.k}
            pairs = lines[relation.name].known.astype(np.int32)
            counted[relation.name] = RelationAnalogies(len(relation.pairs), len(pairs), successes, holding, pairs)
    return ModelAnalogies(model.kind, among.kind, len(among), counted)


class _Lines(NamedTuple):
    """The pairs of a relation that are in vocabulary, one line for each choice of their labels."""

    x: NDArray[np.int64]
    y: NDArray[np.int64]
    groups: NDArray[np.int64]
    """Which of the known pairs a line is of; ascending."""
    known: NDArray[np.int64]
    """Numbers, in W, of the pairs in vocabulary."""


def _lines_of(relation: Relation, rows: Listed, places: dict[str, int]) -> _Lines:
    sizes = np.diff(rows.offsets)
    ends = np.array([(places[one], places[other]) for one, other in relation.pairs], np.int64).reshape(-1, 2)
    counts = sizes[ends[:, 0]] * sizes[ends[:, 1]]
    pairs = np.flatnonzero(counts)
    groups = np.repeat(np.arange(len(pairs)), counts[pairs])
    first, second = ends[pairs].T
    choice = np.arange(len(groups)) - np.repeat(np.cumsum(counts[pairs]) - counts[pairs], counts[pairs])
    x = rows.values[rows.offsets[first][groups] + choice // sizes[second][groups]]
    y = rows.values[rows.offsets[second][groups] + choice % sizes[second][groups]]
    return _Lines(x, y, groups, pairs)


def _holding(
    vectors: Vectors, lines: _Lines, limit: int, options: AnalogyOptions, advance: Callable[[float], None]
) -> NDArray[np.int32]:
    """Return which analogies of a relation hold: the numbers of both pairs, and the rank of the answer."""
    pairs, groups = lines.known, lines.groups
    asked = len(pairs) * (len(pairs) - 1)
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    parts = [np.empty((0, 3), np.int32)]

    def done(share: float) -> None:
        advance(share * asked)

    for start, counts in beaters(vectors, lines.x, lines.y, limit, method=options.method, groups=groups, advance=done):
        stop, least = start + len(counts), counts
        if len(starts) < len(groups):  # an analogy holds if it does for any choice of labels
            some = starts[(starts >= start) & (starts < stop)] - start
            least = np.minimum.reduceat(np.minimum.reduceat(counts, some, axis=0), starts, axis=1)
        h, j = np.nonzero(least < limit)
        parts.append(np.column_stack([pairs[groups[start] + h], pairs[j], least[h, j] + 1]).astype(np.int32))
    return np.concatenate(parts)


def _vectors(among: Neighbourhood) -> Vectors:
    """Return the vectors of a neighbourhood; those of an encoder are made once and kept."""
    if among.kind == "vocabulary":
        return Vectors(among.rows, among.gather, among.repeated)
    made = np.empty((0, 1), np.float32)
    for start, block, _units in among.blocks():
        if not len(made):  # room for all at once: to put blocks together at the end would take twice as much
            made = np.empty((among.rows, block.shape[1]), np.float32)
        made[start : start + len(block)] = block
    return Vectors.of(made)


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
        answers = measured[model].relations[relation.name]
        x, y = ([relation.pairs[number][end] for number in answers.known.tolist()] for end in (0, 1))
        h, j = (pl.LazyFrame({pair: answers.known, f"x_{pair}": x, f"y_{pair}": y}) for pair in "hj")
        held = pl.LazyFrame(answers.holding, ["h", "j", "rank"], orient="row")
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
        estimates = ratio(values, counts, (values.sum(axis=1, keepdims=True), np.array([[total]])))
        return replace(estimates, influence=(values - estimates.values[:, None] * shares) * (values.shape[1] / total))

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

    @property
    def about(self) -> tuple[str, str]:
        """The relation and the one statistic that is tested."""
        return self.relation, COVERAGE


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
            for relation, figures in model.relations.items():
                yield Value(name, COVERAGE, figures.coverage, figures.low, figures.high, figures.pairs, item=relation)


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

    def outcomes(models: Mapping[str, ModelAnalogies]) -> dict[tuple[str, int], SetOutcomes]:
        kind = next(iter(models.values())).neighbourhood
        return {
            (relation, k): outcomes_of(
                f"{kind}/{relation}",
                pairs,
                {name: model.relations[relation].holding_for(k) for name, model in models.items()},
            )
            for relation, pairs in units.items()
            for k in options.k
            if len(pairs) > 1
        }

    compared, joints = compared_apart(measured, outcomes, lambda key: key[1] == first_k, testing)

    def figures(name: str, relation: str) -> RelationFigures:
        parts = {k: compared.get((measured[name].neighbourhood, (relation, k))) for k in options.k}
        return _figures(name, measured[name].relations[relation], parts)

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
            relation.name: RelationSummary(label=relation.label, pairs=len(relation.pairs))
            for relation in inputs.chosen.relations
        },
        models={
            name: ModelFigures(
                kind=model.kind,
                neighbourhood=model.neighbourhood,
                neighbourhood_size=model.size,
                relations={relation: figures(name, relation) for relation in model.relations},
            )
            for name, model in measured.items()
        },
        differences=[
            AnalogyDifference.of(difference, k=k, relation=relation)
            for (_kind, (relation, k)), part in compared.items()
            for difference in part.differences
            if k == first_k
        ],
        notes=list(inputs.chosen.notes),
        **joints,
    )


def _figures(name: str, counted: RelationAnalogies, parts: Mapping[int, SetComparison | None]) -> RelationFigures:
    by_k = {}
    for k, part in parts.items():
        low, high = (part.by_model[name].low, part.by_model[name].high) if part else (None, None)
        by_k[str(k)] = AtK(successes=counted.successes[k], coverage=counted.coverage(k), low=low, high=high)
    main = next(iter(parts.values()))
    wins, losses = main.counts[name] if main else (0, 0)
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
