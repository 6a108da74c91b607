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
_Scores = tuple[str, "NDArray[np.float64]"]
"""The scores of a model on a set in one run, and the measure that stands for it."""


def pair_changes(runs: tuple[ScoredSets, ScoredSets], models: Sequence[ModelChange], testing: Testing) -> TaskChanges:
    """Compare the scores of two runs."""
    sets = _matched_sets(runs[0].sets, runs[1].sets)
    cases: list[_Case] = []
    missing: list[tuple[str, str, str]] = []
    for pairs in (each for each in sets if each.name and each.other):
        by = statistic_for(testing.statistic, graded=runs[0].sets[pairs.name].graded)
        statistics = _BINARY if by in _BINARY else (by,)  # of labelled sets both, unless another one is asked for
        for model in (each for each in models if each.name and each.other):
            case = _Case(runs, model, pairs, statistics, testing.measure)
            one, other = case.scores()
            if one is None or other is None:
                if one is not other:
                    missing.append((model.name, pairs.name, ONLY_FIRST if other is None else ONLY_SECOND))
                continue
            case.identical = pairs.state != CHANGED and np.array_equal(one[1], other[1], equal_nan=True)
            cases.append(case)
    tests = sum(len(case.statistics) for case in cases if case.set.state != CHANGED and not case.identical)
    level = corrected_level(testing.alpha, tests, testing.correction)
    values: list[ValueChange] = []
    with track("Comparing runs", total=sum(case.set.pairs[0] for case in cases), unit="pairs") as advance:
        for case in cases:
            sides = [side for side in case.scores() if side is not None]
            if len(sides) == len(runs):
                values += case.unpaired(sides) if case.set.state == CHANGED else case.paired(sides, testing, level)
            advance(case.set.pairs[0])
    corrected = adjusted([value.p_value for value in values], testing.correction).tolist()
    decided = [
        replace(value, adjusted_p=p_value, significant=bool(p_value < testing.alpha))
        for value, p_value in zip(values, corrected, strict=True)
    ]
    return TaskChanges(decided, sets, missing)


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


@dataclass
class _Case:
    """A model on a set, in both runs."""

    runs: tuple[ScoredSets, ScoredSets]
    model: ModelChange
    set: SetChange
    statistics: tuple[str, ...]
    measure: str
    """What stands for a model, if it has it."""
    identical: bool = False

    def scores(self) -> tuple[_Scores | None, _Scores | None]:
        """Read the scores of both runs, which are not held: there may be many cases."""
        first = self._read(self.runs[0], self.model.name, self.set.name)
        return first, self._read(self.runs[1], self.model.other, self.set.other)

    def _read(self, run: ScoredSets, model: str, set_id: str) -> _Scores | None:
        by_measure = run.readable_scores(model, set_id, "diff")
        default = default_measure(by_measure, run.models[model].kind, self.measure)
        return None if default is None else (default, by_measure[default])

    def _change(self, sides: Sequence[_Scores], statistic: str, values: Sequence[float], pairs: int) -> ValueChange:
        before, after = (float((~np.isnan(scores)).mean()) for _, scores in sides)
        return ValueChange(
            self.model.name,
            self.set.name,
            (sides[0][0], sides[1][0]),
            statistic,
            values[0],
            values[1],
            pairs,
            (before, after),
            paired=self.set.state != CHANGED,
            identical=self.identical,
        )

    def paired(self, sides: Sequence[_Scores], testing: Testing, level: float) -> Iterator[ValueChange]:
        """Yield the values of a model on the pairs that both runs score, each with its test."""
        usable = ~np.logical_or.reduce([np.isnan(scores) for _, scores in sides])
        pairs = self.runs[0].read_set(self.set.name)
        truth = truth_of(pairs)[usable]
        if len(np.unique(truth)) < 2:
            warn(f"{self.set.name}: {self.model.name} has too few pairs that both runs score to be compared.")
            return
        units = units_of(pairs).chosen(usable)
        shared = {when: scores[usable] for when, (_, scores) in zip(("before", "after"), sides, strict=True)}
        alone = testing.model_copy(update={"alpha": level, "correction": "none"})
        for statistic in self.statistics:
            tested = compare_on(self.set.name, shared, truth, units, statistic, alone)
            plain = self._change(sides, statistic, [estimate.value for estimate in tested.estimates], len(truth))
            if self.identical or len(tested.by_model) < len(shared):
                yield plain
                continue
            change = tested.between("after", "before")
            yield replace(plain, test=tested.test, low=change.low, high=change.high, p_value=change.p_value)

    def unpaired(self, sides: Sequence[_Scores]) -> Iterator[ValueChange]:
        """Yield the values of a model on a set whose pairs are not the same in both runs, each on its own pairs."""
        names = zip((self.model.name, self.model.other), (self.set.name, self.set.other), strict=True)
        rows = [
            run.results().filter(model=model, set=set_id, measure=measure, subset=OWN)
            for run, (measure, _), (model, set_id) in zip(self.runs, sides, names, strict=True)
        ]
        for statistic in self.statistics:
            values = [row.filter(statistic=statistic)["value"].to_list() for row in rows]
            if all(values) and all(value[0] is not None for value in values):
                pairs = min(int((~np.isnan(scores)).sum()) for _, scores in sides)
                yield self._change(sides, statistic, [value[0] for value in values], pairs)
