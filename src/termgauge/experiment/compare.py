"""Which differences in a run are real: models on each set, and the measures of each model, on shared pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from termgauge.errors import TermgaugeError, warn
from termgauge.evaluation.power import smallest_detectable_difference
from termgauge.evaluation.results import shared_pairs, truth_of
from termgauge.evaluation.run_comparison import MeasureComparison, RunComparison, SetComparison
from termgauge.evaluation.scoring import default_measure
from termgauge.evaluation.significance import Comparison, compare_systems
from termgauge.experiment.evaluate import all_scores
from termgauge.experiment.run_folder import RunFolder, open_run
from termgauge.progress import track

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet

BEST, USUAL = "best", "usual"


def compare(
    run: str | os.PathLike[str] | RunFolder,
    *,
    alpha: float = 0.05,
    correction: str = "bonferroni",
    measure: str = USUAL,
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
        (each model's best on the set), or the name of one.
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
    opened = run if isinstance(run, RunFolder) else open_run(run)
    document = opened.document()
    for name in sets:
        opened.read_set(name)
    chosen = [name for name in document["sets"] if not sets or name in sets]
    of_models, of_measures = [], []
    with track("Comparing", total=len(chosen), unit="sets") as advance:
        for name in chosen:
            pairs, scores = opened.read_set(name), all_scores(opened, name)
            usable = shared_pairs(_with_any(scores, name), len(pairs))
            prepared = _Prepared(
                pairs, usable, {key: scores[key][usable] for key in _with_any(scores, name)}, alpha, correction
            )
            if prepared.comparable:
                of_models.append(prepared.models(document["models"], measure, power=power))
                if between_measures:
                    of_measures += prepared.measures()
            advance(1)
    if not of_models:
        raise TermgaugeError(f"{opened.path}: has no set on which its models can be compared.")
    return RunComparison(str(opened.path), tuple(of_models), tuple(of_measures))


def _with_any(
    scores: dict[tuple[str, str], NDArray[np.float64]], name: str
) -> dict[tuple[str, str], NDArray[np.float64]]:
    """Leave out models that score no pair of a set at all: with them no pair would be shared."""
    empty = sorted({model for (model, _measure), values in scores.items() if np.isnan(values).all()})
    if empty:
        warn(f"{name}: left out of the comparison, since they score no pair: {', '.join(empty)}.")
    return {key: values for key, values in scores.items() if key[0] not in empty}


@dataclass(frozen=True)
class _Prepared:
    """The scores of a set on the pairs that all models can score."""

    pairs: PairSet
    usable: NDArray[np.bool_]
    scores: dict[tuple[str, str], NDArray[np.float64]]
    alpha: float
    correction: str

    @property
    def truth(self) -> NDArray[np.float64]:
        return truth_of(self.pairs)[self.usable]

    @property
    def statistic(self) -> str:
        return "spearman" if self.pairs.graded else "accuracy"

    @property
    def comparable(self) -> bool:
        enough = len(np.unique(self.truth)) > 1 and bool(self.scores)
        if not enough:
            warn(f"{self.pairs.id}: cannot be compared: too few pairs are scored by all models.")
        return enough

    def models(self, known: dict[str, dict[str, str]], measure: str, *, power: bool) -> SetComparison:
        chosen = {}
        for model in dict.fromkeys(model for model, _measure in self.scores):
            own = [name for owner, name in self.scores if owner == model]
            chosen[model] = self._standing_for(model, own, known[model]["kind"], measure)
        matrix = np.array([self.scores[model, name] for model, name in chosen.items()])
        comparison = self._compared(list(chosen), matrix)
        detectable = None
        if power and len(chosen) > 0:
            detectable = smallest_detectable_difference(
                matrix, self.truth, statistic=self.statistic, level=comparison.level
            )
        return SetComparison(self.pairs.id, chosen, comparison, detectable)

    def measures(self) -> list[MeasureComparison]:
        found = []
        for model in dict.fromkeys(model for model, _measure in self.scores):
            own = [name for owner, name in self.scores if owner == model]
            if len(own) > 1:
                matrix = np.array([self.scores[model, name] for name in own])
                found.append(MeasureComparison(self.pairs.id, model, self._compared(own, matrix)))
        return found

    def _compared(self, names: list[str], matrix: NDArray[np.float64]) -> Comparison:
        return compare_systems(
            names, matrix, self.truth, statistic=self.statistic, alpha=self.alpha, correction=self.correction
        )

    def _standing_for(self, model: str, own: list[str], kind: str, measure: str) -> str:
        if measure == BEST:
            matrix = np.array([self.scores[model, name] for name in own])
            return own[self._compared(own, matrix).ranking[0]]
        wanted = default_measure(kind) if measure == USUAL else measure
        for name in (wanted, wanted.removeprefix("avg_"), f"avg_{wanted}"):
            if name in own:
                return name
        return own[0]
