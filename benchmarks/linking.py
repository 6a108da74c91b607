"""Exact ranks of concepts: 5,000 queries against 350,000 names, beside faiss and scikit-learn; on a GPU all of them.

``python -m benchmarks linking`` measures on the processor. Where torch sees a GPU it is measured too, with all names as
queries; ``python -m benchmarks.linking --device cuda`` measures nothing else. Vectors are made: each query is the name
of its concept with noise, so that about a third of them are found at once. faiss and scikit-learn look for ten
neighbours.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.measure import Row, below, faster, measured, noted, print_table, quick

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

NAMES, QUERIES, WIDTH = 350_000, 5_000, 768
NOISE = 0.27
"""Of each number of a query, whose concept's name has numbers of variance 1 / WIDTH."""
NEIGHBOURS = 10


def made(count: int, width: int, seed: int) -> NDArray[np.float32]:
    """Return unit vectors of chance."""
    vectors = np.random.default_rng(seed).standard_normal((count, width), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def asked(names: NDArray[np.float32], right: NDArray[np.int64], seed: int) -> NDArray[np.float32]:
    """Return queries: the names of their concepts with noise, as unit vectors."""
    noise = np.random.default_rng(seed).standard_normal((len(right), names.shape[1]), dtype=np.float32)
    noise *= NOISE
    noise += names[right]
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    return noise


def main() -> None:
    """Measure, and print a table."""
    names, queries, width = (20_000, 300, 96) if quick() else (NAMES, QUERIES, WIDTH)
    with tempfile.TemporaryDirectory() as place:
        vectors = made(names, width, 0)
        right = np.random.default_rng(1).integers(0, names, queries)
        np.save(Path(place, "names.npy"), vectors)
        np.save(Path(place, "queries.npy"), asked(vectors, right, 2))
        np.save(Path(place, "right.npy"), right)
        del vectors
        rows = list(_rows(place))
    print_table(f"Linking {queries:,} queries to {names:,} names of {width} dimensions, exactly", rows)
    on_device("auto")


def _rows(place: str) -> Iterator[Row]:
    warm = "termgauge.similarity.search", "benchmarks.linking"
    link_ours(place, few=True)  # compiles what is compiled once
    ours = measured("benchmarks.linking:link_ours", place, imports=warm)
    yield below("time", ours.seconds, 60, "s")
    yield below("memory", ours.peak_mb / 1000, 3, "GB")
    if find_spec("faiss") is not None:
        theirs = measured("benchmarks.linking:search_faiss", place, imports=["faiss"])
        _check(ours.result, theirs.result, "faiss")
        yield faster("beside faiss IndexFlatIP", ours, theirs, at_least=1)
    theirs = measured("benchmarks.linking:search_sklearn", place, imports=["sklearn.neighbors"])
    _check(ours.result, theirs.result, "scikit-learn")
    yield faster("beside scikit-learn, brute force", ours, theirs, at_least=1)
    found = np.array(ours.result)
    yield noted("queries whose concept comes first", f"{(found == 1).mean():.1%}")


def _check(ours: list[int], theirs: list[int], who: str) -> None:
    """Refuse to compare what does not find the same; places may differ where single precision cannot tell."""
    near = np.minimum(ours, NEIGHBOURS + 1)
    same = float((near == np.array(theirs)).mean())
    if same < 0.995:
        raise AssertionError(f"only {same:.2%} of the ranks are those of {who}")


def link_ours(place: str, *, few: bool = False) -> list[int]:
    """Return the rank of each query's concept."""
    from termgauge.similarity.search import Listed, NameIndex, concept_ranks

    vectors, queries, right = (np.load(Path(place, f"{name}.npy")) for name in ("names", "queries", "right"))
    if few:
        vectors, queries, right = vectors[:500], queries[:5], right[:5] % 500
    index = NameIndex(vectors, np.arange(len(vectors)))
    count = len(queries)
    nothing = Listed(np.zeros(count + 1, np.int64), np.empty(0, np.int64))
    ranks: list[int] = concept_ranks(index, queries, Listed(np.arange(count + 1), right), nothing).rank.tolist()
    return ranks


def _places(nearest: NDArray[np.int64], right: NDArray[np.int64]) -> list[int]:
    """Return the place of the right name among the nearest ones; one more than there are if it is not there."""
    same = nearest == right[:, None]
    places: list[int] = np.where(same.any(axis=1), same.argmax(axis=1) + 1, nearest.shape[1] + 1).tolist()
    return places


def search_faiss(place: str) -> list[int]:
    """Return the place of the right name among the nearest by faiss."""
    import faiss

    vectors, queries, right = (np.load(Path(place, f"{name}.npy")) for name in ("names", "queries", "right"))
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    return _places(index.search(queries, NEIGHBOURS)[1], right)


def search_sklearn(place: str) -> list[int]:
    """Return the place of the right name among the nearest by scikit-learn."""
    from sklearn.neighbors import NearestNeighbors

    vectors, queries, right = (np.load(Path(place, f"{name}.npy")) for name in ("names", "queries", "right"))
    index = NearestNeighbors(n_neighbors=NEIGHBOURS, algorithm="brute", metric="cosine").fit(vectors)
    return _places(index.kneighbors(queries, return_distance=False), right)


def on_device(device: str) -> None:
    """Link all names on a GPU, with one name and with three for each concept, and check some against the processor."""
    from termgauge.similarity.search import Listed, NameIndex, concept_ranks
    from termgauge.similarity.torch_search import chosen_device

    chosen = chosen_device(device)
    if chosen == "cpu":
        print("linking on a GPU: left out, since torch sees none here.")
        return
    count, width, some = (20_000, 96, 500) if quick() else (NAMES, WIDTH, 2_000)
    vectors = made(count, width, 0)
    right = np.random.default_rng(1).permutation(count)
    queries = asked(vectors, right, 2)
    rows = []
    for names in (1, 3):
        concepts = np.arange(count) // names
        index = NameIndex(vectors, concepts)

        def ranks(upto: int, where: str, index: NameIndex = index) -> NDArray[np.int64]:
            nothing = Listed(np.zeros(upto + 1, np.int64), np.empty(0, np.int64))
            wanted = Listed(np.arange(upto + 1), index.concepts[right[:upto]])
            return concept_ranks(index, queries[:upto], wanted, nothing, where).rank

        ranks(min(some, 100), chosen)
        began = time.perf_counter()
        found = ranks(count, chosen)
        seconds = time.perf_counter() - began
        if not np.array_equal(found[:some], ranks(some, "cpu")):
            raise AssertionError("the ranks on the GPU are not those on the processor")
        what = f"{count:,} queries, {names} {'name' if names == 1 else 'names'} a concept"
        rows.append(below(what, seconds, 60, "s"))
        rows.append(noted(f"the same ranks as on the processor ({some:,} queries)", "yes"))
    print_table(f"Linking all of {count:,} names of {width} dimensions on {chosen}", rows)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description="Linking on a GPU.")
    arguments.add_argument("--device", default="cuda", help="where: cuda, or auto")
    on_device(arguments.parse_args().device)
