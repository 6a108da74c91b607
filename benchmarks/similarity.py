"""Similarity of term pairs: each coefficient beside SciPy called pair by pair, then all ten measures at full size.

Both sides score the same pairs of the same vectors and must agree. SciPy's time per pair is that of the first few
thousand pairs, since all would take minutes.
"""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Row, below, duration, measured, noted, print_table, quick

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WIDTH = 200
VECTORS, QUICK_VECTORS = 50_000, 2_000
PAIRS, QUICK_PAIRS = 200_000, 10_000
SCIPY_PAIRS, QUICK_SCIPY_PAIRS = 3_000, 300
TERM_PAIRS, QUICK_TERM_PAIRS = 700_000, 20_000
WORDS, QUICK_WORDS = 100_000, 5_000
MOST_WORDS = 7

AT_LEAST = {"pearson": 100, "spearman": 100, "kendall": 40}
MOST_SECONDS, MOST_MB = 300, 4_000

HERE = "benchmarks.similarity"
IMPORTS = ["termgauge.similarity.kernels"]


def main() -> None:
    """Print what scoring costs."""
    vectors, pairs, theirs = (
        (QUICK_VECTORS, QUICK_PAIRS, QUICK_SCIPY_PAIRS) if quick() else (VECTORS, PAIRS, SCIPY_PAIRS)
    )
    rows = [coefficient_row(name, vectors, pairs, theirs, kind) for name in AT_LEAST for kind in ("float32", "float64")]
    print_table(
        f"Pairs per second, {vectors:,} vectors of {WIDTH} dimensions, {pairs:,} pairs (SciPy: one call for each pair)",
        rows,
        theirs="SciPy",
    )
    pairs, words = (QUICK_TERM_PAIRS, QUICK_WORDS) if quick() else (TERM_PAIRS, WORDS)
    print_table(f"All ten measures, {pairs:,} pairs of terms, {WIDTH} dimensions", size_rows(pairs, words), theirs="")


def coefficient_row(name: str, vectors: int, pairs: int, their_pairs: int, kind: str) -> Row:
    """Measure one coefficient on both sides, in one process, and hold the results against each other."""
    found = measured(f"{HERE}:beside_scipy", name, vectors, pairs, their_pairs, kind, imports=[*IMPORTS, "scipy.stats"])
    ours, theirs, difference = found.result
    if not difference < (1e-9 if kind == "float64" else 1e-5):
        raise RuntimeError(f"{name} in {kind} differs from SciPy's by {difference}.")
    ratio = ours / theirs
    target = AT_LEAST[name]
    rates = (f"{ours:,.0f} pairs/s", f"{theirs:,.0f} pairs/s")
    return Row(f"{name}, {kind}", *rates, ratio, f"≥ {target} ×", ratio >= target)


def size_rows(pairs: int, words: int) -> list[Row]:
    """Measure all measures of words at once; each term occurs in one pair only, which is the most work there can be."""
    rows = []
    for kind in ("float32", "float64"):
        found = measured(f"{HERE}:score_all", pairs, words, kind, imports=IMPORTS)
        seconds = found.result["seconds"]
        slowest = sorted(found.result["each"].items(), key=lambda item: -item[1])[:3]
        shares = ", ".join(f"{name} {duration(taken)}" for name, taken in slowest)
        rows += [
            below(f"{kind}: time", seconds, MOST_SECONDS, "s"),
            below(f"{kind}: peak memory, vectors and pairs included", found.peak_mb, MOST_MB, "MB"),
            noted(f"{kind}: slowest (ten times a tenth of the pairs)", shares),
        ]
    return rows


def beside_scipy(name: str, vectors: int, pairs: int, their_pairs: int, kind: str) -> tuple[float, float, float]:
    """Return our pairs per second, SciPy's, and the largest difference of a score."""
    import numpy as np
    from scipy import stats

    from termgauge.similarity.kernels import score_terms

    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((vectors, WIDTH), np.dtype(kind))
    first, second = rng.integers(0, vectors, (2, pairs))
    score_terms(matrix[:2], np.array([0]), np.array([1]), [name])  # compiled, or read from the cache, before the clock
    taken = []
    for _ in range(5):  # one call is so short that whatever else the machine does would show
        began = time.perf_counter()
        scores = score_terms(matrix, first, second, [name])[:, 0]
        taken.append(time.perf_counter() - began)
    ours = pairs / statistics.median(taken)
    function: Any = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[name]
    began = time.perf_counter()
    expected = [
        function(matrix[i], matrix[j]).statistic
        for i, j in zip(first[:their_pairs].tolist(), second[:their_pairs].tolist(), strict=True)
    ]
    theirs = their_pairs / (time.perf_counter() - began)
    # What SciPy computes in single precision is checked in double: its own rounding is not ours.
    wide = matrix.astype(np.float64)
    checked = [function(wide[i], wide[j]).statistic for i, j in zip(first[:100], second[:100], strict=True)]
    if not np.allclose(expected[:100], checked, atol=1e-4):
        raise RuntimeError("SciPy does not agree with itself.")
    return ours, theirs, float(np.max(np.abs(scores[:100] - checked)))


def score_all(pairs: int, words: int, kind: str) -> dict[str, Any]:
    """Score all pairs by all measures; then each measure alone on a tenth of them, times ten."""
    import numpy as np

    from termgauge.similarity import measures_for
    from termgauge.similarity.kernels import score_words

    vectors, offsets, members = _terms(2 * pairs, words, kind)
    first, second = np.random.default_rng(1).permutation(2 * pairs).reshape(2, pairs)
    names = [measure.name for measure in measures_for("words")]
    one = np.zeros(1, np.int64)
    score_words(vectors[:1], np.array([0, 1]), one, one, one, names)
    began = time.perf_counter()
    scores = score_words(vectors, offsets, members, first, second, names)
    seconds = time.perf_counter() - began
    if np.isnan(scores).any():
        raise RuntimeError("A score is missing.")
    each = {}
    for name in names:
        began = time.perf_counter()
        score_words(vectors, offsets, members, first[: pairs // 10], second[: pairs // 10], [name])
        each[name] = 10 * (time.perf_counter() - began)
    return {"seconds": seconds, "each": each}


def _terms(count: int, words: int, kind: str) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """Return word vectors and terms of one to seven words; a few words are frequent, as in a real terminology."""
    import numpy as np

    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((words, WIDTH), np.dtype(kind))
    offsets = np.concatenate([[0], np.cumsum(rng.integers(1, MOST_WORDS + 1, count))])
    members = (words * rng.random(int(offsets[-1])) ** 3).astype(np.int64)
    return vectors, offsets, members
