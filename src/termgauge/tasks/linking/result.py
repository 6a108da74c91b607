"""What linking gives: accuracy and reciprocal ranks of each model, of groups of queries, and wrong answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pydantic import Field

from termgauge.reporting.writers.write import write_table
from termgauge.statistics.compare import SetOutcomes, compare, estimated
from termgauge.statistics.covariance import NO_UNIT, Units
from termgauge.statistics.inputs import adjusted
from termgauge.statistics.separation import mcnemar, only_right
from termgauge.tasks.linking.measure import baselines_beside
from termgauge.tasks.linking.questions import groupings_of
from termgauge.tasks.results import DifferenceAtK, Ends, Finite, Record, Result, Value, at_k

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from termgauge.similarity.search import Listed
    from termgauge.statistics.comparison import Comparison
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

    @property
    def label(self) -> str:
        """What people call it."""
        return "MRR" if self.k is None else f"accuracy at {self.k}"

    def of(self, ranks: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return what each query gets; one without a rank gets nothing."""
        ranked = ranks > 0
        if self.k is not None:
            return (ranked & (ranks <= self.k)).astype(np.float64)
        return np.where(ranked, 1 / np.maximum(ranks, 1), 0.0)


def measures_at(ks: Sequence[int]) -> tuple[Measure, ...]:
    """Return all that is measured."""
    return (*(Measure(ACCURACY, k) for k in ks), Measure(RECIPROCAL))


def clusters_of(right: Listed) -> NDArray[np.int64]:
    """Return a number for each query: equal where queries share a right concept, directly or through others.

    >>> from termgauge.similarity.search import Listed
    >>> clusters_of(Listed.from_lists([[0], [0, 1], [2], [1]])).tolist()
    [0, 0, 2, 0]
    """
    clusters = np.arange(right.values.max() + 1)
    while True:
        least = np.minimum.reduceat(clusters[right.values], right.offsets[:-1])
        joined = clusters.copy()
        np.minimum.at(joined, right.values, least[right.owners])
        if np.array_equal(joined, clusters):
            return least
        clusters = joined


def outcomes_of(
    ranks: Mapping[str, NDArray[np.int32]], right: Listed, ks: Sequence[int], groupings: Mapping[str, Groups]
) -> dict[tuple[str, ...], SetOutcomes]:
    """Return what each query gets: by the key of each measure, and at the smallest k by grouping and group.

    Queries of one concept are right or wrong together, and a query that means two concepts ties these to each other: so
    concepts are units, those that share a query as one.
    """
    measures, clusters = measures_at(ks), clusters_of(right)
    units = Units(clusters, np.full(len(clusters), NO_UNIT))

    def outcomes(key: tuple[str, ...], measure: Measure, mask: NDArray[np.bool_]) -> SetOutcomes:
        values = {model: measure.of(rank[mask]) for model, rank in ranks.items()}
        return SetOutcomes("/".join(key), "mean", units.chosen(mask), np.zeros(0), values, label=measure.label)

    every = np.ones(len(clusters), np.bool_)
    whole = {(measure.key,): outcomes((measure.key,), measure, every) for measure in measures}
    grouped = ((way, group, mask) for way, groups in groupings.items() for group, mask in groups.items())
    return whole | {(way, group): outcomes((way, group), measures[0], mask) for way, group, mask in grouped}


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

    def measured(self, measure: Measure) -> tuple[float, Finite, Finite]:
        """Return a value and the ends of its interval."""
        if measure.k is None:
            return self.mrr, *self.intervals.mrr
        return self.accuracy[measure.key], *self.intervals.accuracy[measure.key]


class Group(Record):
    """Some of the queries, and the accuracy of each model on them at the smallest k."""

    title: str
    queries: int
    accuracy: dict[str, float]
    intervals: dict[str, Ends]


class LinkingDifference(DifferenceAtK):
    """The difference of two models in a measure."""

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
    resamples: int | None = None
    """Of former versions: what is compared now needs none."""
    clusters: int
    """How many units the queries have: concepts, those that share a query as one."""
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
        """Return accuracy at each k and the mean reciprocal rank of each model."""
        return (value for value in self.everyones_values() if value.model in self.models)

    def everyones_values(self) -> Iterator[Value]:
        """Yield the same of the models and of the baselines beside them."""
        for name, model in self.everyone.items():
            for measure in self.measures:
                yield Value(name, measure.statistic, *model.measured(measure), self.queries, at_k(measure.k))


def combined(measured: Mapping[str, ModelLinks], inputs: LinkingInputs, options: LinkingOptions) -> LinkingResult:
    """Bring what was measured together with baselines, groups, intervals, and which differences are real."""
    questions, testing = inputs.questions, inputs.testing
    beside, left_out = baselines_beside(measured, questions, options.device) if options.baselines else ({}, [])
    everyone = {**measured, **beside}
    ranks = {name: links.rank for name, links in everyone.items()}
    groupings = groupings_of(inputs.terminology, questions)
    outcomes = outcomes_of(ranks, questions.right, options.k, groupings)
    baselines = [name for name, links in everyone.items() if links.scheme.startswith("baseline")]
    comparisons = {
        measure.key: compare(
            [outcomes[measure.key,]],
            alpha=testing.alpha,
            correction=testing.correction,
            margin=testing.margin,
            min_coverage=0.0,
            reference=list(beside),
            baselines=baselines,
        )
        for measure in measures_at(options.k)
    }
    figures = {name: _figures(name, links, questions, comparisons) for name, links in everyone.items()}
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
        clusters=len(np.unique(clusters_of(questions.right))),
        models={name: figures[name] for name in measured},
        baselines={name: figures[name] for name in beside},
        baselines_left_out=left_out,
        groups={
            way: [_group(outcomes[way, title], title, testing.alpha) for title in groups]
            for way, groups in groupings.items()
        },
        differences=list(linking_differences(comparisons, ranks, options.k)),
        joint=comparisons[measures_at(options.k)[0].key].main,
    )
    if options.out is not None:
        write_table(result.answers_frame(), Path(options.out))
    return result


def _group(outcomes: SetOutcomes, title: str, alpha: float) -> Group:
    values = estimated(outcomes, alpha)
    return Group(
        title=title,
        queries=len(outcomes.units),
        accuracy={model: value.value for model, value in values.items()},
        intervals={model: (value.low, value.high) for model, value in values.items()},
    )


def linking_differences(
    comparisons: Mapping[str, Comparison], ranks: Mapping[str, NDArray[np.int32]], ks: Sequence[int]
) -> Iterator[LinkingDifference]:
    """Yield the differences of all measures; those of accuracy at 1 with McNemar's test beside."""
    only, at = (
        only_right(np.array([rank == 1 for rank in ranks.values()])),
        {name: row for row, name in enumerate(ranks)},
    )
    for measure in measures_at(ks):
        differences = comparisons[measure.key].sets[0].differences
        exact: list[Any] = [None] * len(differences)
        corrected = exact
        if measure.k == 1:
            rows = [(at[difference.one], at[difference.other]) for difference in differences]
            exact = [mcnemar(int(only[one, other]), int(only[other, one])) for one, other in rows]
            corrected = adjusted(exact, comparisons[measure.key].correction).tolist()
        for difference, p_value, adjusted_p in zip(differences, exact, corrected, strict=True):
            more = {"mcnemar_p": p_value, "mcnemar_adjusted_p": adjusted_p}
            yield LinkingDifference.of(difference, **measure._asdict(), **more)


def _figures(
    name: str, links: ModelLinks, questions: Questions, comparisons: Mapping[str, Comparison]
) -> LinkingFigures:
    parts = {key: comparison.sets[0] for key, comparison in comparisons.items()}
    values = {key: part.by_model[name] for key, part in parts.items()}
    ends = {key: (value.low, value.high) for key, value in values.items()}
    reciprocal, reciprocal_ends = values.pop(RECIPROCAL), ends.pop(RECIPROCAL)
    wrong = np.flatnonzero((links.rank != 1) & (links.wrong_name >= 0))
    nearest = wrong[np.argsort(-links.wrong_score[wrong], kind="stable")[:EXAMPLES]]
    return LinkingFigures(
        accuracy={k: value.value for k, value in values.items()},
        mrr=reciprocal.value,
        intervals=Intervals(accuracy=ends, mrr=reciprocal_ends),
        unscored=links.unscored,
        index_unscored=links.index_unscored,
        wins={key: part.counts[name][0] for key, part in parts.items()},
        losses={key: part.counts[name][1] for key, part in parts.items()},
        scheme=links.scheme,
        kind=links.kind,
        wrong=[_wrong(links, questions, query) for query in nearest.tolist()],
        answers=[
            Answer(**_asked(links, questions, query), best=_candidates(links, questions, query))
            for query in range(len(links.best_name))
        ],
    )


def _asked(links: ModelLinks, questions: Questions, query: int) -> dict[str, Any]:
    concepts = [questions.concepts[number] for number in questions.answers(query).tolist()]
    return {"query": questions.texts[query], "concepts": concepts, "rank": int(links.rank[query]) or None}


def _wrong(links: ModelLinks, questions: Questions, query: int) -> WrongAnswer:
    right, wrong = int(links.right_name[query]), int(links.wrong_name[query])
    return WrongAnswer(
        **_asked(links, questions, query),
        right=questions.names[right] if right >= 0 else None,
        right_score=float(links.right_score[query]),
        answer=questions.names[wrong],
        answer_concept=questions.concepts[int(questions.owners[wrong])],
        answer_score=float(links.wrong_score[query]),
    )


def _candidates(links: ModelLinks, questions: Questions, query: int) -> list[Candidate]:
    return [
        Candidate(concept=questions.concepts[int(questions.owners[row])], name=questions.names[row], score=score)
        for row, score in zip(links.best_name[query].tolist(), links.best_score[query].tolist(), strict=True)
        if row >= 0
    ]
