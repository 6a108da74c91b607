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
IMPORTS = ["termgauge.tasks.analogies.search", "gensim.models"]
KINDS = {
    "unrelated pairs": None,
    "related pairs": 3.0,
    "pairs of which nearly all analogies hold": 1.0,
}
"""How far each pair's difference is from the common one, in the length of that; None for no common one."""
PLURALS = "plurals in GloVe"


def main() -> None:
    """Print what analogies cost."""
    words, pairs, asked = (QUICK_WORDS, QUICK_PAIRS, QUICK_ASKED) if quick() else (WORDS, PAIRS, ASKED)
    rows = [row for kind in (*KINDS, PLURALS) for row in gensim_rows(kind, words, pairs, asked)]
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
        target = (f"≥ {AT_LEAST:,} ×", ratio >= AT_LEAST) if found["width"] == WIDTH else ("", None)
        rows.append(Row(f"{kind}, an analogy; {share}, same answers", *times, ratio, *target))
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

    from termgauge.tasks.analogies.search import Method, Vectors, beaters

    matrix, x, y = _plurals(words, pairs) if kind == PLURALS else _pairs(words, pairs, KINDS[kind])
    way: Method = method  # type: ignore[assignment]
    few = Vectors.of(matrix[:500])
    list(beaters(few, x[:3] % 500, y[:3] % 500, K, method=way))  # compiled, or read from the cache, before the clock
    gensim = _Gensim(matrix, x, y) if asked and method == "add" else None
    taken = gensim.ask(gensim.drawn(asked // 2))[1] if gensim else 0.0
    began = time.perf_counter()
    counts = np.concatenate([part for _, part in beaters(Vectors.of(matrix), x, y, K, method=way)])
    seconds = time.perf_counter() - began
    analogies = len(x) * (len(x) - 1)
    held = int((counts < K).sum()) / analogies
    found: dict[str, Any] = {"seconds": seconds, "ours": seconds / analogies, "held": held, "width": matrix.shape[1]}
    if gensim:
        # Half of the others hold, if so many do: it is they that could differ.
        right = np.argwhere(counts < K)
        right = right[np.random.default_rng(1).permutation(len(right))[: asked // 4]]
        others = [*((h, j) for h, j in right.tolist()), *gensim.drawn(asked - asked // 2 - len(right))]
        answers, more = gensim.ask(others)
        found["theirs"] = (taken + more) / asked
        found["different"] = sum(bool(counts[one] < K) != holds for one, holds in zip(others, answers, strict=True))
    return found


def _short(seconds: float) -> str:
    """Return the time of one analogy, which may be less than a thousandth of a millisecond."""
    return f"{1e6 * seconds:,.2f} µs"


class _Gensim:
    """What a user would do instead; asked before and after us, so that both see the same load."""

    def __init__(self, matrix: NDArray[np.float32], x: NDArray[np.int64], y: NDArray[np.int64]) -> None:
        import numpy as np
        from gensim.models import KeyedVectors

        self._vectors = KeyedVectors(matrix.shape[1])
        self._vectors.add_vectors([str(row) for row in range(len(matrix))], matrix)
        self._vectors.fill_norms()
        self._x, self._y = x, y
        self._generator = np.random.default_rng(0)

    def drawn(self, count: int) -> list[tuple[int, int]]:
        """Return some analogies by chance."""
        h, j = self._generator.integers(0, len(self._x), (2, 2 * count + 8)).tolist()
        return [(one, other) for one, other in zip(h, j, strict=True) if one != other][:count]

    def ask(self, analogies: list[tuple[int, int]]) -> tuple[list[bool], float]:
        """Return which analogies hold, and the seconds it took."""
        x, y = self._x, self._y
        began = time.perf_counter()
        best = [
            self._vectors.most_similar(positive=[str(x[h]), str(y[j])], negative=[str(y[h])], topn=K)
            for h, j in analogies
        ]
        seconds = time.perf_counter() - began
        found = [str(x[j]) in [word for word, _ in some] for (_, j), some in zip(analogies, best, strict=True)]
        return found, seconds


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


def _plurals(words: int, pairs: int) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
    """Return real vectors (50 dimensions), and pairs of a noun's plural and the noun, as near as spelling tells."""
    import numpy as np

    from termgauge.embeddings.load import load_model
    from termgauge.embeddings.model import WordModel

    model = load_model("glove:")
    assert isinstance(model, WordModel)
    rows = np.arange(min(words, len(model.vocabulary)))
    singular = [word for word in model.vocabulary.text(rows) if len(word) > 3 and word.isalpha()]
    found = np.column_stack([model.vocabulary.find([f"{word}s" for word in singular]), model.vocabulary.find(singular)])
    found = found[(found[:, 0] >= 0) & (found[:, 0] < len(rows))][:pairs]
    return model.gather(rows), found[:, 0].copy(), found[:, 1].copy()
