"""A set of a run in bands of a property: values on own and on shared pairs, trends, and differences between models.

The scores are those that the run keeps, and each band is a part of the set's pairs, compared as a whole set is: pairs
that share a concept or a word are not taken as independent, in a band or over bands. Accuracies are the shares of right
decisions at one threshold for all bands, the best of the whole set; a threshold for each band would hide that a model
scores rare words lower.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.progress import track
from termgauge.similarity.measures import USUAL, check_default_measure
from termgauge.statistics.compare import SetOutcomes, compare, estimated
from termgauge.statistics.covariance import Covariance, Units
from termgauge.statistics.estimators import Estimates, Groups
from termgauge.statistics.families import LargestDifference
from termgauge.statistics.inputs import adjusted
from termgauge.statistics.separation import best_decisions
from termgauge.tasks.pairs.compare import BEST, PreparedSet
from termgauge.tasks.pairs.results import alone, scored_systems
from termgauge.tasks.results import DifferenceRecord, finite
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
    tertiles,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.statistics import comparison
    from termgauge.tasks.contract import Testing
    from termgauge.tasks.pairs.scored import ScoredSets
    from termgauge.tasks.subsets.properties import Property
    from termgauge.tasks.subsets.task import SubsetInputs, SubsetOptions

    Mask = NDArray[np.bool_]

LEAST_PAIRS = 10
"""In a band, below which its value says too little about its own error to be tested."""
_NOTHING = 1e-12


class Scored(NamedTuple):
    """A set as it is prepared for a comparison."""

    prepared: PreparedSet
    whole: SetOutcomes
    """Of all of its pairs; for accuracies the values say whether each pair is decided rightly, at the threshold that is
    best for all pairs that a model scores."""
    statistic: str

    @property
    def taking_part(self) -> list[str]:
        """The models that score enough pairs of the set."""
        return [model for model in self.whole.values if model not in self.prepared.few]

    def outcomes(self, models: Sequence[str], pairs: Mask, name: str = "") -> SetOutcomes:
        """Return the outcomes of some models on some pairs; with a name, on those that all models can score."""
        whole = self.whole
        assert isinstance(whole.units, Units)
        return replace(
            whole,
            name=name,
            units=whole.units.chosen(pairs),
            truth=whole.truth[pairs],
            values={model: whole.values[model][pairs] for model in models},
            usable=whole.usable[pairs] if name and whole.usable is not None else None,
        )


def scored_set(scored: ScoredSets, name: str, pairs: PairSet, models: Sequence[str], statistic: str) -> Scored:
    """Return the scores of some models on a set; some of them must have some."""
    testing = scored.testing
    check_default_measure(testing.measure, USUAL, BEST)
    scores_by_system = scored_systems(
        {
            (model, measure): values
            for model in models
            for measure, values in scored.readable_scores(model, name, "subsets").items()
        }
    )
    if not scores_by_system:
        raise TermgaugeError(f"'{name}': no model has a score on it; make them with termgauge evaluate.")
    kinds = {model: scored.models[model].kind for model in models}
    prepared = PreparedSet.of(name, pairs, scores_by_system, kinds, testing)
    whole, accuracy = prepared.outcomes, statistic == "accuracy" and not pairs.graded
    if accuracy:
        right = {model: _right(values, whole.truth > 0) for model, values in whole.values.items()}
        whole = replace(whole, values=right)
    if testing.tests == "paper":  # pairs are taken as independent, as published
        whole = replace(whole, units=alone(len(pairs)))
    named = "spearman" if pairs.graded else statistic
    return Scored(prepared, replace(whole, statistic="mean" if accuracy else named), named)


def _right(scores: NDArray[np.float64], similar: Mask) -> NDArray[np.float64]:
    """Say which pairs are decided rightly; NaN where there is no score."""
    scored, right = ~np.isnan(scores), np.full(len(scores), np.nan)
    right[scored] = best_decisions(scores[scored], similar[scored]) == similar[scored]
    return right


def divide(trait: Property, pairs: PairSet, limits: Sequence[float]) -> tuple[Banded, list[str]]:
    """Divide the pairs of a set by a property; return what is to be said about it, too."""
    values = trait.values(pairs)
    if np.isnan(values.one).all() and (values.two is None or np.isnan(values.two).all()):
        raise TermgaugeError(
            f"'{pairs.id}': no {trait.of[:-1]} of it has a value of '{trait.name}' ({trait.meaning}); name another "
            "table or set."
        )
    if trait.labels:
        bands = [Band(label=label) for label in trait.labels]  # the values are the places of kinds
    elif limits:
        bands = given_bands(limits)
    else:
        bands = tertiles(values.one if values.distinct is None else values.distinct, trait.of)
    divided = banded(bands, values.one, values.two)
    notes = [
        f"The band '{band.title}' holds no {trait.of} and is left out." for band in divided.empty if not trait.labels
    ]
    if not divided.bands:
        raise TermgaugeError(f"'{pairs.id}': no value of '{trait.name}' lies in any band; choose other --bands.")
    if len(divided.bands) == 1 and not limits and not trait.labels:
        notes.append("Most values are equal, so that tertiles make no bands; choose limits with the option 'bands'.")
    return divided, notes


def measured_set(trait: Property, scored: Scored, limits: Sequence[float], testing: Testing) -> SetSubsets:
    """Measure a set in bands."""
    pair_set, truth = scored.prepared.pairs, scored.whole.truth
    divided, notes = divide(trait, pair_set, limits)
    spread, graded, marked = spread_of(pair_set), pair_set.graded, not scored.prepared.chosen_as_best
    members = [divided.of_pair == number for number in range(len(divided.bands))]
    compared = compare(  # corrected for all that is shown of the set: any two models in any band
        [scored.outcomes(scored.taking_part, pairs, f"band {at}") for at, pairs in enumerate(members)],
        alpha=testing.alpha,
        correction=testing.correction,
        family="run",
        min_coverage=0.0,
    )
    bands = [
        BandRecord(
            **band.model_dump(),
            pairs=int(pairs.sum()),
            spread=None if spread is None else _mean(spread[pairs]),
            score=_mean(truth[pairs]) if graded else None,
            positives=None if graded else int(truth[pairs].sum()),
            models=_models_in_band(scored, pairs, together, testing.alpha),
            differences=[DifferenceRecord.of(row) for row in together.differences] if marked else [],
        )
        for band, pairs, together in zip(divided.bands, members, compared.sets, strict=True)
    ]
    spreads = [band.spread for band in bands if band.spread is not None]
    return SetSubsets(
        set=pair_set.id,
        property=trait.name,
        meaning=trait.meaning,
        of=trait.of,
        statistic=scored.statistic,
        pairs=len(pair_set),
        measures=scored.prepared.measures,
        bands=bands,
        outside=divided.outside,
        unknown=divided.unknown,
        spread=math.fsum(spreads) / len(spreads) if spreads else None,
        trends=_trends(scored, bands, divided.of_pair, testing, ordered=not trait.labels),
        ordered=not trait.labels,
        notes=[*trait.notes, *notes, *_alike(scored, bands)],
    )


def _models_in_band(
    scored: Scored, pairs: Mask, together: comparison.SetComparison, alpha: float
) -> dict[str, ModelInBand]:
    """Return each model on its own pairs of a band and, `together` with the others, on the shared ones."""
    n = int((scored.prepared.usable & pairs).sum())
    shared = {name: Estimate(n=n) for name in scored.taking_part}
    shared |= {name: Estimate.of(estimate) for name, estimate in together.by_model.items()}
    estimates = {name: estimated(scored.outcomes([name], pairs), alpha)[name] for name in scored.whole.values}
    return {name: ModelInBand.of(estimate, shared=shared.get(name)) for name, estimate in estimates.items()}


def _mean(values: NDArray[np.float64]) -> float | None:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else None


def _alike(scored: Scored, bands: Sequence[BandRecord]) -> list[str]:
    """Say which bands have no area under a curve, because all of their pairs have one label."""
    if scored.statistic != "auc":
        return []
    titles = [f"'{band.title}'" for band in bands if band.pairs and band.positives in (0, band.pairs)]
    which = f"{'the band' if len(titles) == 1 else 'the bands'} {', '.join(titles)}"
    why = f"All pairs of {which} have the same label, so that there is no area under a curve"
    return [f"{why}; the statistic accuracy has values there."] if titles else []


def _trends(
    scored: Scored, bands: Sequence[BandRecord], of_pair: NDArray[np.int64], testing: Testing, *, ordered: bool
) -> dict[str, TrendRecord]:
    """Test each model on its own pairs, corrected for the number of models."""
    trends = dict[str, TrendRecord]()
    for model, values in scored.whole.values.items():
        estimates = enumerate(band.models[model] for band in bands)
        counted = [at for at, estimate in estimates if estimate.n >= LEAST_PAIRS and estimate.interval[0] is not None]
        pairs = np.isin(of_pair, counted) & ~np.isnan(values)
        trends[model] = trend_of(scored.outcomes([model], pairs), of_pair[pairs], testing.alpha, ordered=ordered)
    p_values = np.array([trend.p_value for trend in trends.values()], np.float64)
    corrected = adjusted(p_values, testing.correction).tolist()
    return {
        model: trend.model_copy(update={"adjusted_p": finite(p), "significant": p < testing.alpha})
        for (model, trend), p in zip(trends.items(), corrected, strict=True)
    }


def trend_of(outcomes: SetOutcomes, bands: NDArray[np.int64], alpha: float, *, ordered: bool) -> TrendRecord:
    """Test whether a model's value rises or falls over bands, along a straight line; or whether kinds differ at all.

    `bands` is the number of the band of each item.
    """
    places = np.unique(bands)
    if len(places) < 2:
        return TrendRecord()
    estimates = [some for band in places if (some := outcomes.estimate(list(outcomes.values), bands == band))]
    across = places - places.mean()
    slope = across / (across @ across) * (places[-1] - places[0])
    sums = weighed_bands(estimates, bands, slope[None] if ordered else np.eye(len(places)))
    covariance = Covariance([(sums, outcomes.units_of([], np.ones(len(bands), np.bool_)))])
    if ordered:
        error, change = covariance.error(0), float(sums.values[0])
        reach = error.reach(alpha) if error.error > 0 else math.nan
        p_value = error.p_value(change if abs(change) > _NOTHING else 0.0, covariance.units)
        return TrendRecord(change=change, low=change - reach, high=change + reach, p_value=p_value)
    pairs = list(combinations(range(len(places)), 2))
    p_values = []
    for one, other in pairs:
        error = covariance.error(one, other, largest=len(pairs) > 1)
        p_values.append(error.p_value(float(sums.values[one] - sums.values[other]), covariance.units))
    return TrendRecord(p_value=LargestDifference(covariance.matrix, pairs).adjusted(min(p_values)))


def weighed_bands(parts: Sequence[Estimates], bands: NDArray[np.int64], weights: NDArray[np.float64]) -> Estimates:
    """Return weighted sums (rows of weights) of one model's values in bands, which have no item in common."""
    members = [np.flatnonzero(bands == band) for band in np.unique(bands)]
    influence, classes = np.zeros((len(parts), len(bands))), np.zeros(len(bands), np.int64)
    for at, (part, items) in enumerate(zip(parts, members, strict=True)):
        influence[at, items] = part.influence[0] * (len(bands) / len(items))
        classes[items] = 2 * at + part.classes

    def without(groups: Groups) -> NDArray[np.float64]:
        rest = []
        for part, items in zip(parts, members, strict=True):
            inside = np.isin(groups.item, items)
            numbers = np.searchsorted(items, groups.item[inside])
            rest.append(part.without(Groups(groups.group[inside], numbers, groups.number))[0])
        return np.asarray(weights @ np.array(rest))

    values = np.array([part.values[0] for part in parts])
    return Estimates(weights @ values, weights @ influence, classes, without)


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
    trait = property_of(options, inputs.terminology)
    sets, skipped = {}, {}
    with track("Dividing sets", total=sum(scored.sets[name].pairs for name in names), unit="pairs") as advance:
        for name in names:
            try:
                pairs = _with_ratings(scored, name, options.ratings)
                prepared = scored_set(scored, name, pairs, models, options.statistic)
                sets[name] = measured_set(trait, prepared, options.bands, scored.testing)
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
    terms = pairs.frame.select("term_1", "term_2").to_dict(as_series=False)
    return replace(pairs, ratings=scored.ratings(name) if table is None else ratings_of(table, terms))
