"""The comparison of a run: its models on each set and over all, and the measures of each model, on shared pairs.

It is made once and kept in the run folder, under a key that covers the sets, the values, the models and the options;
every command, page and file shows this one.
"""

from __future__ import annotations

import re
import warnings
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from pydantic import ConfigDict, TypeAdapter, ValidationError

from termgauge.display import Showing, shortened
from termgauge.exceptions import TermgaugeError, TermgaugeWarning, did_you_mean, warn
from termgauge.io.atomic import write_text
from termgauge.io.identity import sha256_of_value, version
from termgauge.io.store import with_checksum, without_checksum
from termgauge.plurals import numbered
from termgauge.progress import track
from termgauge.reporting.set_names import groups_by_name, titled
from termgauge.similarity.measures import USUAL, check_default_measure, default_measure, measure_for_kind
from termgauge.statistics.compare import SetOutcomes, compare, compare_set
from termgauge.statistics.comparison import Comparison, SetComparison  # noqa: TC001 - pydantic reads them
from termgauge.statistics.covariance import Units
from termgauge.statistics.estimators import ESTIMATORS
from termgauge.statistics.inputs import statistic_for
from termgauge.statistics.published import as_published
from termgauge.statistics.separation import cross_validated_decisions
from termgauge.tasks.pairs.results import (
    alone,
    first_concepts,
    guessing,
    scored_systems,
    shared_pairs,
    truth_of,
    units_of,
)
from termgauge.tasks.results import finite

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.reporting.blocks import Section
    from termgauge.statistics.comparison import Joint
    from termgauge.tasks.contract import Testing
    from termgauge.tasks.pairs.scored import ScoredSets


def set_named(name: str, ids: Collection[str], where: str) -> str:
    """Return the id of the one set that a name means.

    A name is the id, a file such as ``hp/fsn-syn.hard.random.tsv``, the folder of a benchmark of which the run has one
    set, or a part of the id that only one has.

    >>> set_named("fsn-syn.hard.random.tsv", ["hp/fsn-syn/hard/random", "hp/fsn-syn/easy/random"], "run")
    'hp/fsn-syn/hard/random'
    """
    if name in ids:
        return name
    file, parts = re.sub(r"(\.(gz|tsv|csv|parquet))+$", "", Path(name).name), name.lower().replace(".", "/").split("/")

    def ending(*ends: str) -> list[str]:
        return [entry for entry in ids if any(f"/{entry}".endswith(f"/{end}") for end in ends if end)]

    holding = [entry for entry in ids if all(part in entry.lower() for part in parts)] if name.strip("./ ") else []
    of_file = ending(file, file.replace(".", "/"))  # the name of a file has dots where the id has slashes
    for fitting in (_of_folder(name, ids), ending(name.strip("/")), of_file, holding):
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise TermgaugeError(f"{where}: several sets fit '{name}'; name one of them: {', '.join(fitting)}.")
    there = f"; there are: {', '.join(ids)}" if ids else ""
    raise TermgaugeError(f"{where}: has no set '{name}'{there}.{did_you_mean(name, ids)}")


def _of_folder(name: str, ids: Collection[str]) -> list[str]:
    """Return the sets of the benchmark that stands in a folder."""
    from termgauge.benchmark.load import load_benchmark
    from termgauge.benchmark.manifest import MANIFEST

    if not (Path(name) / MANIFEST).is_file():
        return []
    return [pairs.id for pairs in load_benchmark(name) if pairs.id in ids]


@dataclass(frozen=True)
class ComparedSet:
    """The models of a run on one set."""

    set: str
    measures: dict[str, str]
    """The measure of each model."""
    comparison: SetComparison
    guessing: float | None = None
    """What guessing gives on the pairs compared, as accuracy the share of the more frequent label; None of ratings."""
    cross_validated: dict[str, float] = field(default_factory=dict)
    """Where accuracies are compared: each model's at thresholds from cross-validation."""


@dataclass(frozen=True)
class MeasureComparison:
    """The measures of one model on one set."""

    set: str
    model: str
    comparison: SetComparison


@dataclass(frozen=True, repr=False)
class RunComparison(Showing):
    """All comparisons of a run's models, and of the measures of each."""

    __pydantic_config__ = ConfigDict(ser_json_inf_nan="constants")

    run: str
    """The folder of the run."""
    whole: Comparison
    models: tuple[ComparedSet, ...]
    measures: tuple[MeasureComparison, ...]
    problems: dict[str, str] = field(default_factory=dict)
    """By set that cannot be compared, the reason."""

    @property
    def main(self) -> Joint | None:
        """The verdict, with the ranking and the differences that it says in words."""
        return self.whole.main

    def _shown(self) -> Iterator[Section]:
        from termgauge.tasks.pairs.sections.compared import verdict_section

        yield verdict_section(self)

    def _brief(self) -> str:
        models = {name for entry in self.models for name in entry.comparison.by_model}
        return (
            f"comparison of '{shortened(self.run)}': {numbered(len(models), 'model')} on "
            f"{numbered(len(self.models), 'set')}, {numbered(len(self.measures), 'comparison')} of measures"
        )

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each two models on each set: their difference, its interval, and whether it is marked."""
        rows = [
            {"set": entry.set, "statistic": entry.comparison.statistic, **difference}
            for entry in self.models
            for difference in self._as_dict(entry.comparison)["differences"]
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def as_dict(self) -> dict[str, Any]:
        """Return all comparisons as JSON-like values."""
        return {
            "run": self.run,
            "joint": self.main and self.main.as_dict(),
            "models": {
                entry.set: {
                    **self._as_dict(entry.comparison, entry.cross_validated),
                    "measures": entry.measures,
                    "detectable": finite(entry.comparison.detectable),
                    "guessing": entry.guessing,
                }
                for entry in self.models
            },
            "measures": [
                {"set": one.set, "model": one.model, **self._as_dict(one.comparison)} for one in self.measures
            ],
        }

    def _as_dict(self, comparison: SetComparison, cross_validated: Mapping[str, float] | None = None) -> dict[str, Any]:
        return {
            "statistic": comparison.statistic,
            "test": comparison.test,
            "n": comparison.n,
            "units": comparison.units,
            "alpha": self.whole.alpha,
            "correction": self.whole.correction,
            "resamples": comparison.resamples,
            "comparisons": len(comparison.differences),
            "systems": [
                {
                    "name": entry.model,
                    **{end: finite(getattr(entry, end)) for end in ("value", "low", "high")},
                    **dict(zip(("wins", "losses"), comparison.counts.get(entry.model, (0, 0)), strict=True)),
                    **({"accuracy_cv": finite(cross_validated.get(entry.model))} if cross_validated else {}),
                }
                for entry in (*(comparison.by_model[name] for name in comparison.ranking), *comparison.undefined)
            ],
            "differences": [
                {
                    **{name: finite(value) for name, value in asdict(entry).items()},
                    "verdict": entry.verdict(self.whole.margin),
                }
                for entry in comparison.differences
            ],
        }


BEST = "best"
FOLDER = "comparisons"
_LAYOUT = 6
_KEPT = TypeAdapter(RunComparison)


def run_comparison(scored: ScoredSets) -> RunComparison:
    """Return the comparison of a run: the one that is kept, if it is of these values, models and options."""
    check_default_measure(scored.testing.measure, USUAL, BEST)
    rows = scored.results()
    kinds = {name: [model.kind, model.baseline] for name, model in scored.models.items()}
    sets = {name: about.sha256 for name, about in scored.sets.items()}
    key = sha256_of_value([_LAYOUT, version(), sets, kinds, scored.testing.model_dump(), rows.write_json()])
    path = scored.path / FOLDER / f"{key[:16]}.json"
    with suppress(OSError, ValidationError, ValueError, KeyError, TypeError):  # not there, or damaged
        return replace(_KEPT.validate_json(without_checksum(path.read_bytes())), run=str(scored.path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TermgaugeWarning)  # they are kept as problems
        compared = compare_sets(scored)
    with suppress(TermgaugeError, OSError):  # a folder that cannot be written can still be looked at
        write_text(path, with_checksum(_KEPT.dump_json(replace(compared, run="")).decode()) + "\n")
    return compared


def compare_sets(scored: ScoredSets, sets: Sequence[str] = (), *, between_measures: bool = True) -> RunComparison:
    """Compare the models of a run on some sets, or all, as its ``testing`` says, and the measures of each model.

    A set that cannot be compared is warned of, and is a problem of what comes back. All sets are in memory together,
    with the scores of each model by one measure: 8 bytes per model and pair, four times over.
    """
    testing = scored.testing
    check_default_measure(testing.measure, USUAL, BEST)
    for name in sets:
        scored.read_set(name)
    chosen = {name: about for name, about in scored.sets.items() if not sets or name in sets}
    kinds = {name: model.kind for name, model in scored.models.items()}
    prepared: list[PreparedSet] = []
    measures: list[MeasureComparison] = []
    problems: dict[str, str] = {}
    with track("Comparing", total=sum(about.pairs for about in chosen.values()), unit="pairs") as advance:
        for name, about in chosen.items():
            try:
                scores = scored.all_scores(name)
                prepared.append(PreparedSet.of(name, scored.read_set(name), scores, kinds, testing))
                measures += prepared[-1].between_measures(scores, testing) if between_measures else ()
            except TermgaugeError as error:
                problems[name] = str(error)
            advance(about.pairs)
    for problem in problems.values():
        warn(problem)
    weak = [name for name, model in scored.models.items() if model.baseline]
    whole, compared = compare_models(prepared, testing, weak)
    return RunComparison(str(scored.path), whole, compared, tuple(measures), problems)


def compare_models(
    sets: Sequence[PreparedSet], testing: Testing, baselines: Collection[str] = ()
) -> tuple[Comparison, tuple[ComparedSet, ...]]:
    """Compare models on each set and over all; by the tests of the paper on each set, if these are asked for.

    Where the measure of each model is the best one of these very pairs there are no marks, and no verdict.
    """
    titles = [titled(entry.outcomes.name, graded=entry.pairs.graded, origin=entry.pairs.origin) for entry in sets]
    groups = groups_by_name(titles, testing.groups)
    whole = compare(
        [entry.outcomes for entry in sets],
        alpha=testing.alpha,
        correction=testing.correction,
        family=testing.family,
        margin=testing.margin,
        min_coverage=testing.min_coverage,
        baselines=baselines,
        groups={name: [entry.id for entry in some] for name, some in groups.items()},
    )
    if testing.tests == "paper":
        whole = replace(whole, sets=tuple(entry.compared_alone(entry.enough(), testing) for entry in sets))
    elif any(entry.chosen_as_best for entry in sets):
        whole = replace(whole, main=None, sets=tuple(replace(entry, differences=()) for entry in whole.sets))
    return whole, tuple(entry.compared(whole.by_set[entry.outcomes.name]) for entry in sets)


def compare_on(
    name: str,
    scores: Mapping[str, NDArray[np.float64]],
    truth: NDArray[np.float64],
    units: Units,
    statistic: str,
    testing: Testing,
) -> SetComparison:
    """Compare systems on pairs that all of them score, as a test asks for."""
    published = testing.tests == "paper"
    outcomes = SetOutcomes(name, statistic, alone(len(truth)) if published else units, truth, scores)
    by = {"alpha": testing.alpha, "correction": testing.correction}
    comparison = compare_set(outcomes, **by)  # type: ignore[arg-type]
    if not published:
        return comparison
    return as_published(comparison, scores, truth, resamples=testing.resamples, seed=testing.seed, **by)  # type: ignore[arg-type]


@dataclass(frozen=True)
class PreparedSet:
    """A set with the scores of all models, each by its measure, and the pairs that all of them can score."""

    outcomes: SetOutcomes
    usable: NDArray[np.bool_]
    pairs: PairSet
    measures: dict[str, str]
    few: frozenset[str]
    """Models that score too few pairs to be compared."""
    chosen_as_best: bool
    """Whether a measure was chosen because it is best on these very pairs."""

    @classmethod
    def of(
        cls,
        name: str,
        pairs: PairSet,
        scores: Mapping[tuple[str, str], NDArray[np.float64]],
        kinds: Mapping[str, str],
        testing: Testing,
    ) -> PreparedSet:
        """Prepare a set, from its scores by model and measure.

        Raises :class:`TermgaugeError` where nothing can be compared.
        """
        if not scores:
            raise TermgaugeError(f"{name}: has no scores yet, and is left out.")
        truth, statistic = truth_of(pairs), statistic_for(testing.statistic, graded=pairs.graded)
        systems = scored_systems(scores, testing.min_coverage)
        usable = shared_pairs(systems, len(pairs))
        if len(np.unique(truth[usable])) < 2:
            many = int(usable.sum())
            what = "ratings" if pairs.graded else "labels"
            few = f"the {many:,} pairs that all models can score do not have different {what}"
            if many < 2:
                few = f"there is {'only one' if many else 'no'} pair that all models can score"
            raise TermgaugeError(f"{name}: cannot be compared, because {few}.")
        by_model: dict[str, dict[str, NDArray[np.float64]]] = {}
        for (model, measure), values in scores.items():
            by_model.setdefault(model, {})[measure] = values
        best = {model for model in by_model if measure_for_kind(testing.measure, kinds[model]) == BEST}
        measures = {
            model: _best_measure(by, statistic, truth, usable)
            if model in best
            else default_measure(by, kinds[model], testing.measure) or next(iter(by))
            for model, by in by_model.items()
        }
        chosen = {model: by_model[model][measure] for model, measure in measures.items()}
        few_scored = frozenset(by_model) - {model for model, _ in systems}
        outcomes = SetOutcomes(name, statistic, units_of(pairs), truth, chosen, usable)
        return cls(outcomes, usable, pairs, measures, few_scored, bool(best))

    def compared_alone(self, scores: Mapping[str, NDArray[np.float64]], testing: Testing) -> SetComparison:
        """Compare systems on the pairs that all can score, as a test asks for."""
        shared = {name: values[self.usable] for name, values in scores.items()}
        outcomes = self.outcomes
        assert isinstance(outcomes.units, Units)
        units, truth = outcomes.units.chosen(self.usable), outcomes.truth[self.usable]
        return compare_on(outcomes.name, shared, truth, units, outcomes.statistic, testing)

    def between_measures(
        self, scores: Mapping[tuple[str, str], NDArray[np.float64]], testing: Testing
    ) -> Iterator[MeasureComparison]:
        """Compare the measures of each model that has several."""
        systems = scored_systems(scores, testing.min_coverage)
        for model in self.measures:
            by_measure = {measure: values for (other, measure), values in systems.items() if other == model}
            if len(by_measure) > 1:
                yield MeasureComparison(self.outcomes.name, model, self.compared_alone(by_measure, testing))

    def enough(self) -> dict[str, NDArray[np.float64]]:
        """Return the scores of the models that score enough pairs to be compared."""
        return {model: values for model, values in self.outcomes.values.items() if model not in self.few}

    def compared(self, comparison: SetComparison) -> ComparedSet:
        """Return what is found of it, with what guessing gives."""
        truth, concepts = self.outcomes.truth[self.usable], first_concepts(self.pairs)
        similar, folds = truth > 0, None if concepts is None else concepts[self.usable]
        crossed = {
            model: float((cross_validated_decisions(values[self.usable], similar, concepts=folds) == similar).mean())
            for model, values in (self.enough() if comparison.statistic == "accuracy" else {}).items()
        }
        chance = None if self.pairs.graded else guessing(truth, comparison.statistic)
        return ComparedSet(comparison.set, self.measures, comparison, chance, crossed)


def _best_measure(
    scores: Mapping[str, NDArray[np.float64]], statistic: str, truth: NDArray[np.float64], usable: NDArray[np.bool_]
) -> str:
    """Return the measure with the highest value on some pairs, the first of equals."""
    whole = {name: values[usable] for name, values in scores.items() if not np.isnan(values[usable]).any()}
    if not whole:
        return next(iter(scores))
    values = ESTIMATORS[statistic](np.array(list(whole.values())), truth[usable]).values
    return list(whole)[int(np.argmax(np.nan_to_num(values, nan=-np.inf)))]
