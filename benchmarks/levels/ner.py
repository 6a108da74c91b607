"""Do the tests of two models' F on named entities keep their level, and is a difference found where there is one?

Entities of a corpus are more or less easy, for everybody and for a model. A network finds an entity if it is easy
enough: a trial is better or worse as a whole, and better or worse at single entities. Where the two models are alike
but for that, they are equally good, and whatever is marked is an error. Beside the two tests stands what resampling
trials as if they were sentences would give.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.levels import simulated
from termgauge.tasks.ner.differences import compare_models, resample_f

if TYPE_CHECKING:
    from numpy.typing import NDArray

RESAMPLES = 1000
_LEVEL = 0.05


class Case(NamedTuple):
    """What is simulated."""

    sentences: int
    trials: int
    whole: float
    """How far trials differ as a whole."""
    single: float
    """How far trials differ at single entities."""
    other: float = 1.0
    """How many times farther the trials of the second model differ as a whole."""
    better: float = 0.0
    """How much better the second model is."""

    def __str__(self) -> str:
        """Say what it is in one line."""
        more = f" (the other {self.other:g} x)" if self.other != 1 else ""
        better = f", better by {self.better:g}" if self.better else ""
        return f"{self.sentences:5,} sentences, {self.trials} trials: {self.whole:g}{more} + {self.single:g}{better}"


class Rates(NamedTuple):
    """In which share of repeats the difference is significant at 0.05."""

    difference: float
    """The mean difference of F."""
    over_sentences: float
    over_trials: float
    resampled_trials: float
    """Where trials are drawn with replacement as sentences are."""


def rates(case: Case, repeats: int, seed: int = 42) -> Rates:
    """Simulate a case."""
    generator = np.random.default_rng(seed)
    found = np.array([_once(case, generator) for _ in range(repeats)])
    return Rates(*found.mean(axis=0).tolist())


def _once(case: Case, generator: np.random.Generator) -> tuple[float, bool, bool, bool]:
    sizes = generator.poisson(1.2, case.sentences)
    where = np.repeat(np.arange(case.sentences), sizes)
    noise_sizes = generator.poisson(0.4, case.sentences)
    noise_where = np.repeat(np.arange(case.sentences), noise_sizes)
    # A sentence may be hard as a whole.
    hard = 0.5 * generator.normal(size=case.sentences)
    easy = hard[where] + generator.normal(size=len(where))
    misleading = generator.normal(size=len(noise_where)) - hard[noise_where]
    counts = []
    for whole, better in ((case.whole, 0.0), (case.whole * case.other, case.better)):
        own = 0.7 * generator.normal(size=len(easy))
        own_noise = 0.7 * generator.normal(size=len(misleading))
        trials = []
        for _ in range(case.trials):
            as_a_whole = better + whole * generator.normal()
            right = 1 + easy + own + as_a_whole + case.single * generator.normal(size=len(easy)) > 0
            wrong = misleading + own_noise + case.single * generator.normal(size=len(misleading)) > as_a_whole
            correct = np.bincount(where[right], minlength=case.sentences)
            predicted = correct + np.bincount(noise_where[wrong], minlength=case.sentences)
            trials.append(np.stack([correct, predicted, sizes], axis=1).astype(np.int32))
        counts.append(trials)
    drawn = int(generator.integers(1 << 31))
    tested = compare_models(["one", "other"], counts, resamples=RESAMPLES, seed=drawn)
    sentences, trials_too = tested.over_sentences[0], tested.over_trials[0]
    resampled = _resampled_trials(np.stack(counts[0] + counts[1]), case.trials, drawn)
    difference = sentences.difference or 0.0
    return -difference, sentences.significant, trials_too.significant, resampled


def _resampled_trials(counts: NDArray[np.int32], trials: int, seed: int) -> bool:
    """Say whether the interval of the difference excludes 0 if trials are drawn with replacement, too."""
    replicates = resample_f(counts, RESAMPLES, seed).replicates
    generator = np.random.default_rng(seed)
    means = [
        np.take_along_axis(each, generator.integers(0, trials, (trials, RESAMPLES)), 0).mean(axis=0)
        for each in (replicates[:trials], replicates[trials:])
    ]
    low, high = np.quantile(means[0] - means[1], [_LEVEL / 2, 1 - _LEVEL / 2])
    return bool(low > 0 or high < 0)


CASES = [
    *(Case(size, 3, whole, single) for size in (50, 200, 1000) for whole, single in ((0, 0.5), (0.1, 0.5), (0.3, 0.2))),
    Case(1000, 2, 0.1, 0.5),
    Case(1000, 5, 0.1, 0.5),
    Case(1000, 10, 0.3, 0.2),
    Case(1000, 3, 0.1, 0.5, other=4.0),
    *(Case(1000, 3, 0.05, 0.5, better=better) for better in (0.1, 0.2)),
]


def main(repeats: int = 1000) -> None:
    """Print a line for each case."""
    heading = "Trials differ as a whole + at single entities"
    print(f"{heading:62} difference  over sentences  over trials  trials resampled")
    for case, found in simulated(rates, CASES, [repeats] * len(CASES)):
        print(
            f"{case!s:62} {100 * found.difference:10.2f}  {found.over_sentences:14.3f}  {found.over_trials:11.3f}  "
            f"{found.resampled_trials:16.3f}",
            flush=True,
        )
