"""F of networks as the one comparison takes it: the mean F of a model's trials, with documents as units.

Two things vary: which documents a corpus happens to have, and how a network happens to be trained. Sentences of one
document are alike, so documents are the units; where a corpus does not say where they begin, each sentence is one. The
variance between trials is added to that over documents, less what trials do differently in single sentences, which is
in both. The degrees of freedom of both allow for how little three trials say.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from termgauge.statistics.compare import SetOutcomes
from termgauge.statistics.covariance import NO_UNIT, Units
from termgauge.statistics.estimators import Estimates, ratio

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.statistics.estimators import Groups, Matrix


def outcomes_of(
    name: str,
    counts: Mapping[str, Sequence[NDArray[np.int32]]],
    documents: NDArray[np.int64] | None,
    *,
    first: int = 0,
    trained_anew: bool = False,
) -> SetOutcomes:
    """Return what networks found in the sentences of a corpus, whose documents are numbered from `first`, or not known.

    `counts` has for each model and trial how many entities of each sentence are right, predicted and in the gold
    standard (sentences x 3). `trained_anew` asks what there would be with networks that are trained anew.
    """
    values = {}
    for model, trials in counts.items():
        right, predicted, gold = np.moveaxis(np.stack(trials, axis=1).astype(np.float64), 2, 0)
        values[model] = np.stack([2 * right, predicted + gold], axis=2)
    sentences = len(next(iter(values.values())))
    numbers = first + (np.arange(sentences) if documents is None else documents)
    units = Units(numbers, np.full(sentences, NO_UNIT))
    estimator = partial(mean_f, trained_anew=trained_anew)
    return SetOutcomes(name, "ratio", units, np.zeros(0), values, label="F", estimator=estimator)


def mean_f(values: Matrix, _truth: Matrix, *, trained_anew: bool) -> Estimates:
    """Return the mean F of each model's trials.

    `values` are models x sentences x trials x 2: twice what is right, and what is predicted or in the gold standard.
    """
    models, sentences, trials, _ = values.shape
    above, below = np.moveaxis(values, (3, 2), (0, 2)).reshape(2, models * trials, sentences)
    networks = ratio(above, below)

    def of_trials(table: Matrix) -> Matrix:
        return table.reshape(models, trials, -1)

    def without(groups: Groups) -> Matrix:
        return np.asarray(of_trials(networks.without(groups)).mean(axis=1))

    found, influence = of_trials(networks.values)[:, :, 0], of_trials(networks.influence)
    training = None
    if trained_anew:
        between = found.var(axis=1, ddof=1)
        within = np.square(influence.std(axis=1, ddof=1) / sentences).sum(axis=1)
        uncertain = np.square(between / trials) / (trials - 1)
        training = np.stack([np.maximum(0.0, between - within) / trials, uncertain], axis=1)
    return Estimates(found.mean(axis=1), influence.mean(axis=1), np.zeros(sentences, np.int64), without, training)
