"""What linking gives: accuracy and reciprocal ranks of each model, of groups of queries, and wrong answers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from pydantic import Field

from termgauge.reporting.writers.write import write_table
from termgauge.statistics.bootstrap import Interval, resamples_for
from termgauge.statistics.dependence import ClusteredMeans
from termgauge.statistics.inputs import adjusted, corrected_level
from termgauge.statistics.separation import mcnemar, only_right
from termgauge.statistics.significance import corrected_differences
from termgauge.tasks.linking.measure import baselines_beside
from termgauge.tasks.linking.questions import groupings_of
from termgauge.tasks.results import DifferenceRecord, Ends, Finite, Record, Result, Value, wins_and_losses

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from termgauge.similarity.search import Listed
    from termgauge.tasks.contract import Testing
    from termgauge.tasks.linking.measure import ModelLinks
    from termgauge.tasks.linking.questions import Groups, LinkingInputs, Questions
    from termgauge.tasks.linking.task import LinkingOptions

ACCURACY, RECIPROCAL = "accuracy", "mrr"


class Measure(NamedTuple):
    """Accuracy at some k, or the mean reciprocal rank."""

    statistic: str
    k: int | None = None

    @property
    def key(self) -> str:
        """What it is called among the wins and losses of a model."""
        return "mrr" if self.k is None else str(self.k)

    def of(self, ranks: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return what each query gets; one without a rank gets nothing."""
        known = ranks > 0
        if self.k is not None:
            return (known & (ranks <= self.k)).astype(np.float64)
        return np.where(known, 1 / np.maximum(ranks, 1), 0.0)


def measures_at(ks: Sequence[int]) -> tuple[Measure, ...]:
    """Return all that is measured."""
    return (*(Measure(ACCURACY, k) for k in ks), Measure(RECIPROCAL))


class Estimate(NamedTuple):
    """A mean and its interval."""

    value: float
    interval: Interval


@dataclass(frozen=True)
class LinkingStatistics:
    """What is known of all models together."""

    resamples: int
    clusters: int
    values: dict[tuple[str, Measure], Estimate]
    groups: dict[tuple[str, str, str], Estimate]
    """Accuracy at the smallest k by model, grouping and group."""
    differences: list[LinkingDifference]


def clusters_of(right: Listed) -> NDArray[np.int64]:
    """Return a number for each query: equal where queries share a right concept, directly or through others.

    >>> from termgauge.similarity.search import Listed
    >>> clusters_of(Listed.from_lists([[0], [0, 1], [2], [1]])).tolist()
    [0, 0, 2, 0]
    """
    parent: dict[int, int] = {}

    def root(concept: int) -> int:
        while parent.setdefault(concept, concept) != concept:
            parent[concept] = parent[parent[concept]]
            concept = parent[concept]
        return concept

    for query, concept in zip(right.owners.tolist(), right.values.tolist(), strict=True):
        first = root(int(right.values[right.offsets[query]]))
        other = root(concept)
        parent[max(first, other)] = min(first, other)
    return np.array([root(int(right.values[begin])) for begin in right.offsets[:-1]], np.int64)


def linking_statistics(
    ranks: Mapping[str, NDArray[np.int32]],
    own: Sequence[str],
    right: Listed,
    ks: Sequence[int],
    groupings: Mapping[str, Groups],
    testing: Testing,
) -> LinkingStatistics:
    """Return means, intervals and tested differences.

    Queries of one concept are right or wrong together, and a query that means two concepts ties these to each other:
    so what is resampled are concepts, those that share a query as one. `own` are the models that were asked about; two
    of the others are not compared. Each measure is corrected for its own comparisons.
    """
    measures = measures_at(ks)
    pairs = [(one, other) for one, other in combinations(ranks, 2) if one in own or other in own]
    level = corrected_level(testing.alpha, len(pairs), testing.correction)
    resamples = resamples_for(level)
    keys = [(model, measure) for model in ranks for measure in measures]
    columns = [measure.of(ranks[model]) for model, measure in keys]
    parts = [(model, way, group) for model in ranks for way, groups in groupings.items() for group in groups]
    columns += [np.where(groupings[way][group], measures[0].of(ranks[model]), np.nan) for model, way, group in parts]
    clusters = clusters_of(right)
    means = ClusteredMeans.from_values(np.array(columns), clusters, resamples, testing.seed)
    estimates = [
        Estimate(float(value), means.mean(column).interval(testing.alpha))
        for column, value in enumerate(means.estimates.tolist())
    ]
    place = {key: column for column, key in enumerate(keys)}
    decided = np.array([Measure(ACCURACY, 1).of(each) > 0 for each in ranks.values()])
    only, at = only_right(decided), {model: row for row, model in enumerate(ranks)}
    exact = np.array([mcnemar(int(only[at[a], at[b]]), int(only[at[b], at[a]])) for a, b in pairs])
    exactly = list(zip(exact.tolist(), adjusted(exact, testing.correction).tolist(), strict=True))
    differences: list[LinkingDifference] = []
    for measure in measures:
        tested = []
        for one, other in pairs:
            bca = means.difference(place[one, measure], place[other, measure])
            p = 1.0 if bca.estimate == 0 and np.ptp(bca.replicates) == 0 else bca.p_value()
            tested.append((one, other, bca.estimate, bca.interval(level), p))
        corrected = corrected_differences(tested, alpha=testing.alpha, correction=testing.correction)
        beside = exactly if measure == Measure(ACCURACY, 1) else [(None, None)] * len(pairs)
        differences += [
            LinkingDifference(
                **measure._asdict(), mcnemar_p=mcnemar_p, mcnemar_adjusted_p=adjusted_p, **difference.as_dict()
            )
            for difference, (mcnemar_p, adjusted_p) in zip(corrected, beside, strict=True)
        ]
    return LinkingStatistics(
        resamples,
        len(np.unique(clusters)),
        dict(zip(keys, estimates, strict=False)),
        dict(zip(parts, estimates[len(keys) :], strict=True)),
        differences,
    )


EXAMPLES = 20
"""Wrong answers that are kept of each model."""


class WrongAnswer(Record):
    """A query whose nearest concept is a wrong one."""

    query: str
    concepts: list[str]
    """The right ones."""
    right: str | None
    """The best name of a right one; None if it has none in the index."""
    right_score: Finite
    rank: int | None
    answer: str
    """The name that was nearest."""
    answer_concept: str
    answer_score: Finite


class Candidate(Record):
    """A concept that a model finds near a query."""

    concept: str
    name: str
    """Its name that is nearest."""
    score: Finite


class Answer(Record):
    """What a model makes of one's own mention."""

    query: str
    concepts: list[str]
    """The right ones."""
    rank: int | None
    """Of the right concept; None if it has none."""
    best: list[Candidate]
    """The best concepts, the best first; none if the query cannot be encoded."""


class Intervals(Record):
    """The intervals of what a model reaches."""

    accuracy: dict[str, Ends]
    mrr: Ends


class LinkingFigures(Record):
    """How one model links."""

    accuracy: dict[str, float]
    """By k."""
    mrr: float
    intervals: Intervals
    unscored: int
    """Queries that could not be encoded; they count as wrong."""
    index_unscored: int
    """Names of the index that could not be encoded; no query finds them."""
    wins: dict[str, int] = Field(default_factory=dict)
    """By k, and ``mrr``: how many others it significantly beats."""
    losses: dict[str, int] = Field(default_factory=dict)
    scheme: str = ""
    kind: str = ""
    wrong: list[WrongAnswer] = Field(default_factory=list)
    """The nearest of all wrong answers."""
    answers: list[Answer] = Field(default_factory=list)
    """Every query from a file with its best concepts; empty for synonyms of the terminology, and for baselines that
    are shown beside the models."""

    def measured(self, measure: Measure) -> tuple[float, Ends]:
        """Return a value and its interval."""
        if measure.k is None:
            return self.mrr, self.intervals.mrr
        return self.accuracy[str(measure.k)], self.intervals.accuracy[str(measure.k)]


class Group(Record):
    """Some of the queries, and the accuracy of each model on them at the smallest k."""

    title: str
    queries: int
    accuracy: dict[str, float]
    intervals: dict[str, Ends]


class LinkingDifference(DifferenceRecord):
    """The difference of two models in a measure."""

    statistic: str
    k: int | None
    mcnemar_p: Finite = None
    """Of accuracy at 1: the p-value of McNemar's exact test, which takes queries as independent."""
    mcnemar_adjusted_p: Finite = None


class LinkingResult(Result):
    """How models link terms to concepts. Accuracies are between 0 and 1."""

    index: int
    """How many names are searched."""
    index_of: str
    """Whose: the preferred ``names`` of concepts, or ``all`` of their terms."""
    concepts: int
    """How many concepts these names stand for."""
    queries: int
    """How many texts were looked for."""
    queries_found: int
    """How many there were before some were drawn."""
    own_queries: bool = False
    """Whether they come from a file."""
    ambiguous: int
    """Queries that mean several concepts; each of these is right."""
    unanswerable: int = 0
    """Queries whose right concepts have no name in the index but the one that was left out; they count as wrong."""
    unknown_concepts: list[str] = Field(default_factory=list)
    """Ids of the file of queries that are no active concepts of the terminology."""
    terminology: str
    k: list[int]
    alpha: float
    correction: str
    resamples: int
    clusters: int
    """What was resampled: concepts, those that share a query as one."""
    models: dict[str, LinkingFigures]
    baselines: dict[str, LinkingFigures] = Field(default_factory=dict)
    """What is shown beside the models."""
    baselines_left_out: list[str] = Field(default_factory=list)
    groups: dict[str, list[Group]] = Field(default_factory=dict)
    """By tag or branch, by edit distance and by number of words."""
    differences: list[LinkingDifference]

    def is_baseline(self, name: str) -> bool:
        """Say whether a model knows no medicine, be it shown beside the others or named among them."""
        return self.everyone[name].scheme.startswith("baseline")

    @property
    def everyone(self) -> dict[str, LinkingFigures]:
        """The models, and the baselines beside them."""
        return {**self.models, **self.baselines}

    @property
    def measures(self) -> tuple[Measure, ...]:
        """All that was measured."""
        return measures_at(self.k)

    def answers_frame(self) -> pl.DataFrame:
        """Return a row for each model and each query from a file: its rank, and its best concepts side by side."""
        import polars as pl

        answers = [(name, answer) for name, model in self.models.items() for answer in model.answers]
        rows = [
            {"model": name, "text": answer.query, "right": " ".join(answer.concepts), "rank": answer.rank}
            | {f"{key}_{at}": value for at, near in enumerate(answer.best, 1) for key, value in near}
            for name, answer in answers
        ]
        texts = {"model": pl.String, "text": pl.String, "right": pl.String, "rank": pl.Int64}
        kinds = {"concept": pl.String, "name": pl.String, "score": pl.Float64}
        most = max((len(answer.best) for _name, answer in answers), default=0)
        columns = {f"{kind}_{at}": dtype for at in range(1, most + 1) for kind, dtype in kinds.items()}
        return pl.DataFrame(rows, schema={**texts, **columns})

    def values(self) -> Iterator[Value]:
        """Yield accuracy at each k and the mean reciprocal rank of each model."""
        for name, model in self.models.items():
            for measure in self.measures:
                value, ends = model.measured(measure)
                item = "" if measure.k is None else f"k = {measure.k}"
                yield Value(name, measure.statistic, value, *ends, self.queries, item=item)


def combined(measured: Mapping[str, ModelLinks], inputs: LinkingInputs, options: LinkingOptions) -> LinkingResult:
    """Bring what was measured together with baselines, groups, intervals, and which differences are real."""
    questions, testing = inputs.questions, inputs.testing
    beside, left_out = baselines_beside(measured, questions, options.device) if options.baselines else ({}, [])
    everyone = {**measured, **beside}
    groupings = groupings_of(inputs.terminology, questions)
    ranks = {name: links.rank for name, links in everyone.items()}
    statistics = linking_statistics(ranks, list(measured), questions.right, options.k, groupings, testing)
    figures = {name: _figures(name, links, questions, options.k, statistics) for name, links in everyone.items()}
    result = LinkingResult(
        index=len(questions.names),
        index_of=options.index,
        concepts=len(questions.concepts),
        queries=len(questions.texts),
        queries_found=questions.found,
        own_queries=options.queries is not None,
        ambiguous=questions.ambiguous,
        unanswerable=sum(not rows for rows in questions.right_rows()),
        unknown_concepts=list(questions.lacking),
        terminology=inputs.terminology.identity.slug,
        k=options.k,
        alpha=testing.alpha,
        correction=testing.correction,
        resamples=statistics.resamples,
        clusters=statistics.clusters,
        models={name: figures[name] for name in measured},
        baselines={name: figures[name] for name in beside},
        baselines_left_out=left_out,
        groups={
            way: [
                Group(
                    title=title,
                    queries=int(mask.sum()),
                    accuracy={model: statistics.groups[model, way, title].value for model in everyone},
                    intervals={model: tuple(statistics.groups[model, way, title].interval) for model in everyone},
                )
                for title, mask in groups.items()
            ]
            for way, groups in groupings.items()
        },
        differences=statistics.differences,
    )
    if options.out is not None:
        write_table(result.answers_frame(), Path(options.out))
    return result


def _figures(
    name: str, links: ModelLinks, questions: Questions, ks: list[int], statistics: LinkingStatistics
) -> LinkingFigures:
    accuracies = {measure.key: statistics.values[name, measure] for measure in measures_at(ks)}
    reciprocal = accuracies.pop("mrr")
    wrong = np.flatnonzero((links.rank != 1) & (links.wrong_name >= 0))
    nearest = wrong[np.argsort(-links.wrong_score[wrong], kind="stable")[:EXAMPLES]]
    tested = {
        measure.key: wins_and_losses(
            name, [each for each in statistics.differences if (each.statistic, each.k) == measure]
        )
        for measure in measures_at(ks)
    }
    return LinkingFigures(
        accuracy={k: estimate.value for k, estimate in accuracies.items()},
        mrr=reciprocal.value,
        intervals=Intervals(
            accuracy={k: tuple(estimate.interval) for k, estimate in accuracies.items()},
            mrr=tuple(reciprocal.interval),
        ),
        unscored=links.unscored,
        index_unscored=links.index_unscored,
        wins={key: wins for key, (wins, _losses) in tested.items()},
        losses={key: losses for key, (_wins, losses) in tested.items()},
        scheme=links.scheme,
        kind=links.kind,
        wrong=[_wrong(links, questions, query) for query in nearest.tolist()],
        answers=[_answer(links, questions, query) for query in range(len(links.best_name))],
    )


def _wrong(links: ModelLinks, questions: Questions, query: int) -> WrongAnswer:
    right, wrong, rank = (int(numbers[query]) for numbers in (links.right_name, links.wrong_name, links.rank))
    return WrongAnswer(
        query=questions.texts[query],
        concepts=[questions.concepts[number] for number in questions.answers(query).tolist()],
        right=questions.names[right] if right >= 0 else None,
        right_score=float(links.right_score[query]),
        rank=rank or None,
        answer=questions.names[wrong],
        answer_concept=questions.concepts[int(questions.owners[wrong])],
        answer_score=float(links.wrong_score[query]),
    )


def _answer(links: ModelLinks, questions: Questions, query: int) -> Answer:
    found = zip(links.best_name[query].tolist(), links.best_score[query].tolist(), strict=True)
    return Answer(
        query=questions.texts[query],
        concepts=[questions.concepts[number] for number in questions.answers(query).tolist()],
        rank=int(links.rank[query]) or None,
        best=[
            Candidate(concept=questions.concepts[int(questions.owners[row])], name=questions.names[row], score=score)
            for row, score in found
            if row >= 0
        ],
    )
