"""All analogies between the pairs of a relation, beside gensim's ``most_similar`` called for each analogy.

gensim answers a sample of the analogies, in the same process and on the same vectors; the answers must be the same.
The time of an analogy depends on how far down the right answer ranks: where pairs are unrelated, nearly all fail at
once; where all of them hold, every word must be looked at, which is the most work there can be.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Row, below, measured, noted, print_table, quick

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WIDTH = 200
WORDS, PAIRS = 100_000, 1_000
QUICK_WORDS, QUICK_PAIRS = 5_000, 60
MANY_WORDS, FEW_PAIRS = 2_000_000, 400
QUICK_MANY_WORDS = 20_000
ASKED, QUICK_ASKED = 300, 40
K = 10

AT_LEAST = 1_000
MOST_SECONDS, MOST_MB = 300, 6_000

HERE = "benchmarks.analogies"
IMPORTS = ["termgauge.evaluation.analogy_search", "gensim.models"]
KINDS = {
    "unrelated pairs": None,
    "related pairs": 3.0,
    "pairs of which nearly all analogies hold": 1.0,
}
"""How far each pair's difference is from the common one, in the length of that; None for no common one."""


def main() -> None:
    """Print what analogies cost."""
    words, pairs, asked = (QUICK_WORDS, QUICK_PAIRS, QUICK_ASKED) if quick() else (WORDS, PAIRS, ASKED)
    rows = [row for kind in KINDS for row in gensim_rows(kind, words, pairs, asked)]
    title = (
        f"3CosAdd, {words:,} words of {WIDTH} dimensions, {pairs:,} pairs, {pairs * (pairs - 1):,} analogies, k = {K}"
    )
    print_table(title, rows, theirs="gensim")
    words, pairs = (QUICK_MANY_WORDS, QUICK_PAIRS) if quick() else (MANY_WORDS, FEW_PAIRS)
    rows = [row for kind in KINDS for row in size_rows(kind, words, pairs)]
    print_table(f"{words:,} words, {pairs:,} pairs, {pairs * (pairs - 1):,} analogies", rows, theirs="")


def gensim_rows(kind: str, words: int, pairs: int, asked: int) -> list[Row]:
    """Measure both sides on the same vectors, and hold the answers against each other."""
    rows = []
    for method in ("add", "mul", "direction") if kind == "related pairs" else ("add",):
        found = measured(f"{HERE}:beside_gensim", kind, words, pairs, asked, method, imports=IMPORTS).result
        share = f"{found['held']:.1%} hold"
        if method != "add":
            rows.append(noted(f"{kind}, {method}, an analogy; {share}", _short(found["ours"])))
            continue
        if found["different"]:
            raise RuntimeError(f"{found['different']} of {asked} answers differ from gensim's.")
        ratio = found["theirs"] / found["ours"]
        times = _short(found["ours"]), _short(found["theirs"])
        rows.append(
            Row(f"{kind}, an analogy; {share}, same answers", *times, ratio, f"≥ {AT_LEAST:,} ×", ratio >= AT_LEAST)
        )
    return rows


def size_rows(kind: str, words: int, pairs: int) -> list[Row]:
    """Measure a large vocabulary."""
    found = measured(f"{HERE}:beside_gensim", kind, words, pairs, 0, "add", imports=IMPORTS)
    return [
        below(f"{kind} ({found.result['held']:.1%} hold): time", found.result["seconds"], MOST_SECONDS, "s"),
        below(f"{kind}: peak memory, vectors included", found.peak_mb, MOST_MB, "MB"),
    ]


def beside_gensim(kind: str, words: int, pairs: int, asked: int, method: str) -> dict[str, Any]:
    """Return seconds of an analogy on either side, which share holds, and how many answers differ."""
    import numpy as np

    from termgauge.evaluation.analogy_search import Method, Vectors, beaters

    matrix, x, y = _pairs(words, pairs, KINDS[kind])
    way: Method = method  # type: ignore[assignment]
    few = Vectors.of(matrix[:500])
    list(beaters(few, x[:3] % 500, y[:3] % 500, K, method=way))  # compiled, or read from the cache, before the clock
    began = time.perf_counter()
    counts = np.concatenate([part for _, part in beaters(Vectors.of(matrix), x, y, K, method=way)])
    seconds = time.perf_counter() - began
    analogies = pairs * (pairs - 1)
    found = {"seconds": seconds, "ours": seconds / analogies, "held": int((counts < K).sum()) / analogies}
    if asked and method == "add":
        found |= _gensim(matrix, x, y, counts < K, asked)
    return found


def _short(seconds: float) -> str:
    """Return the time of one analogy, which may be less than a thousandth of a millisecond."""
    return f"{1e6 * seconds:,.2f} µs"


def _gensim(
    matrix: NDArray[np.float32], x: NDArray[np.int64], y: NDArray[np.int64], holds: NDArray[np.bool_], asked: int
) -> dict[str, Any]:
    import numpy as np
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(matrix.shape[1])
    vectors.add_vectors([str(row) for row in range(len(matrix))], matrix)
    vectors.fill_norms()
    generator = np.random.default_rng(1)
    # Half of those asked hold, if so many do: it is they that could differ.
    right = np.argwhere(holds)
    chosen = right[generator.permutation(len(right))[: asked // 2]].tolist()
    while len(chosen) < asked:
        h, j = generator.integers(0, len(x), 2).tolist()
        if h != j:
            chosen.append([h, j])
    began = time.perf_counter()
    answers = [vectors.most_similar(positive=[str(x[h]), str(y[j])], negative=[str(y[h])], topn=K) for h, j in chosen]
    seconds = time.perf_counter() - began
    different = sum(
        bool(holds[h, j]) != (str(x[j]) in [word for word, _ in best])
        for (h, j), best in zip(chosen, answers, strict=True)
    )
    return {"theirs": seconds / asked, "different": different}


def _pairs(
    words: int, pairs: int, noise: float | None
) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
    """Return vectors, and pairs whose difference is a common one but for noise."""
    import numpy as np

    generator = np.random.default_rng(0)
    matrix = generator.standard_normal((words, WIDTH), np.float32)
    x, y = generator.permutation(words)[: 2 * pairs].reshape(2, pairs)
    if noise is not None:
        common = generator.standard_normal(WIDTH, np.float32)
        matrix[x] = matrix[y] + common + np.float32(noise) * generator.standard_normal((pairs, WIDTH), np.float32)
    return matrix, x, y
