"""Which differences of F between models are real, and how far F itself can be trusted.

Two things vary: which sentences a corpus happens to have, and how a network happens to be trained. The score of a model
is the mean F of its trials.

- **Over sentences**: the networks are as they are. Sentences are resampled, the same ones for all models. Intervals are
  BCa, for F is a ratio, and biased and skewed a little. Where two models differ in fewer than a hundred sentences, BCa
  intervals are too short: there the spread of the resamples is taken as the error of a Student's t.
- **Over trials, too**: would the difference be there with other sentences, and if all networks were trained anew? Three
  trials cannot be resampled: one resample in nine would be the same trial three times, and the variance too small by a
  third. So the variance between trials is added to that of the resamples, and Student's distribution, with the degrees
  of freedom of Welch and Satterthwaite, allows for how little three trials say about it. What trials do differently in
  single sentences is in both variances, and is taken off once.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.exceptions import TermgaugeError
from termgauge.progress import track
from termgauge.statistics.bootstrap import SEED, UNDEFINED, Bca, Interval, resampled, resamples_for
from termgauge.statistics.inputs import corrected_level
from termgauge.statistics.resample_kernels import SUM_NANOSECONDS, resampled_sums
from termgauge.statistics.significance import corrected_differences
from termgauge.statistics.student import Mean
from termgauge.tasks.results import DifferenceRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


class FResamples(NamedTuple):
    """F of several networks."""

    estimates: NDArray[np.float64]
    """On all sentences."""
    replicates: NDArray[np.float64]
    """Networks x resamples."""
    left_out: NDArray[np.float64]
    """Networks x sentences: without that sentence."""


def resample_f(counts: NDArray[np.int32], resamples: int, seed: int) -> FResamples:
    """Return the F of networks in resamples of sentences, and with each sentence left out.

    `counts` are networks x sentences x 3: what is right, predicted and in the gold standard. The same seed gives the
    same resamples, whatever the number of processors.
    """
    right = counts[:, :, 0].astype(np.int64)
    totals = counts[:, :, 1].astype(np.int64) + counts[:, :, 2]
    rows = np.ascontiguousarray(np.concatenate([right, totals]).T, np.int32)
    networks, sentences = right.shape
    replicates = np.empty((resamples, networks))
    generator, takes = np.random.default_rng(seed), SUM_NANOSECONDS * rows.shape[1]
    with track("Resampling sentences", total=resamples, unit="resamples") as advance:
        for these, sums in resampled(resampled_sums, {"rows": rows}, sentences, resamples, generator, takes):
            replicates[these] = _f(sums[:, :networks], sums[:, networks:])
            advance(len(sums))
    all_right, all_found = right.sum(axis=1, keepdims=True), totals.sum(axis=1, keepdims=True)
    return FResamples(_f(all_right, all_found)[:, 0], replicates.T, _f(all_right - right, all_found - totals))


def _f(right: NDArray[np.int64], totals: NDArray[np.int64]) -> NDArray[np.float64]:
    return 2 * right / np.maximum(totals, 1)


MANY = 100
"""In how many sentences two models must differ for BCa intervals to be long enough."""


class TestedF(NamedTuple):
    """The score of a model: the mean F of its trials, with intervals at level 1 - alpha that are not corrected."""

    model: str
    f: float
    f_sd: float
    """The sample standard deviation over trials; NaN for one trial."""
    trials: tuple[float, ...]
    over_sentences: Interval
    """Of these very networks on other sentences."""
    over_trials: Interval
    """With other sentences, and trained anew; undefined for one trial."""


class TestedModels(NamedTuple):
    """All models on one corpus, and all differences between two of them, with intervals at the corrected level."""

    models: tuple[TestedF, ...]
    over_sentences: tuple[DifferenceRecord, ...]
    over_trials: tuple[DifferenceRecord, ...]
    """Of the models that have at least two trials."""
    resamples: int


def compare_models(
    names: Sequence[str],
    counts: Sequence[Sequence[NDArray[np.int32]]],
    *,
    alpha: float = 0.05,
    correction: str = "bonferroni",
    resamples: int | None = None,
    seed: int = SEED,
) -> TestedModels:
    """Compare all models on one corpus with each other.

    `counts` has for each model and trial an array of sentences x 3, in the order of the corpus: how many entities are
    right, predicted and in the gold standard. `alpha` is the chance of any false claim among all comparisons.
    """
    sizes = {len(trial) for trials in counts for trial in trials}
    if len(names) != len(counts) or not all(counts) or len(sizes) != 1 or 0 in sizes:
        raise TermgaugeError("Models are compared by trials on the same sentences; give each model at least one trial.")
    stacked = np.stack([trial for trials in counts for trial in trials])
    both = list(combinations(range(len(names)), 2))
    repeated = [pair for pair in both if min(len(counts[number]) for number in pair) > 1]
    resamples = resamples or resamples_for(corrected_level(alpha, len(both), correction))
    models = _Models(stacked, [len(trials) for trials in counts], resamples, seed)
    scores = tuple(models.score(number, name, alpha) for number, name in enumerate(names))

    def tested(
        pairs: Sequence[tuple[int, int]], compare: Callable[[int, int], Bca | Mean]
    ) -> tuple[DifferenceRecord, ...]:
        level = corrected_level(alpha, len(pairs), correction)
        tests = [(one, other, compare(one, other)) for one, other in pairs]
        differences = [
            (names[one], names[other], scores[one].f - scores[other].f, test.interval(level), test.p_value())
            for one, other, test in tests
        ]
        corrected = corrected_differences(differences, alpha=alpha, correction=correction)
        return tuple(DifferenceRecord.model_validate(difference.as_dict()) for difference in corrected)

    return TestedModels(scores, tested(both, models.over_sentences), tested(repeated, models.over_trials), resamples)


class _Models:
    """The scores of models, and of each of their trials, in the resamples."""

    def __init__(self, counts: NDArray[np.int32], trials: Sequence[int], resamples: int, seed: int) -> None:
        result = resample_f(counts, resamples, seed)
        last = np.cumsum(trials)
        slices = [slice(end - size, end) for end, size in zip(last, trials, strict=True)]
        self._counts = [counts[part] for part in slices]
        self._trials = [result.estimates[part] for part in slices]
        self._estimates = np.array([estimates.mean() for estimates in self._trials])
        self._replicates = np.array([result.replicates[part].mean(axis=0) for part in slices])
        self._left_out = np.array([result.left_out[part].mean(axis=0) for part in slices])
        self._variances = [
            _between(result.estimates[part], result.replicates[part] - replicate)
            for part, replicate in zip(slices, self._replicates, strict=True)
        ]

    def over_sentences(self, one: int, other: int) -> Bca | Mean:
        """Return the distribution of a difference over resamples of sentences."""
        bca = self._resampled(one, other)
        return bca if bca.items >= MANY else _student(bca)

    def over_trials(self, one: int, other: int | None = None) -> Mean:
        """Return a score, or a difference, with its error over sentences and trials."""
        over_sentences = _student(self._resampled(one, other))
        variance = over_sentences.error**2
        uncertain = variance**2 / over_sentences.freedom
        for model in [one] if other is None else [one, other]:
            size = len(self._trials[model])
            whole, in_sentences = self._variances[model]
            variance += max(0.0, whole - in_sentences) / size
            uncertain += (whole / size) ** 2 / (size - 1)
        freedom = max(1.0, variance**2 / uncertain) if uncertain else math.inf
        return over_sentences._replace(error=math.sqrt(variance), freedom=freedom)

    def _resampled(self, one: int, other: int | None) -> Bca:
        """Return a score, or a difference, in the resamples."""
        estimate, replicates, left_out = (
            values[one] if other is None else values[one] - values[other]
            for values in (self._estimates, self._replicates, self._left_out)
        )
        return replace(Bca.from_replicates(float(estimate), replicates, left_out), items=self._differing(one, other))

    def score(self, model: int, name: str, alpha: float) -> TestedF:
        """Return the score of a model."""
        trials, bca = self._trials[model], self._resampled(model, None)
        several = len(trials) > 1
        return TestedF(
            name,
            float(self._estimates[model]),
            float(trials.std(ddof=1)) if several else math.nan,
            tuple(trials.tolist()),
            bca.interval(alpha) if bca.items >= MANY else _student(bca).share_interval(alpha),
            self.over_trials(model).share_interval(alpha) if several else UNDEFINED,
        )

    def _differing(self, one: int, other: int | None) -> int:
        """Return in how many sentences two models differ, or in how many there is anything to be found."""
        mine = self._counts[one].mean(axis=0)
        return int(np.any(mine != (0 if other is None else self._counts[other].mean(axis=0)), axis=1).sum())


def _student(bca: Bca) -> Mean:
    """Return what resamples say as an estimate with its standard error."""
    size = max(2, bca.items)
    return Mean(bca.estimate, float(bca.replicates.std()) * math.sqrt(size / (size - 1)), size - 1.0, bca.items)


def _between(trials: NDArray[np.float64], apart: NDArray[np.float64]) -> tuple[float, float]:
    """Return the variance of one trial's F, and the part of it that comes from what trials do in single sentences.

    `apart` is how far each trial is from the mean of all, in each resample.
    """
    size = len(trials)
    if size == 1:
        return 0.0, 0.0
    return float(trials.var(ddof=1)), float(apart.var(axis=1).sum() / (size - 1))
