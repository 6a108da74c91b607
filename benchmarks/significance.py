"""Significance and category overlap: all comparisons of 23 models beside SciPy's BCa bootstrap, one at a time.

SciPy would need the better part of an hour for all comparisons, so it is timed on a few of them and multiplied: the
comparisons are alike, and the rows say so. It gets its fastest form, a statistic that ranks all resamples in one call.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.measure import Measurement, Row, below, duration, faster, measured, noted, print_table, quick

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from termgauge.statistics.bootstrap import Interval

MODELS, PAIRS, RESAMPLES = 23, 566, 10_000
TIMED_COMPARISONS = 2
LENGTHS = (1_000, 10_000, 100_000)
RESAMPLES_OF_LENGTHS = 200
CATEGORIES, DIMENSIONS = (2_000, 3_000, 30_000), 200

HERE = "benchmarks.significance"
KERNEL = ["termgauge.statistics.bootstrap", "termgauge.statistics.resample_kernels"]


def main() -> None:
    """Print what comparisons and categories cost."""
    resamples = 1_000 if quick() else RESAMPLES
    print_table(
        f"BCa intervals of all {math.comb(MODELS, 2)} differences between {MODELS} models, {PAIRS} pairs, "
        f"{resamples:,} resamples",
        comparison_rows(resamples),
        theirs="SciPy",
    )
    lengths = LENGTHS[:2] if quick() else LENGTHS
    print_table(
        f"Rho of {MODELS} models in {RESAMPLES_OF_LENGTHS} shared resamples, and without each pair, by number of pairs",
        length_rows(lengths),
        theirs="",
    )
    sizes = (200, 300, 3_000) if quick() else CATEGORIES
    print_table(f"Category overlap, {DIMENSIONS} dimensions", category_rows(sizes), theirs="")


def comparison_rows(resamples: int) -> list[Row]:
    """Measure all comparisons, and some of them with SciPy."""
    comparisons = math.comb(MODELS, 2)
    measured(f"{HERE}:compare_ours", MODELS, 50, 10)  # compiles the kernels, which are then kept on disk
    ours = measured(f"{HERE}:compare_ours", MODELS, PAIRS, resamples, imports=KERNEL, repeat=3)
    theirs = measured(f"{HERE}:compare_with_scipy", PAIRS, resamples, TIMED_COMPARISONS, imports=["scipy.stats"])
    for one, other in zip(ours.result[:TIMED_COMPARISONS], theirs.result, strict=True):
        if not np.allclose(one, other, atol=1e-9):
            raise RuntimeError(f"The intervals differ though the resamples are the same: {one}, {other}.")
    whole = extrapolated(theirs, comparisons / TIMED_COMPARISONS)
    return [
        replace(
            faster("all comparisons", ours, whole, at_least=40),
            theirs=f"{duration(whole.seconds)} ({TIMED_COMPARISONS} timed, x {comparisons / TIMED_COMPARISONS:g})",
        ),
        noted(f"SciPy, {TIMED_COMPARISONS} comparisons as timed", "same intervals", str(theirs)),
    ]


def length_rows(lengths: tuple[int, ...]) -> list[Row]:
    """Measure sets of growing size: the resampling alone, with the kernels loaded, the quickest of three runs."""
    rows = []
    for n in lengths:
        seconds = measured(f"{HERE}:resample_ours", MODELS, n, RESAMPLES_OF_LENGTHS, imports=KERNEL).result
        each = seconds / (n * RESAMPLES_OF_LENGTHS * MODELS)
        rows.append(noted(f"{n:,} pairs", duration(seconds), f"{each * 1e9:.1f} ns a pair, model and resample"))
    return rows


def category_rows(sizes: tuple[int, int, int]) -> list[Row]:
    """Measure the overlap of three categories."""
    found = measured(f"{HERE}:overlap_ours", *sizes, DIMENSIONS, imports=["termgauge.tasks.categories.result"])
    what = " x ".join(f"{size:,}" for size in sizes)
    return [
        below(f"{what} terms ({math.prod(sizes):,} triples)", found.seconds, 60, "s"),
        noted("peak memory", f"{found.peak_mb:,.0f} MB"),
    ]


def extrapolated(measurement: Measurement, times: float) -> Measurement:
    """Return what the work would take if it were that many times as much."""
    return replace(measurement, seconds=measurement.seconds * times)


def simulated(models: int, pairs: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return scores of models, and ratings with ties as people give them."""
    generator = np.random.default_rng(1)
    gold = np.round(generator.normal(500, 200, pairs) / 5) * 5
    noise = generator.normal(0, 250, (models, pairs)) + generator.normal(0, 150, pairs)
    return gold + noise, gold


def compare_ours(models: int, pairs: int, resamples: int) -> list[Interval]:
    """Compare all models; return the intervals in the order of the pairs."""
    from termgauge.statistics.bootstrap import resampled_rhos

    rhos = resampled_rhos(*simulated(models, pairs), resamples)
    level = 0.05 / math.comb(models, 2)
    return [rhos.difference(one, other).interval(level) for one, other in combinations(range(models), 2)]


def resample_ours(models: int, pairs: int, resamples: int) -> float:
    """Return the seconds that the resamples and left-out items of all models take."""
    import time

    from termgauge.statistics.bootstrap import resampled_rhos

    resampled_rhos(*simulated(models, 50), 10)
    scores, gold = simulated(models, pairs)
    times = []
    for _ in range(3):
        began = time.perf_counter()
        resampled_rhos(scores, gold, resamples)
        times.append(time.perf_counter() - began)
    return min(times)


def compare_with_scipy(pairs: int, resamples: int, comparisons: int) -> list[tuple[float, float]]:
    """Compare the first model with the next ones, as one would with SciPy alone."""
    from scipy import stats

    from termgauge.statistics.bootstrap import SEED

    def rho(ranks: NDArray[np.float64], gold: NDArray[np.float64]) -> NDArray[np.float64]:
        ranks, gold = (r - r.mean(axis=-1, keepdims=True) for r in (ranks, gold))
        squares = np.sum(ranks * ranks, axis=-1) * np.sum(gold * gold, axis=-1)
        found: NDArray[np.float64] = np.sum(ranks * gold, axis=-1) / np.sqrt(squares)
        return found

    def difference(
        one: NDArray[np.float64], other: NDArray[np.float64], gold: NDArray[np.float64], axis: int = -1
    ) -> NDArray[np.float64]:
        ranks = [stats.rankdata(values, axis=axis) for values in (one, other, gold)]
        return rho(ranks[0], ranks[2]) - rho(ranks[1], ranks[2])

    scores, gold = simulated(MODELS, pairs)
    intervals = []
    for other in range(1, comparisons + 1):
        found = stats.bootstrap(
            (scores[0], scores[other], gold),
            difference,
            paired=True,
            vectorized=True,
            n_resamples=resamples,
            batch=1000,
            confidence_level=1 - 0.05 / math.comb(MODELS, 2),
            method="BCa",
            rng=np.random.default_rng(SEED),
        ).confidence_interval
        intervals.append((float(found.low), float(found.high)))
    return intervals


def overlap_ours(size_a: int, size_b: int, size_c: int, dimensions: int) -> float:
    """Return the overlap of three clouds of vectors."""
    from termgauge.tasks.categories.result import cosine_separation

    generator = np.random.default_rng(2)
    common, close = generator.normal(0, 1, (2, dimensions)).astype(np.float32)
    clouds = [generator.normal(0, 2, (size, dimensions)).astype(np.float32) for size in (size_a, size_b, size_c)]
    parts = clouds[0] + common + close, clouds[1] + common + close, clouds[2] + common
    return cosine_separation(*parts).overlap


if __name__ == "__main__":
    main()
