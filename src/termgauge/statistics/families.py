"""Families of comparisons: the largest of many correlated differences (max-T), who could be the best (Hsu 1981)."""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from termgauge.statistics import normal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from termgauge.statistics.covariance import Covariance

DRAWS = 1 << 16
SEED = 42
_FEW = 50
"""Draws below which a share of them says less than Bonferroni's bound."""


@lru_cache(maxsize=1)
def _normal_draws(models: int) -> NDArray[np.float64]:
    """Return independent normal numbers (models x draws), the same for each set."""
    return np.ascontiguousarray(np.random.default_rng(SEED).standard_normal((DRAWS, models)).T)


def _contrasts(covariance: NDArray[np.float64], pairs: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """Return what makes independent normal numbers standardised differences of models that are all alike."""
    roots, vectors = np.linalg.eigh(covariance)
    loadings = vectors * np.sqrt(np.clip(roots, 0.0, None))
    contrasts = np.array([loadings[one] - loadings[other] for one, other in pairs]).reshape(len(pairs), len(covariance))
    lengths = np.linalg.norm(contrasts, axis=1, keepdims=True)
    return np.asarray(np.divide(contrasts, lengths, out=np.zeros_like(contrasts), where=lengths > 0))


class LargestDifference:
    """The distribution of the largest standardised difference among models that are all alike."""

    def __init__(self, covariance: NDArray[np.float64], pairs: Sequence[tuple[int, int]]) -> None:
        self._count = len(pairs)
        self._loadings = _contrasts(covariance, pairs)

    @cached_property
    def _largest(self) -> NDArray[np.float64]:
        drawn, step = _normal_draws(self._loadings.shape[1]), max(1, 4_000_000 // self._count)
        parts = (np.abs(self._loadings @ drawn[:, start : start + step]) for start in range(0, DRAWS, step))
        return np.sort(np.concatenate([part.max(axis=0) for part in parts]))

    def level(self, alpha: float) -> float:
        """Return the level of each interval at which all of them hold together with probability 1 - alpha."""
        if self._count <= 1:
            return alpha
        return normal.two_sided(float(self._largest[math.ceil((1 - alpha) * DRAWS) - 1]))

    def adjusted(self, p_value: float) -> float:
        """Return the chance that any of the differences is as unlikely as this one."""
        if self._count <= 1 or math.isnan(p_value):
            return p_value
        bound = min(1.0, self._count * p_value)
        z = normal.quantile(1 - p_value / 2) if p_value > 1e-15 else math.inf
        beyond = DRAWS - int(np.searchsorted(self._largest, z, "left"))
        return bound if beyond < _FEW else min(bound, beyond / DRAWS)


def best_candidates(values: NDArray[np.float64], covariance: Covariance, alpha: float) -> NDArray[np.bool_]:
    """Say which models could be the best: those not clearly below a rival (one-sided max-T over its rivals)."""
    models = range(len(values))
    drawn = _normal_draws(len(values))[:, : DRAWS // 4]
    candidates = np.ones(len(values), np.bool_)
    for model in models if len(values) > 1 else ():
        rivals = [rival for rival in models if rival != model]
        largest = (_contrasts(covariance.matrix, [(rival, model) for rival in rivals]) @ drawn).max(axis=0)
        critical = float(np.quantile(largest, 1 - alpha))
        for rival in rivals:
            ahead, error = float(values[rival] - values[model]), covariance.error(rival, model).error
            if ahead > 0 and not ahead <= critical * error and not math.isnan(error):
                candidates[model] = False
    return candidates
