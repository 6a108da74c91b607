"""Which differences in a run are real: models on each set, and the measures of each model, on shared pairs.

What was compared once and has not changed is read from the run folder: a comparison is kept for each set, under a key
that covers the set, all values on it and the options.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from pydantic import ConfigDict, TypeAdapter, ValidationError

from termgauge.display import Showing, shortened
from termgauge.exceptions import TermgaugeError, TermgaugeWarning, did_you_mean, warn
from termgauge.io.atomic import write_text
from termgauge.io.identity import file_name, sha256_of_value, version
from termgauge.io.store import with_checksum, without_checksum
from termgauge.plurals import numbered
from termgauge.progress import track
from termgauge.reporting.words import share
from termgauge.similarity.measures import USUAL, check_default_measure, default_measure, measure_for_kind
from termgauge.statistics.inputs import statistic_for
from termgauge.statistics.power import Detectable, smallest_detectable_difference
from termgauge.statistics.significance import Comparison, compare_systems
from termgauge.statistics.system_tests import value_of
from termgauge.tasks.pairs.results import dependence_of, guessing, scored_systems, shared_pairs, truth_of
from termgauge.tasks.results import finite

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.reporting.blocks import Section
    from termgauge.statistics.dependence import Dependence
    from termgauge.tasks.contract import Testing
    from termgauge.tasks.pairs.scored import ScoredSets
    from termgauge.tasks.records import ModelRecord

_SUFFIXES = (".gz", ".tsv", ".csv", ".parquet")


def set_named(name: str, known: Collection[str], where: str) -> str:
    """Return the id of the one set that a name means.

    A name is the id, a file such as ``hp/fsn-syn.hard.random.tsv``, the folder of a benchmark of which the run has one
    set, or a part of the id that only one has.

    >>> set_named("fsn-syn.hard.random.tsv", ["hp/fsn-syn/hard/random", "hp/fsn-syn/easy/random"], "run")
    'hp/fsn-syn/hard/random'
    """
    if name in known:
        return name
    file, parts = Path(name).name, name.lower().replace(".", "/").split("/")
    while suffix := next((each for each in _SUFFIXES if file.endswith(each)), ""):
        file = file.removesuffix(suffix)

    def ending(*ends: str) -> list[str]:
        return [each for each in known if any(f"/{each}".endswith(f"/{end}") for end in ends if end)]

    holding = [each for each in known if all(part in each.lower() for part in parts)] if name.strip("./ ") else []
    of_file = ending(file, file.replace(".", "/"))  # the name of a file has dots where the id has slashes
    for fitting in (_of_folder(name, known), ending(name.strip("/")), of_file, holding):
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise TermgaugeError(f"{where}: several sets fit '{name}'; name one of them: {', '.join(fitting)}.")
    there = f"; there are: {', '.join(known)}" if known else ""
    raise TermgaugeError(f"{where}: has no set '{name}'{there}.{did_you_mean(name, known)}")


def _of_folder(name: str, known: Collection[str]) -> list[str]:
    """Return the sets of the benchmark that stands in a folder."""
    from termgauge.benchmark.load import load_benchmark
    from termgauge.benchmark.manifest import MANIFEST

    if not (Path(name) / MANIFEST).is_file():
        return []
    return [pairs.id for pairs in load_benchmark(name) if pairs.id in known]


@dataclass(frozen=True)
class SetComparison:
    """The models of a run on one set."""

    set: str
    measures: dict[str, str]
    """The measure that stands for each model."""
    comparison: Comparison
    detectable: Detectable | None
    """The smallest difference that a set of this size could have shown."""
    guessing: float | None = None
    """What guessing gives on the pairs compared, as accuracy the share of the more frequent label; None of ratings."""


@dataclass(frozen=True)
class MeasureComparison:
    """The measures of one model on one set."""

    set: str
    model: str
    comparison: Comparison


@dataclass(frozen=True, repr=False)
class RunComparison(Showing):
    """All comparisons of a run."""

    run: str
    """The folder of the run."""
    models: tuple[SetComparison, ...]
    measures: tuple[MeasureComparison, ...]

    @property
    def comparisons(self) -> list[Comparison]:
        """All of them, those of models first."""
        return [*(each.comparison for each in self.models), *(each.comparison for each in self.measures)]

    def _shown(self) -> Iterator[Section]:
        from termgauge.tasks.pairs.sections.compared import overview_sections

        return overview_sections(self)

    def _brief(self) -> str:
        models = {name for each in self.models for name in each.comparison.names}
        return (
            f"comparison of '{shortened(self.run)}': {numbered(len(models), 'model')} on "
            f"{numbered(len(self.models), 'set')}, {numbered(len(self.measures), 'comparison')} of measures"
        )

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each two models on each set: their difference, its interval, and whether it is real."""
        rows = [
            {"set": each.set, "statistic": each.comparison.statistic, **difference}
            for each in self.models
            for difference in _as_dict(each.comparison)["differences"]
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def as_dict(self) -> dict[str, Any]:
        """Return all comparisons as JSON-like values."""
        return {
            "run": self.run,
            "models": {
                each.set: {
                    **_as_dict(each.comparison),
                    "measures": each.measures,
                    "detectable": None if each.detectable is None else finite(each.detectable.difference),
                    "guessing": each.guessing,
                }
                for each in self.models
            },
            "measures": [{"set": one.set, "model": one.model, **_as_dict(one.comparison)} for one in self.measures],
        }


def _as_dict(comparison: Comparison) -> dict[str, Any]:
    names = comparison.names
    return {
        "statistic": comparison.statistic,
        "test": comparison.test,
        "n": comparison.n,
        "alpha": comparison.alpha,
        "correction": comparison.correction,
        "resamples": comparison.resamples,
        "comparisons": comparison.comparisons,
        "systems": [
            {
                "name": names[place],
                "value": finite(comparison.values[place].value),
                "low": finite(comparison.values[place].low),
                "high": finite(comparison.values[place].high),
                "wins": comparison.wins[place],
                "losses": comparison.losses[place],
                **({"accuracy_cv": comparison.cross_validated[place]} if comparison.cross_validated else {}),
            }
            for place in comparison.ranking
        ],
        "differences": [
            {key: finite(value) for key, value in comparison.between(one, other)._asdict().items()}
            for at, one in enumerate(names)
            for other in names[at + 1 :]
        ],
    }


BEST = "best"
FOLDER = "comparisons"
_LAYOUT = 5


class ComparedSet(NamedTuple):
    """What comparing one set gives."""

    models: SetComparison
    measures: list[MeasureComparison]


_KEPT = TypeAdapter(dict[str, tuple[str, ComparedSet]], config=ConfigDict(ser_json_inf_nan="constants"))


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
        kept_key, kept = _KEPT.validate_json(without_checksum(path.read_bytes()))["kept"]
        if kept_key == key:
            return kept
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", TermgaugeWarning)
        compared = compare_set(scored, name)
    if compared is None:
        said = [str(note.message) for note in notes if isinstance(note.message, TermgaugeWarning)]
        raise TermgaugeError(" ".join(said) or f"{name}: cannot be compared.")
    with suppress(TermgaugeError, OSError):  # a folder that cannot be written can still be looked at
        write_text(path, with_checksum(_KEPT.dump_json({"kept": (key, compared)}).decode()) + "\n")
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
        matrix = np.array([self.scores[system] for system in chosen.items()])
        comparison = self._compared({model: (model, measure) for model, measure in chosen.items()})
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
            MeasureComparison(self.pairs.id, model, self._compared({name: (model, name) for name in measures}))
            for model, measures in self.owned.items()
            if len(measures) > 1
        ]

    def _compared(self, systems: Mapping[str, tuple[str, str]]) -> Comparison:
        """Compare systems, each under its name."""
        return compare_systems(
            list(systems),
            np.array([self.scores[system] for system in systems.values()]),
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
