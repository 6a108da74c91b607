"""A set of a run in bands of a property: values on own and on shared pairs, trends, and differences between models.

The scores are those that the run keeps. Values and intervals are made as for a whole set: pairs that share concepts are
not taken as independent. Accuracies are the shares of right decisions at one threshold for all bands, the best of the
whole set; a threshold for each band would hide that a model scores rare words lower.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.progress import track
from termgauge.similarity.measures import USUAL, check_default_measure, default_measure, measure_for_kind
from termgauge.statistics.bootstrap import UNDEFINED, Interval
from termgauge.statistics.compare import with_intervals
from termgauge.statistics.correlation import Jackknifed, spearman
from termgauge.statistics.delong import delong
from termgauge.statistics.inputs import adjusted, corrected_level
from termgauge.statistics.separation import Decisions, area_of, best_decisions, share_interval
from termgauge.statistics.significance import corrected_differences
from termgauge.statistics.trend import any_difference, rho_in_band, share_in_band, system_in_band, trend
from termgauge.tasks.pairs.results import scored_systems, shared_pairs, truth_of
from termgauge.tasks.pairs.units import alone, units_of
from termgauge.tasks.results import DifferenceRecord
from termgauge.tasks.subsets.properties import property_of, spread_of
from termgauge.tasks.subsets.result import (
    Band,
    Banded,
    BandRecord,
    Estimate,
    ModelInBand,
    SetSubsets,
    SubsetsResult,
    TrendRecord,
    banded,
    given_bands,
    pair_tertiles,
    word_tertiles,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.statistics.delong import TwoKinds
    from termgauge.statistics.dependence import Dependence
    from termgauge.statistics.trend import BandValue
    from termgauge.tasks.contract import Testing
    from termgauge.tasks.pairs.scored import ScoredSets
    from termgauge.tasks.subsets.properties import Property
    from termgauge.tasks.subsets.task import SubsetInputs, SubsetOptions

BEST = "best"
_Found = tuple[float, float, float]
_UNDEFINED: _Found = (math.nan, *UNDEFINED)


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores of a set by the measure that stands for each model."""

    pairs: PairSet
    scores: dict[str, NDArray[np.float64]]
    """By model, NaN where there is none."""
    measures: dict[str, str]
    together: NDArray[np.bool_]
    """The pairs that all models can score that take part."""
    taking_part: list[str]
    """The models that score enough pairs of the set."""
    testing: Testing
    statistic: str
    _areas: dict[bytes, tuple[list[str], TwoKinds]] = field(default_factory=dict)

    def areas(self, models: Sequence[str], pairs: NDArray[np.int64]) -> tuple[TwoKinds, list[int]]:
        """Return areas on some pairs, on which they are found once, and the places of the models among them."""
        among, areas = self._areas.get(key := pairs.tobytes(), ([], None))
        if areas is None or not set(models) <= set(among):
            matrix = np.array([self.scores[model][pairs] for model in models])
            among, areas = list(models), delong(matrix, self.truth[pairs] == 1, _of_pairs(self.shared, pairs))
            self._areas[key] = among, areas
        return areas, [among.index(model) for model in models]

    @cached_property
    def truth(self) -> NDArray[np.float64]:
        """Ratings or labels."""
        return truth_of(self.pairs)

    @cached_property
    def shared(self) -> Dependence | None:
        """Which pairs share concepts."""
        return dependence_of(self.pairs) if self.testing.tests == "robust" else None

    @cached_property
    def right(self) -> dict[str, NDArray[np.bool_]]:
        """Which pairs each model decides rightly, at the threshold that is best for all that it can score."""
        found = {}
        for model, scores in self.scores.items():
            known, right = ~np.isnan(scores), np.zeros(len(scores), np.bool_)
            similar = self.truth[known] == 1
            right[known] = best_decisions(scores[known], similar) == similar
            found[model] = right
        return found


def scored_set(scored: ScoredSets, name: str, pairs: PairSet, models: Sequence[str], statistic: str) -> Scored:
    """Return the scores of some models on a set; some of them must have some."""
    testing = scored.testing
    check_default_measure(testing.measure, USUAL, BEST)
    known = {
        (model, measure): values
        for model in models
        for measure, values in scored.readable_scores(model, name, "subsets").items()
    }
    usable = scored_systems(known)
    own: dict[str, list[str]] = {}
    for model, measure in usable:
        own.setdefault(model, []).append(measure)
    if not own:
        raise TermgaugeError(f"'{name}': no model has a score on it; make them with termgauge evaluate.")
    chosen = "spearman" if pairs.graded else statistic
    truth = truth_of(pairs)
    measures = {
        model: _standing({each: usable[model, each] for each in own[model]}, scored.models[model].kind, testing, truth)
        for model in own
    }
    return Scored(
        pairs,
        {model: usable[model, measure] for model, measure in measures.items()},
        measures,
        shared_pairs(known, len(pairs), testing.min_coverage),
        [model for model in own if (model, measures[model]) in scored_systems(known, testing.min_coverage)],
        testing,
        chosen,
    )


def _standing(
    scores: Mapping[str, NDArray[np.float64]], kind: str, testing: Testing, truth: NDArray[np.float64]
) -> str:
    """Return the measure that stands for a model; the best one is that with the best value on the whole set."""
    if measure_for_kind(testing.measure, kind) != BEST:
        return default_measure(scores, kind, testing.measure) or next(iter(scores))

    def value(measure: str) -> float:
        there = ~np.isnan(scores[measure])
        found = spearman(scores[measure][there], truth[there])  # with labels it orders measures as the area does
        return -math.inf if math.isnan(found) else found

    return max(scores, key=value)


def divide(found: Property, pairs: PairSet, limits: Sequence[float]) -> tuple[Banded, list[str]]:
    """Divide the pairs of a set by a property; return what is to be said about it, too."""
    values = found.values(pairs)
    if np.isnan(values.one).all() and (values.two is None or np.isnan(values.two).all()):
        what = "no word" if found.of == "words" else "no pair"
        raise TermgaugeError(
            f"'{pairs.id}': {what} of it has a value of '{found.name}' ({found.meaning}); name another table or set."
        )
    if found.labels:
        bands = [Band(label=label) for label in found.labels]  # the values are the places of kinds
    elif limits:
        bands = given_bands(limits)
    else:
        bands = pair_tertiles(values.one) if values.distinct is None else word_tertiles(values.distinct)
    divided = banded(bands, values.one, values.two)
    what = "words" if found.of == "words" else "pairs"
    notes = [f"The band '{band.title}' holds no {what} and is left out." for band in divided.empty if not found.labels]
    if not divided.bands:
        raise TermgaugeError(f"'{pairs.id}': no value of '{found.name}' lies in any band; choose other --bands.")
    if len(divided.bands) == 1 and not limits and not found.labels:
        notes.append("Most values are equal, so that tertiles make no bands; choose limits with the option 'bands'.")
    return divided, notes


def measured_set(found: Property, scored: Scored, limits: Sequence[float]) -> SetSubsets:
    """Measure a set in bands."""
    divided, notes = divide(found, scored.pairs, limits)
    members = [divided.pairs(place) for place in range(len(divided.bands))]
    spread = spread_of(scored.pairs)
    bands = []
    for band, pairs in zip(divided.bands, members, strict=True):
        mine = {model: pairs[~np.isnan(values[pairs])] for model, values in scored.scores.items()}
        common, own = pairs[scored.together[pairs]], _values(scored, mine)
        again = [model for model in scored.taking_part if len(mine[model]) > len(common)]
        on_common = {model: own[model] for model in scored.taking_part}
        on_common |= _values(scored, dict.fromkeys(again, common))
        bands.append(
            BandRecord(
                **band.model_dump(),
                pairs=len(pairs),
                spread=None if spread is None else _mean(spread[pairs]),
                score=_mean(scored.truth[pairs]) if scored.pairs.graded else None,
                positives=None if scored.pairs.graded else int(scored.truth[pairs].sum()),
                models={
                    model: ModelInBand(**estimate.model_dump(), shared=on_common.get(model))
                    for model, estimate in own.items()
                },
            )
        )
    bands = _with_differences(scored, bands, members)
    spreads = [band.spread for band in bands]
    known = [each for each in spreads if each is not None]
    return SetSubsets(
        set=scored.pairs.id,
        property=found.name,
        meaning=found.meaning,
        of=found.of,
        statistic=scored.statistic,
        pairs=len(scored.pairs),
        measures=scored.measures,
        bands=bands,
        outside=divided.outside,
        unknown=divided.unknown,
        spread=math.fsum(known) / len(known) if known else None,
        trends=_trends(scored, members, ordered=not found.labels),
        ordered=not found.labels,
        notes=[*found.notes, *notes, *_alike(scored, bands)],
    )


def _alike(scored: Scored, bands: Sequence[BandRecord]) -> list[str]:
    """Say which bands have no area under a curve, because all of their pairs have one label."""
    if scored.statistic != "auc":
        return []
    titles = [f"'{band.title}'" for band in bands if band.pairs and band.positives in (0, band.pairs)]
    if not titles:
        return []
    which = f"{'the band' if len(titles) == 1 else 'the bands'} {', '.join(titles)}"
    why = f"All pairs of {which} have the same label, so that there is no area under a curve"
    return [f"{why}; the statistic accuracy has values there."]


def _mean(values: NDArray[np.float64]) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def _values(scored: Scored, pairs: Mapping[str, NDArray[np.int64]]) -> dict[str, Estimate]:
    """Return the value of each model on some pairs, those together that have the same: they share their resamples."""
    groups: dict[bytes, list[str]] = {}
    for model, own in pairs.items():
        groups.setdefault(own.tobytes(), []).append(model)
    found: dict[str, Estimate] = {}
    for models in groups.values():
        own = pairs[models[0]]
        for model, (value, low, high) in zip(models, _on_pairs(scored, models, own), strict=True):
            found[model] = Estimate(value=value, interval=(low, high), n=len(own))
    return {model: found[model] for model in pairs}


def _on_pairs(scored: Scored, models: Sequence[str], pairs: NDArray[np.int64]) -> Sequence[_Found]:
    truth, testing, shared = scored.truth[pairs], scored.testing, _of_pairs(scored.shared, pairs)
    undefined = [_UNDEFINED] * len(models)
    if scored.statistic == "accuracy":
        if not len(pairs):
            return undefined
        right = [scored.right[model][pairs] for model in models]
        return [(float(each.mean()), *share_interval(each, testing.alpha, shared)) for each in right]
    if len(np.unique(truth)) < 2:
        return undefined
    if scored.statistic == "auc":
        areas, places = scored.areas(models, pairs)
        found = [area_of(areas, place, testing.alpha) for place in places]
        return [(each.value, each.low, each.high) for each in found]
    matrix = np.array([scored.scores[model][pairs] for model in models])
    members = np.isin(np.arange(len(scored.pairs)), pairs)
    units = units_of(scored.pairs).chosen(members) if testing.tests == "robust" else alone(len(pairs))
    return with_intervals("spearman", matrix, truth, units, testing.alpha)


def dependence_of(pairs: PairSet) -> Dependence | None:
    """Return which pairs of a set share concepts; None if its concepts are not known."""
    from termgauge.statistics.dependence import Dependence

    concepts = pairs.concepts
    if concepts is None:
        return None
    return Dependence.from_concepts(*(concepts[name].to_list() for name in concepts.columns))


def _of_pairs(shared: Dependence | None, pairs: NDArray[np.int64]) -> Dependence | None:
    return None if shared is None else replace(shared, first=shared.first[pairs], second=shared.second[pairs])


def _trends(scored: Scored, members: Sequence[NDArray[np.int64]], *, ordered: bool) -> dict[str, TrendRecord]:
    """Test each model on its own pairs, corrected for the number of models."""
    testing = scored.testing
    level = corrected_level(testing.alpha, len(scored.scores), testing.correction)
    found: dict[str, tuple[float | None, float | None, float | None, float]] = {}
    for model in scored.scores:
        places, bands = [], []
        for place, pairs in enumerate(members):
            if (band := _in_band(scored, model, pairs)) is not None:
                places.append(float(place))
                bands.append(band)
        if ordered:
            tested = trend(bands, places, scored.shared, level)
            found[model] = (tested.change, tested.low, tested.high, tested.p_value)
        else:
            found[model] = (None, None, None, any_difference(bands, scored.shared))
    corrected = adjusted([p for *_rest, p in found.values()], testing.correction).tolist()
    return {
        model: TrendRecord(
            change=change,
            low=low,
            high=high,
            p_value=p,
            adjusted_p=with_others,
            significant=with_others < testing.alpha,
        )
        for (model, (change, low, high, p)), with_others in zip(found.items(), corrected, strict=True)
    }


def _in_band(scored: Scored, model: str, pairs: NDArray[np.int64]) -> BandValue | None:
    own = pairs[~np.isnan(scored.scores[model][pairs])]
    if scored.statistic == "accuracy":
        return share_in_band(scored.right[model], own, scored.shared)
    if scored.statistic == "spearman":
        return rho_in_band(scored.scores[model], scored.truth, own, scored.shared)
    if len(np.unique(scored.truth[own])) < 2:
        return None
    areas, (place,) = scored.areas([model], own)
    return system_in_band(areas, place, own)


def _with_differences(
    scored: Scored, bands: Sequence[BandRecord], members: Sequence[NDArray[np.int64]]
) -> list[BandRecord]:
    """Test any two models in each band on shared pairs, corrected for all such comparisons of the set."""
    testing, couples = scored.testing, list(combinations(range(len(scored.taking_part)), 2))
    level = corrected_level(testing.alpha, len(couples) * len(bands), testing.correction)
    found: list[tuple[str, str, float, Interval, float]] = []
    ends = []
    for band, pairs in zip(bands, members, strict=True):
        compare = _comparing(scored, pairs[scored.together[pairs]]) if couples else None
        on_common = [band.models[model].shared for model in scored.taking_part]
        values = [None if each is None else each.value for each in on_common]
        for one, other in couples if compare else ():
            first, second = values[one], values[other]
            if first is not None and second is not None and compare is not None:
                names = scored.taking_part[one], scored.taking_part[other]
                found.append((*names, first - second, *compare(one, other, level)))
        ends.append(len(found))
    corrected = corrected_differences(found, alpha=testing.alpha, correction=testing.correction)
    records = [DifferenceRecord.model_validate(difference.as_dict()) for difference in corrected]
    return [
        band.model_copy(update={"differences": records[start:end]})
        for band, start, end in zip(bands, [0, *ends], ends, strict=False)
    ]


def _comparing(scored: Scored, pairs: NDArray[np.int64]) -> Callable[[int, int, float], tuple[Interval, float]] | None:
    """Return what compares two models on some pairs; None if these tell nothing."""
    truth, shared = scored.truth[pairs], _of_pairs(scored.shared, pairs)
    if len(pairs) < 2 or len(np.unique(truth)) < 2:
        return None
    if scored.statistic == "accuracy":
        return Decisions.from_decisions(
            np.array([scored.right[model][pairs] for model in scored.taking_part]), shared
        ).difference
    if scored.statistic == "auc":
        areas, places = scored.areas(scored.taking_part, pairs)
        return lambda one, other, level: areas.difference(places[one], places[other], level)
    matrix = np.array([scored.scores[model][pairs] for model in scored.taking_part])
    varying = matrix.min(axis=1) < matrix.max(axis=1)
    rhos = Jackknifed.rhos(np.where(varying[:, None], matrix, np.arange(len(pairs))), truth, shared)
    return rhos.difference


def chosen_models(scored: ScoredSets, only: Sequence[str]) -> list[str]:
    """Return the models of a run that were asked for, or all."""
    for name in only:
        if name not in scored.models:
            raise TermgaugeError(f"{scored.path}: has no model '{name}'.{did_you_mean(name, scored.models)}")
    return [name for name in scored.models if not only or name in only]


def combined(
    measured: Mapping[str, None],  # noqa: ARG001
    inputs: SubsetInputs,
    options: SubsetOptions,
) -> SubsetsResult:
    """Divide the sets that options name, or all that can be divided, and measure and test the models in their bands."""
    scored = inputs.scored
    models = chosen_models(scored, options.only_models)
    names = list(options.sets) or list(scored.sets)
    if not names:
        raise TermgaugeError(f"{scored.path}: has no sets to divide; add some with termgauge evaluate.")
    found = property_of(options, inputs.terminology)
    sets, skipped = {}, {}
    with track("Dividing sets", total=sum(scored.sets[name].pairs for name in names), unit="pairs") as advance:
        for name in names:
            try:
                pairs = _with_ratings(scored, name, options.ratings)
                own = scored_set(scored, name, pairs, models, options.statistic)
                sets[name] = measured_set(found, own, options.bands)
            except TermgaugeError as error:
                if options.sets or len(names) == 1:
                    raise
                skipped[name] = str(error)
            advance(scored.sets[name].pairs)
    if not sets:
        raise TermgaugeError(f"{scored.path}: none of its sets can be divided. {next(iter(skipped.values()))}")
    if skipped:
        warn(f"Sets that cannot be divided are left out: {', '.join(skipped)}. {next(iter(skipped.values()))}")
    testing = scored.testing
    return SubsetsResult(sets=sets, alpha=testing.alpha, correction=testing.correction, skipped=skipped)


def _with_ratings(scored: ScoredSets, name: str, table: str | None) -> PairSet:
    """Return a set with what raters said: by the table that is named, else as the run keeps it."""
    from termgauge.benchmark.rating_matrix import ratings_of

    pairs = scored.read_set(name)
    if not pairs.graded:
        return pairs
    if table is None:
        return replace(pairs, ratings=scored.ratings(name))
    return replace(
        pairs, ratings=ratings_of(table, {each: pairs.frame[each].to_list() for each in ("term_1", "term_2")})
    )
