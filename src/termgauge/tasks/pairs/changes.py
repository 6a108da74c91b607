"""What changed in the scores of pairs between two runs, and whether it matters.

A set of one run is the set of the other that has the same pairs, whatever it is called. On such a set the two runs'
scores of a model are two systems that judged the same pairs, so a change of its value is tested as the difference of
two models is, by :func:`~termgauge.statistics.significance.compare_systems`. All
tests of a diff are corrected together. Where all scores are the same there is nothing to test.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from termgauge.exceptions import warn
from termgauge.progress import track
from termgauge.similarity.measures import default_measure
from termgauge.statistics.inputs import BINARY, adjusted, corrected_level, statistic_for
from termgauge.statistics.significance import compare_systems
from termgauge.tasks.changes import (
    CHANGED,
    ONLY_FIRST,
    ONLY_SECOND,
    RENAMED,
    SAME,
    ModelChange,
    SetChange,
    TaskChanges,
    ValueChange,
)
from termgauge.tasks.pairs.results import OWN, dependence_of, truth_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.statistics.dependence import Dependence
    from termgauge.tasks.contract import Testing
    from termgauge.tasks.pairs.scored import ScoredSets
    from termgauge.tasks.records import SetRecord

_BINARY = ("accuracy", "auc")


def pair_changes(runs: tuple[ScoredSets, ScoredSets], models: Sequence[ModelChange], testing: Testing) -> TaskChanges:
    """Compare the scores of two runs."""
    sets = _matched_sets(runs[0].sets, runs[1].sets)
    work = _Work(runs, testing)
    cases, missing = _cases(work, list(models), sets)
    level = corrected_level(testing.alpha, sum(case.tests for case in cases), testing.correction)
    values = list(_values(work, cases, level))
    return TaskChanges(list(_decided(values, testing.alpha, testing.correction)), sets, missing)


def _matched_sets(one: Mapping[str, SetRecord], other: Mapping[str, SetRecord]) -> list[SetChange]:
    free = dict(other)
    matched: dict[str, tuple[str, str]] = {}

    def fits(state: str, name: str, each: str) -> bool:
        same = bool(one[name].sha256 == other[each].sha256)
        return {SAME: same and name == each, RENAMED: same, CHANGED: name == each}[state]

    for state in (SAME, RENAMED, CHANGED):
        for name in one:
            twin = next((each for each in free if name not in matched and fits(state, name, each)), None)
            if twin is not None:
                matched[name] = (twin, state)
                del free[twin]
    changes = []
    for name, entry in one.items():
        twin, state = matched.get(name, ("", ONLY_FIRST))
        pairs = (entry.pairs, other[twin].pairs) if twin else (entry.pairs,)
        changes.append(SetChange(name, twin, state, pairs))
    return [*changes, *(SetChange("", name, ONLY_SECOND, (entry.pairs,)) for name, entry in free.items())]


_Scores = tuple["NDArray[np.float64]", "NDArray[np.float64]"]


class _Side(NamedTuple):
    """The scores of a model on a set in one run, and their measure; None where there are none."""

    measure: str
    scores: NDArray[np.float64] | None


@dataclass(frozen=True)
class _Work:
    """Two runs, and which scores of theirs to look at."""

    runs: tuple[ScoredSets, ScoredSets]
    testing: Testing

    def scores(self, model: ModelChange, pairs: SetChange) -> tuple[_Side, _Side]:
        """Return the scores of a model on a set in both runs."""
        first = self._side(self.runs[0], model.name, pairs.name)
        return first, self._side(self.runs[1], model.other, pairs.other)

    def _side(self, run: ScoredSets, model: str, set_id: str) -> _Side:
        own = run.readable_scores(model, set_id, "diff")
        standing = default_measure(own, run.models[model].kind, self.testing.measure)
        return _Side("", None) if standing is None else _Side(standing, own[standing])

    def truth(self, pairs: SetChange) -> NDArray[np.float64]:
        return truth_of(self.runs[0].read_set(pairs.name))

    def shared(self, pairs: SetChange) -> Dependence | None:
        return dependence_of(self.runs[0].read_set(pairs.name))

    def graded(self, pairs: SetChange) -> bool:
        return self.runs[0].sets[pairs.name].graded


@dataclass(frozen=True)
class _Case:
    """A model on a set, in both runs."""

    model: ModelChange
    pairs: SetChange
    statistics: tuple[str, ...]
    identical: bool
    tests: int
    """How many of its statistics are to be tested."""


def _cases(
    work: _Work, models: list[ModelChange], sets: list[SetChange]
) -> tuple[list[_Case], list[tuple[str, str, str]]]:
    """Find out what both runs have and what of it is to be tested, before anything is: the level depends on it."""
    cases: list[_Case] = []
    missing: list[tuple[str, str, str]] = []
    for pairs in sets:
        if not (pairs.name and pairs.other):
            continue
        truth = None
        statistics = _statistics(work.testing.statistic, graded=work.graded(pairs))
        for model in models:
            if not (model.name and model.other):
                continue
            one, other = (side.scores for side in work.scores(model, pairs))
            if one is None or other is None:
                if one is not other:
                    missing.append((model.name, pairs.name, ONLY_FIRST if other is None else ONLY_SECOND))
                continue
            identical = pairs.state != CHANGED and np.array_equal(one, other, equal_nan=True)
            tests = 0
            if pairs.state != CHANGED and not identical:
                truth = work.truth(pairs) if truth is None else truth
                tests = len(statistics) if _testable((one, other), truth, statistics) else 0
            cases.append(_Case(model, pairs, statistics, identical, tests))
    return cases, missing


def _statistics(wanted: str, *, graded: bool) -> tuple[str, ...]:
    """Return what is tested: of labelled sets accuracies and areas, unless another statistic is asked for."""
    by = statistic_for(wanted, graded=graded)
    return _BINARY if by in _BINARY else (by,)


def _testable(scores: _Scores, truth: NDArray[np.float64], statistics: tuple[str, ...]) -> bool:
    usable = ~(np.isnan(scores[0]) | np.isnan(scores[1]))
    if len(np.unique(truth[usable])) < 2:
        return False
    return statistics[0] in BINARY or all(len(np.unique(each[usable])) > 1 for each in scores)


def _values(work: _Work, cases: list[_Case], level: float) -> Iterator[ValueChange]:
    total = sum(case.pairs.pairs[0] for case in cases)
    with track("Comparing runs", total=total, unit="pairs") as advance:
        for case in cases:
            before, after = work.scores(case.model, case.pairs)
            if before.scores is not None and after.scores is not None:
                measures, scores = (before.measure, after.measure), (before.scores, after.scores)
                if case.pairs.state == CHANGED:
                    yield from _unpaired(work, case, measures, scores)
                else:
                    yield from _paired(work, case, measures, scores, level)
            advance(case.pairs.pairs[0])


def _paired(
    work: _Work, case: _Case, measures: tuple[str, str], scores: _Scores, level: float
) -> Iterator[ValueChange]:
    """Yield the values of a model on the pairs that both runs score, each with its test."""
    usable = ~(np.isnan(scores[0]) | np.isnan(scores[1]))
    coverage = (float((~np.isnan(scores[0])).mean()), float((~np.isnan(scores[1])).mean()))
    truth = work.truth(case.pairs)[usable]
    if len(np.unique(truth)) < 2:
        warn(f"{case.pairs.name}: {case.model.name} has too few pairs that both runs score to be compared.")
        return
    shared = work.shared(case.pairs)
    for statistic in case.statistics:
        tested = compare_systems(
            ("before", "after"),
            [values[usable] for values in scores],
            truth,
            statistic=statistic,
            alpha=level,
            correction="none",
            resamples=1 if case.identical else work.testing.resamples,
            seed=work.testing.seed,
            shared=shared and shared.of_pairs(usable),
            tests=work.testing.tests,
        )
        plain = ValueChange(
            case.model.name,
            case.pairs.name,
            measures,
            statistic,
            tested.values[0].value,
            tested.values[1].value,
            len(truth),
            coverage,
            paired=True,
            identical=case.identical,
        )
        if not case.tests:
            yield plain
            continue
        change = tested.between("after", "before")
        yield replace(
            plain,
            test=tested.test,
            low=change.low,
            high=change.high,
            p_value=change.p_value,
            significant=change.significant,
        )


def _unpaired(work: _Work, case: _Case, measures: tuple[str, str], scores: _Scores) -> Iterator[ValueChange]:
    """Yield the values of a model on a set whose pairs are not the same in both runs, each on its own pairs."""
    sides = [run.results() for run in work.runs]
    names = zip(
        sides,
        (case.model.name, case.model.other),
        (case.pairs.name, case.pairs.other),
        measures,
        strict=True,
    )
    rows = [
        frame.filter(
            (pl.col("model") == model)
            & (pl.col("set") == set_id)
            & (pl.col("measure") == one)
            & (pl.col("subset") == OWN)
        )
        for frame, model, set_id, one in names
    ]
    for statistic in case.statistics:
        values = [row.filter(pl.col("statistic") == statistic)["value"].to_list() for row in rows]
        if not all(values) or any(value[0] is None for value in values):
            continue
        scored = [~np.isnan(each) for each in scores]
        yield ValueChange(
            case.model.name,
            case.pairs.name,
            measures,
            statistic,
            values[0][0],
            values[1][0],
            int(min(each.sum() for each in scored)),
            (float(scored[0].mean()), float(scored[1].mean())),
            paired=False,
            identical=False,
        )


def _decided(values: list[ValueChange], alpha: float, correction: str) -> Iterator[ValueChange]:
    """Hold all p-values together against alpha."""
    corrected = adjusted([value.p_value for value in values], correction).tolist()
    for value, p_value in zip(values, corrected, strict=True):
        yield replace(value, adjusted_p=p_value, significant=bool(p_value < alpha))
