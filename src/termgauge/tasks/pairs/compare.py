"""Which differences in a run are real: models on each set, and the measures of each model, on shared pairs.

What was compared once and has not changed is read from the run folder: a comparison is kept for each set, under a key
that covers the set, all values on it and the options.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl
from pydantic import ConfigDict, TypeAdapter, ValidationError

from termgauge.exceptions import TermgaugeError, TermgaugeWarning, warn
from termgauge.io.atomic import write_text
from termgauge.io.identity import file_name, sha256_of_value, version
from termgauge.io.store import with_checksum, without_checksum
from termgauge.progress import track
from termgauge.reporting.words import share
from termgauge.similarity.measures import USUAL, check_default_measure, default_measure, measure_for_kind
from termgauge.statistics.inputs import statistic_for
from termgauge.statistics.power import smallest_detectable_difference
from termgauge.statistics.significance import Comparison, compare_systems
from termgauge.statistics.system_tests import value_of
from termgauge.tasks.pairs.results import dependence_of, guessing, scored_systems, shared_pairs, truth_of
from termgauge.tasks.pairs.run_comparison import MeasureComparison, RunComparison, SetComparison

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.statistics.dependence import Dependence
    from termgauge.tasks.contract import Testing
    from termgauge.tasks.pairs.scored import ScoredSets
    from termgauge.tasks.records import ModelRecord

BEST = "best"
FOLDER = "comparisons"
_LAYOUT = 5


class ComparedSet(NamedTuple):
    """What comparing one set gives."""

    models: SetComparison
    measures: list[MeasureComparison]


class _Kept(NamedTuple):
    key: str
    compared: ComparedSet


_KEPT = TypeAdapter(dict[str, _Kept], config=ConfigDict(ser_json_inf_nan="constants"))


def compare_sets(
    scored: ScoredSets, sets: Sequence[str] = (), *, between_measures: bool = True, power: bool = True
) -> RunComparison:
    """Compare the models of a run on some sets, or all, as its ``testing`` says; a set that cannot be is warned of.

    Also compares the measures of each model, and finds the smallest difference that each set could have shown, unless
    told not to.
    """
    check_default_measure(scored.testing.measure, USUAL, BEST)
    for name in sets:
        scored.read_set(name)
    chosen = {name: about for name, about in scored.sets.items() if not sets or name in sets}
    compared: list[ComparedSet] = []
    with track("Comparing", total=sum(about.pairs for about in chosen.values()), unit="pairs") as advance:
        for name, about in chosen.items():
            one = compare_set(scored, name, between_measures=between_measures, power=power)
            compared += [one] if one else []
            advance(about.pairs)
    if not compared:
        raise TermgaugeError(f"{scored.path}: has no set on which its models can be compared.")
    return _together(scored, compared)


def stored_comparison(scored: ScoredSets) -> tuple[RunComparison, dict[str, str]]:
    """Compare all sets of a run, as far as that was not done before, and keep it if the folder can be written.

    Returns all comparisons, and for each set that cannot be compared the reason.
    """
    check_default_measure(scored.testing.measure, USUAL, BEST)
    values = scored.results().partition_by("set", as_dict=True, maintain_order=True)
    compared: list[ComparedSet] = []
    problems: dict[str, str] = {}
    with track("Comparing", total=sum(about.pairs for about in scored.sets.values()), unit="pairs") as advance:
        for name, about in scored.sets.items():
            rows = values.get((name,), pl.DataFrame())
            models = rows["model"].unique(maintain_order=True).to_list() if rows.height else []
            kinds = [each.kind if (each := scored.models.get(model)) else None for model in models]
            options = scored.testing.model_dump()
            key = sha256_of_value([_LAYOUT, version(), name, about.sha256, kinds, options, rows.write_json()])
            try:
                compared.append(_of_set(scored, name, key))
            except TermgaugeError as error:
                problems[name] = str(error)
            advance(about.pairs)
    return _together(scored, compared), problems


def _together(scored: ScoredSets, compared: Sequence[ComparedSet]) -> RunComparison:
    of_measures = tuple(each for one in compared for each in one.measures)
    return RunComparison(str(scored.path), tuple(one.models for one in compared), of_measures)


def _of_set(scored: ScoredSets, name: str, key: str) -> ComparedSet:
    """Return what is known of a set, or find it out."""
    published = "" if scored.testing.tests == "robust" else f".{scored.testing.tests}"
    path = scored.path / FOLDER / f"{file_name(name)}{published}.json"
    with suppress(
        OSError, ValidationError, ValueError, KeyError, TypeError
    ):  # not there, damaged, or of an older layout
        kept = _KEPT.validate_json(without_checksum(path.read_bytes()))["kept"]
        if kept.key == key:
            return kept.compared
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", TermgaugeWarning)
        compared = compare_set(scored, name)
    if compared is None:
        said = [str(note.message) for note in notes if isinstance(note.message, TermgaugeWarning)]
        raise TermgaugeError(" ".join(said) or f"{name}: cannot be compared.")
    with suppress(TermgaugeError, OSError):  # a folder that cannot be written can still be looked at
        write_text(path, with_checksum(_KEPT.dump_json({"kept": _Kept(key, compared)}).decode()) + "\n")
    return compared


def compare_set(
    scored: ScoredSets, name: str, *, between_measures: bool = True, power: bool = True
) -> ComparedSet | None:
    """Compare the models of a run on one set, and the measures of each; None, and a warning, if that cannot be done."""
    prepared = _prepared(scored, name)
    if prepared is None:
        return None
    models = prepared.models(scored.models, power=power)
    return ComparedSet(models, prepared.measures() if between_measures else [])


def _prepared(scored: ScoredSets, name: str) -> _Prepared | None:
    """Return a set with its scores; None, and a note, if nothing can be compared on it."""
    scores = scored.all_scores(name)
    if not scores:
        warn(f"{name}: has no scores yet, and is left out.")
        return None
    least = scored.testing.min_coverage
    pairs, systems = scored.read_set(name), scored_systems(scores, least)
    usable = shared_pairs(systems, len(pairs))
    absent = dict.fromkeys(model for model, _measure in scores if all(model != other for other, _ in systems))
    if absent:
        what = f"less than {share(least)} of the pairs" if least else "no pair"
        warn(f"{name}: left out of the comparison, since they score {what}: {', '.join(absent)}.")
    truth = truth_of(pairs)[usable]
    if len(np.unique(truth)) < 2:
        what = "ratings" if pairs.graded else "labels"
        few = f"the {len(truth):,} pairs that all models can score do not have different {what}"
        if len(truth) < 2:
            few = f"there is {'only one' if len(truth) else 'no'} pair that all models can score"
        warn(f"{name}: cannot be compared, because {few}.")
        return None
    shared = dependence_of(pairs)
    own = {system: values[usable] for system, values in systems.items()}
    return _Prepared(pairs, truth, own, scored.testing, shared and shared.of_pairs(usable))


@dataclass(frozen=True)
class _Prepared:
    """The scores of a set on the pairs that all models can score."""

    pairs: PairSet
    truth: NDArray[np.float64]
    scores: dict[tuple[str, str], NDArray[np.float64]]
    testing: Testing
    shared: Dependence | None

    @property
    def _statistic(self) -> str:
        return statistic_for(self.testing.statistic, graded=self.pairs.graded)

    @cached_property
    def owned(self) -> dict[str, list[str]]:
        """The measures of each model."""
        measures: dict[str, list[str]] = {}
        for model, name in self.scores:
            measures.setdefault(model, []).append(name)
        return measures

    def models(self, known: Mapping[str, ModelRecord], *, power: bool) -> SetComparison:
        wanted = self.testing.measure
        chosen = {model: self._standing_for(model, known[model].kind, wanted) for model in self.owned}
        matrix = self._matrix(list(chosen.items()))
        comparison = self._compared(list(chosen), matrix)
        detectable = None
        varying = int((matrix.min(axis=1) < matrix.max(axis=1)).sum())
        if power and varying > 1:
            shared = self.shared if self.testing.tests == "robust" else None
            detectable = smallest_detectable_difference(
                matrix, self.truth, statistic=self._statistic, level=comparison.level, shared=shared
            )
        chance = None if self.pairs.graded else guessing(self.truth, self._statistic)
        return SetComparison(self.pairs.id, chosen, comparison, detectable, chance)

    def measures(self) -> list[MeasureComparison]:
        return [
            MeasureComparison(self.pairs.id, model, self._compared(own, self._matrix([(model, name) for name in own])))
            for model, own in self.owned.items()
            if len(own) > 1
        ]

    def _matrix(self, systems: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        return np.array([self.scores[system] for system in systems])

    def _compared(self, names: list[str], matrix: NDArray[np.float64]) -> Comparison:
        return compare_systems(
            names,
            matrix,
            self.truth,
            statistic=self._statistic,
            alpha=self.testing.alpha,
            correction=self.testing.correction,
            resamples=self.testing.resamples,
            seed=self.testing.seed,
            shared=self.shared,
            tests=self.testing.tests,
        )

    def _standing_for(self, model: str, kind: str, measure: str) -> str:
        own = self.owned[model]
        if measure_for_kind(measure, kind) == BEST:
            values = [value_of(self._statistic, self.scores[model, name], self.truth) for name in own]
            return own[int(np.argmax(np.nan_to_num(values, nan=-np.inf)))]
        return default_measure(own, kind, measure) or own[0]
