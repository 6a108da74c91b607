"""What linking gives: accuracy and reciprocal ranks of each model, of groups of queries, and wrong answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from termgauge.statistics.significance import wins_and_losses
from termgauge.tasks.linking.statistics import ACCURACY, RECIPROCAL, Measure
from termgauge.tasks.results import DifferenceRecord, Ends, Finite, Record, Result, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars as pl

    from termgauge.tasks.linking.measure import ModelLinks
    from termgauge.tasks.linking.questions import Grouping, Questions
    from termgauge.tasks.linking.statistics import LinkingStatistics
    from termgauge.tasks.linking.task import LinkingOptions

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

    @classmethod
    def of(
        cls,
        questions: Questions,
        options: LinkingOptions,
        models: Mapping[str, ModelLinks],
        baselines: Mapping[str, ModelLinks],
        groupings: tuple[Grouping, ...],
        statistics: LinkingStatistics,
        **about: object,
    ) -> LinkingResult:
        """Bring what was measured and its statistics together."""
        everyone = {**models, **baselines}
        shown = set(zip(questions.hidden.owners.tolist(), questions.hidden.values.tolist(), strict=True))
        return cls.model_validate(
            {
                **about,
                "index": len(questions.names),
                "index_of": options.index,
                "concepts": len(questions.concepts),
                "queries": len(questions.texts),
                "queries_found": questions.found,
                "own_queries": options.queries is not None,
                "ambiguous": questions.ambiguous,
                "unanswerable": sum(_unanswerable(questions, query, shown) for query in range(len(questions.texts))),
                "unknown_concepts": list(questions.lacking),
                "k": options.k,
                "resamples": statistics.resamples,
                "clusters": statistics.clusters,
                "models": {
                    name: _figures(name, each, questions, options.k, statistics) for name, each in models.items()
                },
                "baselines": {
                    name: _figures(name, each, questions, options.k, statistics) for name, each in baselines.items()
                },
                "groups": {
                    way.name: [
                        _group(way.name, title, int(mask.sum()), statistics, list(everyone))
                        for title, mask in way.groups.items()
                    ]
                    for way in groupings
                },
                "differences": [
                    LinkingDifference(
                        statistic=measure.statistic,
                        k=measure.k,
                        mcnemar_p=exact[0] if exact else None,
                        mcnemar_adjusted_p=exact[1] if exact else None,
                        **difference.as_dict(),
                    )
                    for measure, difference, exact in statistics.differences
                ],
            }
        )

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
        return (*(Measure(ACCURACY, k) for k in self.k), Measure(RECIPROCAL))

    def answers_frame(self) -> pl.DataFrame:
        """Return a row for each model and each query from a file: its rank, and its best concepts side by side."""
        import polars as pl

        rows = []
        for name, model in self.models.items():
            for each in model.answers:
                row: dict[str, object] = {
                    "model": name,
                    "text": each.query,
                    "right": " ".join(each.concepts),
                    "rank": each.rank,
                }
                for at, found in enumerate(each.best, 1):
                    row |= {f"concept_{at}": found.concept, f"name_{at}": found.name, f"score_{at}": found.score}
                rows.append(row)
        texts = {"model": pl.String, "text": pl.String, "right": pl.String, "rank": pl.Int64}
        kinds = {"concept": pl.String, "name": pl.String, "score": pl.Float64}
        best = max((len(each.best) for model in self.models.values() for each in model.answers), default=0)
        columns = {f"{kind}_{at}": dtype for at in range(1, best + 1) for kind, dtype in kinds.items()}
        return pl.DataFrame(rows, schema={**texts, **columns})

    def values(self) -> Iterator[Value]:
        """Yield accuracy at each k and the mean reciprocal rank of each model."""
        for name, model in self.models.items():
            for measure in self.measures:
                value, ends = model.measured(measure)
                item = "" if measure.k is None else f"k = {measure.k}"
                yield Value(name, measure.statistic, value, *ends, self.queries, item=item)


def _unanswerable(questions: Questions, query: int, hidden: set[tuple[int, int]]) -> bool:
    concepts = questions.answers(query)
    first, end = (np.searchsorted(questions.owners, concepts, side) for side in ("left", "right"))
    spans = zip(first.tolist(), end.tolist(), strict=True)
    return all((query, row) in hidden for begin, stop in spans for row in range(begin, stop))


def _figures(
    name: str, links: ModelLinks, questions: Questions, ks: list[int], statistics: LinkingStatistics
) -> dict[str, object]:
    at = {k: statistics.values[name, Measure(ACCURACY, k)] for k in ks}
    reciprocal = statistics.values[name, Measure(RECIPROCAL)]
    tested = {
        "mrr" if measure.k is None else str(measure.k): wins_and_losses(
            name, [each.difference for each in statistics.differences if each.measure == measure]
        )
        for measure in (*(Measure(ACCURACY, k) for k in ks), Measure(RECIPROCAL))
    }
    return {
        "accuracy": {str(k): estimate.value for k, estimate in at.items()},
        "mrr": reciprocal.value,
        "intervals": {
            "accuracy": {str(k): tuple(estimate.interval) for k, estimate in at.items()},
            "mrr": tuple(reciprocal.interval),
        },
        "unscored": links.unscored,
        "index_unscored": links.index_unscored,
        "wins": {key: wins for key, (wins, _losses) in tested.items()},
        "losses": {key: losses for key, (_wins, losses) in tested.items()},
        "scheme": links.scheme,
        "kind": links.kind,
        "wrong": [_wrong(links, questions, query) for query in _nearest_wrong(links)],
        "answers": [_answer(links, questions, query) for query in range(len(links.best_name))],
    }


def _nearest_wrong(links: ModelLinks) -> list[int]:
    """Return the queries whose nearest concept is a wrong one, those with the nearest answers first."""
    wrong = np.flatnonzero((links.rank != 1) & (links.wrong_name >= 0))
    order = np.argsort(-links.wrong_score[wrong], kind="stable")[:EXAMPLES]
    chosen: list[int] = wrong[order].tolist()
    return chosen


def _wrong(links: ModelLinks, questions: Questions, query: int) -> WrongAnswer:
    right, wrong, rank = (int(each[query]) for each in (links.right_name, links.wrong_name, links.rank))
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


def _group(way: str, title: str, queries: int, statistics: LinkingStatistics, models: list[str]) -> Group:
    estimates = {model: statistics.groups[model, way, title] for model in models}
    return Group(
        title=title,
        queries=queries,
        accuracy={model: estimate.value for model, estimate in estimates.items()},
        intervals={model: tuple(estimate.interval) for model, estimate in estimates.items()},
    )
