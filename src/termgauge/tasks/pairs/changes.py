"""What changed in the scores of pairs between two runs, and whether it matters.

A set of one run is the set of the other that has the same pairs, whatever it is called. On such a set the two runs'
scores of a model are two systems that judged the same pairs, so a change of its value is tested as the difference of
two models is. All tests of a diff are corrected together. Where all scores are the same there is nothing to test.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from termgauge.exceptions import warn
from termgauge.progress import track
from termgauge.similarity.measures import default_measure
from termgauge.statistics.inputs import adjusted, corrected_level, statistic_for
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
from termgauge.tasks.pairs.compare import compare_on
from termgauge.tasks.pairs.results import OWN, truth_of, units_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.tasks.contract import Testing
    from termgauge.tasks.pairs.scored import ScoredSets
    from termgauge.tasks.records import SetRecord

_BINARY = ("accuracy", "auc")


def pair_changes(runs: tuple[ScoredSets, ScoredSets], models: Sequence[ModelChange], testing: Testing) -> TaskChanges:
    """Compare the scores of two runs; those by the measure of each model are in memory together."""
    sets = _matched_sets(runs[0].sets, runs[1].sets)
    cases: list[_Case] = []
    missing: list[tuple[str, str, str]] = []
    for pairs in (change for change in sets if change.name and change.other):
        by = statistic_for(testing.statistic, graded=runs[0].sets[pairs.name].graded)
        statistics = _BINARY if by in _BINARY else (by,)  # of labelled sets both, unless another one is asked for
        for model in (change for change in models if change.name and change.other):
            one = _scores(runs[0], model.name, pairs.name, testing.measure)
            other = _scores(runs[1], model.other, pairs.other, testing.measure)
            if one and other:
                identical = pairs.state != CHANGED and np.array_equal(one[1], other[1], equal_nan=True)
                cases.append(_Case(runs, model, pairs, statistics, (one[0], other[0]), (one[1], other[1]), identical))
            elif one or other:
                missing.append((model.name, pairs.name, ONLY_FIRST if one else ONLY_SECOND))
    tests = sum(len(case.statistics) for case in cases if case.set.state != CHANGED and not case.identical)
    level = corrected_level(testing.alpha, tests, testing.correction)
    values: list[ValueChange] = []
    with track("Comparing runs", total=sum(case.set.pairs[0] for case in cases), unit="pairs") as advance:
        for case in cases:
            values += case.unpaired() if case.set.state == CHANGED else case.paired(testing, level)
            advance(case.set.pairs[0])
    corrected = adjusted([value.p_value for value in values], testing.correction).tolist()
    decided = [
        replace(value, adjusted_p=p_value, significant=bool(p_value < testing.alpha))
        for value, p_value in zip(values, corrected, strict=True)
    ]
    return TaskChanges(decided, sets, missing)


def _scores(run: ScoredSets, model: str, set_id: str, measure: str) -> tuple[str, NDArray[np.float64]] | None:
    """Return the measure that stands for a model on a set, and its scores; None if there are none."""
    by_measure = run.readable_scores(model, set_id, "diff")
    default = default_measure(by_measure, run.models[model].kind, measure)
    return None if default is None else (default, by_measure[default])


def _matched_sets(one: Mapping[str, SetRecord], other: Mapping[str, SetRecord]) -> list[SetChange]:
    """Match sets: first those of one name and contents, then those of the same contents, then those of one name."""
    free, matched = dict(other), dict[str, tuple[str, str]]()
    for state, by_name, by_contents in ((SAME, True, True), (RENAMED, False, True), (CHANGED, True, False)):
        for name in (name for name in one if name not in matched):
            for twin in free:
                named, same = name == twin, one[name].sha256 == other[twin].sha256
                if named >= by_name and same >= by_contents:
                    matched[name] = (twin, state)
                    del free[twin]
                    break
    changes = []
    for name, entry in one.items():
        twin, state = matched.get(name, ("", ONLY_FIRST))
        pairs = (entry.pairs, other[twin].pairs) if twin else (entry.pairs,)
        changes.append(SetChange(name, twin, state, pairs))
    return [*changes, *(SetChange("", name, ONLY_SECOND, (entry.pairs,)) for name, entry in free.items())]


@dataclass(frozen=True)
class _Case:
    """A model on a set, in both runs."""

    runs: tuple[ScoredSets, ScoredSets]
    model: ModelChange
    set: SetChange
    statistics: tuple[str, ...]
    measures: tuple[str, str]
    """Those that stand for the model."""
    scores: tuple[NDArray[np.float64], NDArray[np.float64]]
    identical: bool

    def _change(self, statistic: str, values: Sequence[float], pairs: int) -> ValueChange:
        before, after = (float((~np.isnan(scores)).mean()) for scores in self.scores)
        return ValueChange(
            self.model.name,
            self.set.name,
            self.measures,
            statistic,
            values[0],
            values[1],
            pairs,
            (before, after),
            paired=self.set.state != CHANGED,
            identical=self.identical,
        )

    def paired(self, testing: Testing, level: float) -> Iterator[ValueChange]:
        """Yield the values of a model on the pairs that both runs score, each with its test."""
        usable = ~np.logical_or(*map(np.isnan, self.scores))
        pairs = self.runs[0].read_set(self.set.name)
        truth = truth_of(pairs)[usable]
        if len(np.unique(truth)) < 2:
            warn(f"{self.set.name}: {self.model.name} has too few pairs that both runs score to be compared.")
            return
        units = units_of(pairs).chosen(usable)
        shared = {when: scores[usable] for when, scores in zip(("before", "after"), self.scores, strict=True)}
        alone = testing.model_copy(update={"alpha": level, "correction": "none"})
        for statistic in self.statistics:
            tested = compare_on(self.set.name, shared, truth, units, statistic, alone)
            plain = self._change(statistic, [estimate.value for estimate in tested.estimates], len(truth))
            if self.identical or len(tested.by_model) < len(shared):
                yield plain
                continue
            change = tested.between("after", "before")
            yield replace(plain, test=tested.test, low=change.low, high=change.high, p_value=change.p_value)

    def unpaired(self) -> Iterator[ValueChange]:
        """Yield the values of a model on a set whose pairs are not the same in both runs, each on its own pairs."""
        names = zip((self.model.name, self.model.other), (self.set.name, self.set.other), self.measures, strict=True)
        rows = [
            run.results().filter(model=model, set=set_id, measure=measure, subset=OWN)
            for run, (model, set_id, measure) in zip(self.runs, names, strict=True)
        ]
        for statistic in self.statistics:
            values = [row.filter(statistic=statistic)["value"].to_list() for row in rows]
            if all(values) and all(value[0] is not None for value in values):
                pairs = min(int((~np.isnan(scores)).sum()) for scores in self.scores)
                yield self._change(statistic, [value[0] for value in values], pairs)
