"""Neighbours of a domain's concepts: one exact pass over a mapped vocabulary beside gensim, asked for each concept.

Vectors are made up. gensim holds the whole matrix in memory and is asked on the smaller size only, where both must give
the same neighbours (gensim ranks in single precision: neighbours that it cannot tell apart may change places).
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measure import Row, below, duration, measured, noted, print_table, quick

if TYPE_CHECKING:
    from termgauge.embeddings.model import Model
    from termgauge.terminology.model import Terminology

WIDTH = 200
WORDS, QUICK_WORDS = 2_000_000, 50_000
SMALLER, QUICK_SMALLER = 200_000, 20_000
SEEDS, QUICK_SEEDS = 600, 60
NEIGHBOURS = 40
MOST_SECONDS, MOST_MB = 30, 1_500
AT_LEAST = 5
SAME = 1e-6
"""Cosines closer than this are equal to gensim."""

HERE = "benchmarks.coverage"
OURS = [
    "termgauge.embeddings.load",
    "termgauge.embeddings.cosines",
    "termgauge.tasks.coverage.result",
    "termgauge.embeddings.files.matrices",
]
GENSIM = ["gensim.models"]
_CLUSTERS = 1000
_BLOCK = 50_000


def main() -> None:
    """Print what neighbours cost."""
    words, smaller, seeds = (QUICK_WORDS, QUICK_SMALLER, QUICK_SEEDS) if quick() else (WORDS, SMALLER, SEEDS)
    with tempfile.TemporaryDirectory(prefix="termgauge-bench-") as place:
        rows = [*beside_gensim(Path(place, "small"), smaller, seeds), *at_size(Path(place, "large"), words, seeds)]
    print_table(f"The {NEIGHBOURS} nearest neighbours of {seeds:,} seeds, {WIDTH} dimensions", rows, theirs="gensim")


def beside_gensim(folder: Path, words: int, seeds: int) -> list[Row]:
    """Measure both on the same vectors, and hold the neighbours against each other."""
    write_vectors(folder, words)
    measured(f"{HERE}:neighbours", str(folder), words, seeds, imports=OURS)  # makes the index
    ours = measured(f"{HERE}:neighbours", str(folder), words, seeds, imports=OURS, repeat=3)
    theirs = measured(f"{HERE}:gensim_neighbours", str(folder), words, seeds, imports=GENSIM)
    swapped = differences(ours.result, theirs.result)
    ratio = theirs.result["seconds"] / ours.result["seconds"]
    what = f"{words:,} words"
    return [
        Row(
            f"{what}: time",
            duration(ours.result["seconds"]),
            duration(theirs.result["seconds"]),
            ratio,
            f"≥ {AT_LEAST} ×",
            ratio >= AT_LEAST,
        ),
        noted(f"{what}: memory", f"{ours.peak_mb:,.0f} MB", f"{theirs.peak_mb:,.0f} MB"),
        noted(f"{what}: neighbours that gensim has in another order", f"{swapped:,} of {seeds * NEIGHBOURS:,}"),
    ]


def at_size(folder: Path, words: int, seeds: int) -> list[Row]:
    """Measure a vocabulary as large as those of the paper."""
    write_vectors(folder, words)
    measured(f"{HERE}:neighbours", str(folder), words, seeds, imports=OURS)  # makes the index
    found = measured(f"{HERE}:neighbours", str(folder), words, seeds, imports=OURS)
    whole = measured(f"{HERE}:whole_coverage", str(folder), words, seeds, imports=OURS)
    return [
        below(f"{words:,} words: time", found.result["seconds"], MOST_SECONDS, "s"),
        noted(f"{words:,} words: time of everything, intervals and map included", duration(whole.result)),
        below(f"{words:,} words: memory", max(found.peak_mb, whole.peak_mb), MOST_MB, "MB"),
    ]


def write_vectors(folder: Path, words: int) -> None:
    """Write a matrix in clusters, and its words."""
    folder.mkdir(parents=True)
    matrix = np.lib.format.open_memmap(folder / "vectors.npy", mode="w+", dtype="<f4", shape=(words, WIDTH))
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((_CLUSTERS, WIDTH), np.float32)
    for start in range(0, words, _BLOCK):
        stop = min(start + _BLOCK, words)
        noise = rng.standard_normal((stop - start, WIDTH), np.float32)
        matrix[start:stop] = centres[rng.integers(0, _CLUSTERS, stop - start)] + 2 * noise
    matrix.flush()
    (folder / "vectors.txt").write_text("".join(f"w{row}\n" for row in range(words)), encoding="ascii")


def neighbours(folder: str, words: int, seeds: int) -> dict[str, Any]:
    """Return the neighbours that termgauge finds, and the time without opening and without loading the kernel."""
    from termgauge.domain.neighbourhood import neighbourhood_of, neighbours_of_seeds

    few = Path(folder, "few")
    if not few.exists():
        write_vectors(few, 2 * NEIGHBOURS)
    neighbours_of_seeds(neighbourhood_of(*_opened(str(few), 2 * NEIGHBOURS, 1), _seeds(2 * NEIGHBOURS, 1)), NEIGHBOURS)
    among = neighbourhood_of(*_opened(folder, words, seeds), _seeds(words, seeds))
    began = time.perf_counter()
    found = neighbours_of_seeds(among, NEIGHBOURS)
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "rows": found.rows.tolist(), "cosines": found.cosines.tolist()}


def whole_coverage(folder: str, words: int, seeds: int) -> float:
    """Return the time of all that ``termgauge coverage`` measures of one model."""
    from termgauge.domain.domain import Domain
    from termgauge.statistics.compare import compare_set
    from termgauge.tasks.coverage.result import KS, cover, outcomes_of

    model, terminology = _opened(folder, words, seeds)
    domain = Domain(_seeds(words, seeds))
    began = time.perf_counter()
    for outcomes in outcomes_of({"model": cover(model, terminology, domain)}, KS).values():
        compare_set(outcomes)
    return time.perf_counter() - began


def gensim_neighbours(folder: str, words: int, seeds: int) -> dict[str, Any]:
    """Return the neighbours that gensim finds, and the time without opening and without the lengths of vectors."""
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(WIDTH)
    vectors.add_vectors([f"w{row}" for row in range(words)], np.load(Path(folder, "vectors.npy")))
    vectors.fill_norms()
    began = time.perf_counter()
    found = [vectors.most_similar(f"w{seed}", topn=NEIGHBOURS) for seed in _seeds(words, seeds)]
    seconds = time.perf_counter() - began
    return {
        "seconds": seconds,
        "rows": [[int(word[1:]) for word, _cosine in each] for each in found],
        "cosines": [[float(cosine) for _word, cosine in each] for each in found],
    }


def differences(ours: dict[str, Any], theirs: dict[str, Any]) -> int:
    """Return how many neighbours stand at another rank; those must be equally near."""
    mine, other = np.array(ours["rows"]), np.array(theirs["rows"])
    apart = np.abs(np.array(ours["cosines"]) - np.array(theirs["cosines"]))
    if apart.max() > SAME:
        raise RuntimeError(f"A cosine differs from gensim's by {apart.max()}.")
    return int((mine != other).sum())


def _seeds(words: int, seeds: int) -> tuple[str, ...]:
    return tuple(str(row) for row in np.random.default_rng(1).choice(words, seeds, replace=False).tolist())


def _opened(folder: str, words: int, seeds: int) -> tuple[Model, Terminology]:
    """Open the vectors, and make a terminology in which each seed is a concept labelled by its word."""
    os.environ["TERMGAUGE_CACHE_DIR"] = str(Path(folder, "cache"))
    import polars as pl

    from termgauge.embeddings.load import load_model
    from termgauge.terminology.model import Terminology, TerminologyIdentity, conform

    ids = list(_seeds(words, seeds))
    names = [f"w{seed}" for seed in ids]
    active, none = [True] * seeds, pl.DataFrame()
    terminology = Terminology(
        conform(pl.DataFrame({"concept": ids, "name": names, "active": active}), "concepts"),
        conform(pl.DataFrame({"concept": ids, "text": names, "kind": ["fsn"] * seeds, "active": active}), "terms"),
        conform(none, "relations"),
        conform(none, "replacements"),
        TerminologyIdentity("table", "made", "", ""),
    )
    return load_model(f"numpy:{folder}/vectors.npy?kind=words"), terminology
