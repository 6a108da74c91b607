"""What changed between two runs, and whether it matters.

A set of one run is the set of the other that has the same pairs, whatever it is called. On such a set the two runs'
scores of a model are two systems that judged the same pairs, so a change of its value is tested as the difference of
two models is: the exact McNemar test for accuracies, DeLong's for areas under the ROC curve, BCa intervals for rho. All
tests of a diff are corrected together. Where all scores are the same there is nothing to test.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.experiment.diff_values import (
    CHANGED,
    ONLY_FIRST,
    ONLY_SECOND,
    RENAMED,
    SAME,
    Change,
    ModelChange,
    RunDiff,
    SetChange,
    ValueChange,
)
from termgauge.experiment.run_folder import RunFolder, open_run
from termgauge.progress import track
from termgauge.similarity.measures import USUAL, checked_measure, standing_measure
from termgauge.statistics.corrections import adjusted, checked_correction, corrected_level
from termgauge.statistics.inputs import checked_level
from termgauge.statistics.significance import compare_systems
from termgauge.tasks.pairs.results import OWN, truth_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

_NOT_SETTINGS = ("layout", "sets", "models", "timings", "results", "command")
"""Parts of ``run.json`` that are shown elsewhere, or differ between equal runs: where and when they were made."""
_PLACE = re.compile(r"benchmarks\..*\.folder")
_BINARY = ("accuracy", "auc")


def diff(
    first: str | os.PathLike[str] | RunFolder,
    second: str | os.PathLike[str] | RunFolder,
    *,
    alpha: float = 0.05,
    correction: str = "bonferroni",
    measure: str = USUAL,
    models: Mapping[str, str] | None = None,
) -> RunDiff:
    """Compare two runs.

    Parameters
    ----------
    first, second
        Run folders, the earlier one first.
    alpha
        The chance of any false claim in the whole diff (of each one, if the correction is ``none``).
    correction
        ``bonferroni``, ``holm`` or ``none``.
    measure
        The measure that stands for each model: ``usual``, or the name of one.
    models
        Names of models of the first run, and of the second's that stand for them; others are matched by name, and
        then by identity.

    Raises
    ------
    TermgaugeError
        If a folder holds no run, a name means nothing, or the runs have no value in common.

    Examples
    --------
    >>> found = diff("before", "after")  # doctest: +SKIP
    >>> [(value.model, value.set, value.difference) for value in found.worse]  # doctest: +SKIP
    """
    checked_level(alpha)
    checked_correction(correction)
    checked_measure(measure, USUAL)
    runs = tuple(open_run(run) for run in (first, second))
    one, other = runs[0].document(), runs[1].document()
    matched = _matched_models(runs, one["models"], other["models"], models or {})
    sets = _matched_sets(one["sets"], other["sets"])
    work = _Work((runs[0], runs[1]), (one, other), measure)
    cases, missing = _cases(work, matched, sets)
    level = corrected_level(alpha, sum(case.tests for case in cases), correction)
    values = list(_values(work, cases, level))
    if not values:
        raise TermgaugeError(
            f"{runs[0].path} and {runs[1].path}: have no model with scores on the same set; name models that stand for "
            "each other with --map A=B."
        )
    return RunDiff(
        (str(runs[0].path), str(runs[1].path)),
        alpha,
        correction,
        sum(case.tests for case in cases),
        tuple(_settings(one, other)),
        tuple(_rescored(matched, cases)),
        tuple(sets),
        tuple(_decided(values, alpha, correction)),
        tuple(missing),
    )


def _settings(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[Change]:
    """Yield the settings and versions that differ."""
    flat = [dict(_flat({key: value for key, value in run.items() if key not in _NOT_SETTINGS})) for run in (one, other)]
    for name in dict.fromkeys([*flat[0], *flat[1]]):
        before, after = (each.get(name) for each in flat)
        if before != after and not _PLACE.fullmatch(name):
            yield Change(name, before, after)


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, str]]:  # noqa: ANN401
    """Yield what stands at each place of a document of JSON."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        if value:
            yield name, ", ".join(map(str, value))
    else:
        yield name, str(value)


def _matched_models(
    runs: tuple[RunFolder, ...], one: Mapping[str, Any], other: Mapping[str, Any], named: Mapping[str, str]
) -> list[ModelChange]:
    for names, known, run in ((named, one, runs[0]), (named.values(), other, runs[1])):
        for name in names:
            if name not in known:
                raise TermgaugeError(f"{run.path}: has no model '{name}'.{did_you_mean(name, known)}")
    free = {name: entry for name, entry in other.items() if name not in named.values()}
    matched = dict(named)
    for name in one:
        if name not in matched and name in free:
            matched[name] = name
            del free[name]
    for name, entry in one.items():
        same = next((each for each, found in free.items() if found.get("key") == entry.get("key")), None)
        if name not in matched and same is not None:
            matched[name] = same
            del free[same]
    found = [
        _model_change(name, matched[name], entry, other[matched[name]])
        if name in matched
        else ModelChange(name, "", ONLY_FIRST)
        for name, entry in one.items()
    ]
    return [*found, *(ModelChange("", name, ONLY_SECOND) for name in free)]


def _model_change(name: str, other: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> ModelChange:
    if before.get("key") == after.get("key"):
        return ModelChange(name, other, SAME if name == other else RENAMED)
    parts = ("kind", "scheme", "source", "options", "words", "libraries")
    return ModelChange(name, other, CHANGED, tuple(part for part in parts if before.get(part) != after.get(part)))


def _matched_sets(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[SetChange]:
    free = dict(other)
    matched: dict[str, tuple[str, str]] = {}

    def fits(state: str, name: str, each: str) -> bool:
        same = bool(one[name]["sha256"] == other[each]["sha256"])
        return {SAME: same and name == each, RENAMED: same, CHANGED: name == each}[state]

    for state in (SAME, RENAMED, CHANGED):
        for name in one:
            found = next((each for each in free if name not in matched and fits(state, name, each)), None)
            if found is not None:
                matched[name] = (found, state)
                del free[found]
    changes = []
    for name, entry in one.items():
        twin, state = matched.get(name, ("", ONLY_FIRST))
        pairs = (entry["pairs"], other[twin]["pairs"]) if twin else (entry["pairs"],)
        changes.append(SetChange(name, twin, state, pairs))
    return [*changes, *(SetChange("", name, ONLY_SECOND, (entry["pairs"],)) for name, entry in free.items())]


_Scores = tuple["NDArray[np.float64]", "NDArray[np.float64]"]


@dataclass(frozen=True)
class _Work:
    """Two runs, and which scores of theirs to look at."""

    runs: tuple[RunFolder, RunFolder]
    documents: tuple[dict[str, Any], dict[str, Any]]
    measure: str

    def scores(self, model: ModelChange, pairs: SetChange) -> tuple[str, tuple[NDArray[np.float64] | None, ...]]:
        """Return the measure, and the scores of a model on a set in both runs; None where there are none."""
        names: list[str] = []
        found: list[NDArray[np.float64] | None] = []
        sides = zip(self.runs, self.documents, (model.name, model.other), (pairs.name, pairs.other), strict=True)
        for run, document, name, set_id in sides:
            try:
                own = run.read_scores(name, set_id) or {}
            except TermgaugeError as error:
                warn(f"Left out of the diff: {error}")
                own = {}
            standing = standing_measure(own, document["models"][name].get("kind", ""), self.measure)
            if standing is None:
                found.append(None)
            else:
                names.append(standing)
                found.append(own[standing])
        return " → ".join(dict.fromkeys(names)), tuple(found)

    def truth(self, pairs: SetChange) -> NDArray[np.float64]:
        return truth_of(self.runs[0].read_set(pairs.name))

    def graded(self, pairs: SetChange) -> bool:
        return bool(self.documents[0]["sets"][pairs.name]["graded"])


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
        statistics = ("spearman",) if work.graded(pairs) else _BINARY
        for model in models:
            if not (model.name and model.other):
                continue
            _, found = work.scores(model, pairs)
            one, other = found
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


def _testable(scores: _Scores, truth: NDArray[np.float64], statistics: tuple[str, ...]) -> bool:
    usable = ~(np.isnan(scores[0]) | np.isnan(scores[1]))
    if len(np.unique(truth[usable])) < 2:
        return False
    return statistics == _BINARY or all(len(np.unique(each[usable])) > 1 for each in scores)


def _values(work: _Work, cases: list[_Case], level: float) -> Iterator[ValueChange]:
    total = sum(case.pairs.pairs[0] for case in cases)
    with track("Comparing runs", total=total, unit="pairs") as advance:
        for case in cases:
            measure, found = work.scores(case.model, case.pairs)
            one, other = found
            if one is not None and other is not None:
                if case.pairs.state == CHANGED:
                    yield from _unpaired(work, case, measure, (one, other))
                else:
                    yield from _paired(work, case, measure, (one, other), level)
            advance(case.pairs.pairs[0])


def _paired(work: _Work, case: _Case, measure: str, scores: _Scores, level: float) -> Iterator[ValueChange]:
    """Yield the values of a model on the pairs that both runs score, each with its test."""
    usable = ~(np.isnan(scores[0]) | np.isnan(scores[1]))
    coverage = (float((~np.isnan(scores[0])).mean()), float((~np.isnan(scores[1])).mean()))
    truth = work.truth(case.pairs)[usable]
    if len(np.unique(truth)) < 2:
        warn(f"{case.pairs.name}: {case.model.name} has too few pairs that both runs score to be compared.")
        return
    for statistic in case.statistics:
        found = compare_systems(
            ("before", "after"),
            [values[usable] for values in scores],
            truth,
            statistic=statistic,
            alpha=level,
            correction="none",
            resamples=1 if case.identical else None,
        )
        plain = ValueChange(
            case.model.name,
            case.pairs.name,
            measure,
            statistic,
            found.values[0].value,
            found.values[1].value,
            len(truth),
            coverage,
            paired=True,
            identical=case.identical,
        )
        if not case.tests:
            yield plain
            continue
        tested = found.between("after", "before")
        yield replace(
            plain,
            test=found.test,
            low=tested.low,
            high=tested.high,
            p_value=tested.p_value,
            significant=tested.significant,
        )


def _unpaired(work: _Work, case: _Case, measure: str, scores: _Scores) -> Iterator[ValueChange]:
    """Yield the values of a model on a set whose pairs are not the same in both runs, each on its own pairs."""
    sides = [run.results() for run in work.runs]
    names = zip(
        sides,
        (case.model.name, case.model.other),
        (case.pairs.name, case.pairs.other),
        _measures_of(measure),
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
        found = [row.filter(pl.col("statistic") == statistic)["value"].to_list() for row in rows]
        if not all(found) or any(value[0] is None for value in found):
            continue
        scored = [~np.isnan(each) for each in scores]
        yield ValueChange(
            case.model.name,
            case.pairs.name,
            measure,
            statistic,
            found[0][0],
            found[1][0],
            int(min(each.sum() for each in scored)),
            (float(scored[0].mean()), float(scored[1].mean())),
            paired=False,
            identical=False,
        )


def _measures_of(measure: str) -> tuple[str, str]:
    """Return the measure of the first run and of the second."""
    before, _, after = measure.partition(" → ")
    return before, after or before


def _rescored(models: list[ModelChange], cases: list[_Case]) -> Iterator[ModelChange]:
    """Note the sets on which a model that claims to be the same has other scores."""
    for model in models:
        others = tuple(case.pairs.name for case in cases if case.model == model and case.tests)
        yield replace(model, rescored=others if model.state in (SAME, RENAMED) else ())


def _decided(values: list[ValueChange], alpha: float, correction: str) -> Iterator[ValueChange]:
    """Hold all p-values together against alpha; rho is decided by its interval, unless the correction is Holm's."""
    corrected = adjusted([value.p_value for value in values], correction).tolist()
    for value, p_value in zip(values, corrected, strict=True):
        by_interval = value.statistic == "spearman" and correction != "holm"
        significant = value.significant if by_interval else bool(p_value < alpha)
        yield replace(value, adjusted_p=p_value, significant=significant)
