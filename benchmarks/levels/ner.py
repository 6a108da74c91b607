"""Do the tests of two models' F on named entities keep their level, and is a difference found where there is one?

Entities of a corpus are more or less easy, for everybody and for a model, and so are documents. A network finds an
entity if it is easy enough: a trial is better or worse as a whole, and better or worse at single entities. Where the
two models are alike but for that, they are equally good, and whatever is marked is an error. Beside the test stands
what comes out if networks are taken as they are, and if sentences are taken as independent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.levels import simulated
from termgauge.statistics.compare import compare
from termgauge.tasks.ner.measure import outcomes_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

SENTENCES = 12
"""Sentences of a document."""


class Case(NamedTuple):
    """What is simulated."""

    documents: int
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
        return f"{self.documents:5,} documents, {self.trials} trials: {self.whole:g}{more} + {self.single:g}{better}"


class Rates(NamedTuple):
    """In which share of repeats the difference is significant at 0.05."""

    difference: float
    """The mean difference of F."""
    marked: float
    """By the test that tables show: over documents, and trained anew."""
    networks: float
    """Of these very networks, over documents."""
    sentences: float
    """Where sentences are taken as independent."""


def rates(case: Case, repeats: int, seed: int = 42) -> Rates:
    """Simulate a case."""
    generator = np.random.default_rng(seed)
    found = np.array([_once(case, generator) for _ in range(repeats)])
    return Rates(*found.mean(axis=0).tolist())


def _once(case: Case, generator: np.random.Generator) -> tuple[float, bool, bool, bool]:
    documents = np.repeat(np.arange(case.documents), SENTENCES)
    counts = made_counts(case, documents, generator)
    alone = np.arange(len(documents))
    marked, networks, sentences = (
        compare([outcomes_of("made", counts, units, trained_anew=anew)]).sets[0].differences[0]
        for units, anew in ((documents, case.trials > 1), (documents, False), (alone, case.trials > 1))
    )
    return marked.value, marked.significant, networks.significant, sentences.significant


def made_counts(
    case: Case, documents: NDArray[np.int64], generator: np.random.Generator
) -> dict[str, list[NDArray[np.int32]]]:
    """Draw what the trials of two models find in each sentence."""
    count = len(documents)
    where = np.repeat(np.arange(count), generator.poisson(1.2, count))
    noise = np.repeat(np.arange(count), generator.poisson(0.4, count))
    hard = 0.5 * generator.normal(size=count) + 0.5 * generator.normal(size=case.documents)[documents]
    easy = hard[where] + generator.normal(size=len(where))
    misleading = generator.normal(size=len(noise)) - hard[noise]
    gold = np.bincount(where, minlength=count)
    counts = {}
    for name, whole, better in (("one", case.whole * case.other, case.better), ("other", case.whole, 0.0)):
        suits = 0.5 * generator.normal(size=case.documents)[documents]  # as far as documents suit one model
        own = suits[where] + 0.7 * generator.normal(size=len(easy))
        own_noise = 0.7 * generator.normal(size=len(misleading)) - suits[noise]
        trials = []
        for _ in range(case.trials):
            as_a_whole = better + whole * generator.normal()
            right = 1 + easy + own + as_a_whole + case.single * generator.normal(size=len(easy)) > 0
            wrong = misleading + own_noise + case.single * generator.normal(size=len(misleading)) > as_a_whole
            correct = np.bincount(where[right], minlength=count)
            predicted = correct + np.bincount(noise[wrong], minlength=count)
            trials.append(np.stack([correct, predicted, gold], axis=1).astype(np.int32))
        counts[name] = trials
    return counts


CASES = [
    *(Case(size, 3, whole, single) for size in (20, 100) for whole, single in ((0, 0.5), (0.1, 0.5), (0.3, 0.2))),
    Case(20, 1, 0, 0.5),
    Case(100, 1, 0, 0.5),
    Case(100, 2, 0.1, 0.5),
    Case(100, 5, 0.1, 0.5),
    Case(100, 10, 0.3, 0.2),
    Case(100, 3, 0.1, 0.5, other=4.0),
    *(Case(100, 3, 0.05, 0.5, better=better) for better in (0.15, 0.3)),
]


def main(repeats: int = 1000) -> None:
    """Print a line for each case."""
    heading = "Trials differ as a whole + at single entities"
    print(f"{heading:60} difference  marked  as trained  sentences alone")
    for case, found in simulated(rates, CASES, [repeats] * len(CASES)):
        print(
            f"{case!s:60} {100 * found.difference:10.2f}  {found.marked:6.3f}  {found.networks:10.3f}  "
            f"{found.sentences:15.3f}",
            flush=True,
        )
