"""Which differences in a run are real: models on each set, and the measures of each model, on shared pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.experiment.evaluate import all_scores
from termgauge.experiment.run_folder import RunFolder, open_run
from termgauge.progress import track
from termgauge.similarity.measures import USUAL, checked_measure, standing_measure
from termgauge.statistics.corrections import checked_correction
from termgauge.statistics.inputs import checked_level
from termgauge.statistics.power import smallest_detectable_difference
from termgauge.statistics.significance import Comparison, compare_systems
from termgauge.tasks.pairs.results import scored_systems, shared_pairs, truth_of
from termgauge.tasks.pairs.run_comparison import MeasureComparison, RunComparison, SetComparison

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet

BEST = "best"
BINARY_STATISTICS = ("accuracy", "auc")


def compare(
    run: str | os.PathLike[str] | RunFolder,
    *,
    alpha: float = 0.05,
    correction: str = "bonferroni",
    measure: str = USUAL,
    statistic: str = "accuracy",
    sets: Sequence[str] = (),
    between_measures: bool = True,
    power: bool = True,
) -> RunComparison:
    """Compare the models of a run on each set, and the measures of each model.

    Parameters
    ----------
    run
        A run folder.
    alpha
        The chance of any false claim on a set.
    correction
        ``bonferroni``, ``holm`` or ``none``.
    measure
        The measure that stands for each model: ``usual`` (the cosine; of word vectors that of their means), ``best``
        (each model's best on the set), or the name of one (a model that lacks it has its usual one).
    statistic
        Of binary sets: ``accuracy`` at the best threshold (exact McNemar test) or ``auc`` (DeLong's test). Graded sets
        have Spearman's rho (BCa interval of the difference).
    sets
        Only these; all if none is named.
    between_measures
        Also compare the measures of each model.
    power
        Also find the smallest difference that each set could have shown.

    Raises
    ------
    TermgaugeError
        If there is no such run, or nothing to compare in it.
    """
    check_options(alpha, correction, measure, statistic)
    opened = open_run(run)
    document = opened.document()
    for name in sets:
        opened.read_set(name)
    chosen = [name for name in document["sets"] if not sets or name in sets]
    of_models: list[SetComparison] = []
    of_measures: list[MeasureComparison] = []
    total = sum(document["sets"][name]["pairs"] for name in chosen)
    with track("Comparing", total=total, unit="pairs") as advance:
        for name in chosen:
            found = compare_set(
                opened,
                document,
                name,
                alpha=alpha,
                correction=correction,
                measure=measure,
                statistic=statistic,
                between_measures=between_measures,
                power=power,
            )
            if found is not None:
                of_models.append(found[0])
                of_measures += found[1]
            advance(document["sets"][name]["pairs"])
    if not of_models:
        raise TermgaugeError(f"{opened.path}: has no set on which its models can be compared.")
    return RunComparison(str(opened.path), tuple(of_models), tuple(of_measures))


def compare_set(
    run: RunFolder,
    document: dict[str, Any],
    name: str,
    *,
    alpha: float,
    correction: str,
    measure: str,
    statistic: str,
    between_measures: bool = True,
    power: bool = True,
) -> tuple[SetComparison, list[MeasureComparison]] | None:
    """Compare the models of a run on one set, and the measures of each; None, and a warning, if that cannot be done.

    The options are those of :func:`compare`; `document` is the run's ``run.json``.

    Raises
    ------
    TermgaugeError
        If the set or some of its scores cannot be read.
    """
    check_options(alpha, correction, measure, statistic)
    prepared = _prepared(run, document, name, alpha, correction, statistic)
    if prepared is None:
        return None
    return prepared.models(document["models"], measure, power=power), prepared.measures() if between_measures else []


def check_options(alpha: float, correction: str, measure: str, statistic: str) -> None:
    """Check what :func:`compare` is asked to do.

    Raises
    ------
    TermgaugeError
        If an option is none that it knows.
    """
    checked_level(alpha)
    checked_correction(correction)
    checked_measure(measure, USUAL, BEST)
    if statistic not in BINARY_STATISTICS:
        raise TermgaugeError(
            f"The statistic of binary sets is one of {', '.join(BINARY_STATISTICS)}, not '{statistic}'."
            f"{did_you_mean(statistic, BINARY_STATISTICS)}"
        )


def _prepared(
    run: RunFolder, document: dict[str, Any], name: str, alpha: float, correction: str, statistic: str
) -> _Prepared | None:
    """Return a set with its scores; None, and a note, if nothing can be compared on it."""
    scores = all_scores(run, document, name)
    if not scores:
        warn(f"{name}: has no scores yet, and is left out.")
        return None
    pairs, scored = run.read_set(name), scored_systems(scores)
    usable = shared_pairs(scored, len(pairs))
    empty = dict.fromkeys(model for model, _measure in scores if all(model != other for other, _ in scored))
    if empty:
        warn(f"{name}: left out of the comparison, since they score no pair: {', '.join(empty)}.")
    truth = truth_of(pairs)[usable]
    if len(np.unique(truth)) < 2:
        what = "ratings" if pairs.graded else "labels"
        few = f"the {len(truth):,} pairs that all models can score do not have different {what}"
        if len(truth) < 2:
            few = f"there is {'only one' if len(truth) else 'no'} pair that all models can score"
        warn(f"{name}: cannot be compared, for {few}.")
        return None
    shared = {system: values[usable] for system, values in scored.items()}
    return _Prepared(pairs, truth, shared, alpha, correction, "spearman" if pairs.graded else statistic)


@dataclass(frozen=True)
class _Prepared:
    """The scores of a set on the pairs that all models can score."""

    pairs: PairSet
    truth: NDArray[np.float64]
    scores: dict[tuple[str, str], NDArray[np.float64]]
    alpha: float
    correction: str
    statistic: str

    @cached_property
    def owned(self) -> dict[str, list[str]]:
        """The measures of each model."""
        found: dict[str, list[str]] = {}
        for model, name in self.scores:
            found.setdefault(model, []).append(name)
        return found

    def models(self, known: dict[str, dict[str, str]], measure: str, *, power: bool) -> SetComparison:
        chosen = {model: self._standing_for(model, known[model]["kind"], measure) for model in self.owned}
        matrix = self._matrix(list(chosen.items()))
        comparison = self._compared(list(chosen), matrix)
        detectable = None
        varying = int((matrix.min(axis=1) < matrix.max(axis=1)).sum())
        if power and varying > 1:
            detectable = smallest_detectable_difference(
                matrix, self.truth, statistic=self.statistic, level=comparison.level
            )
        return SetComparison(self.pairs.id, chosen, comparison, detectable)

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
            names, matrix, self.truth, statistic=self.statistic, alpha=self.alpha, correction=self.correction
        )

    def _standing_for(self, model: str, kind: str, measure: str) -> str:
        own = self.owned[model]
        if measure == BEST:
            values = [self._value(self.scores[model, name]) for name in own]
            return own[int(np.argmax(np.nan_to_num(values, nan=-np.inf)))]
        return standing_measure(own, kind, measure) or own[0]

    def _value(self, scores: NDArray[np.float64]) -> float:
        from termgauge.statistics.correlation import spearman
        from termgauge.statistics.separation import auc, best_accuracy

        if self.statistic == "spearman":
            return spearman(scores, self.truth)
        return (auc if self.statistic == "auc" else best_accuracy)(scores, self.truth).value
