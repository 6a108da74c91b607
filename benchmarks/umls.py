"""A UMLS release of 17 million strings: memory and hours on 1, 16 and 64 workers, without having one.

META folders of three sizes are read and built on one core, queries are sampled from indexes of growing size, and lines
and power laws through what was measured are drawn on to the size of a release. Strings beyond the first million are
real terms with something added, so near terms are about as frequent as in a release, but not of the same kinds.
"""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measure import Measurement, Row, duration, measured, noted, print_table, quick
from benchmarks.terminology import meta_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HERE = "benchmarks.umls"
STRINGS = 17_000_000
RELATIONS_PER_STRING = 2
SIZES, QUICK_SIZES = (50_000, 100_000, 200_000), (2_000, 4_000, 8_000)
"""Strings of the META folders that are read and built."""
INDEXED, QUICK_INDEXED = (125_000, 250_000, 500_000, 1_000_000, 2_000_000), (1_000, 2_000, 4_000)
"""Strings of the indexes that are searched."""
QUERIES, QUICK_QUERIES = 1_000, 100
WORKERS = (1, 16, 64)
SUBSAMPLE = 20_000
IMPORTS = ["termgauge.benchmark.build", "termgauge.benchmark.nearest.search", "termgauge.benchmark.nearest_neighbours"]
ONE_CORE = {"NUMBA_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}


@dataclass(frozen=True)
class Line:
    """A straight line through measurements: what is there in any case, and what each string adds."""

    start: float
    slope: float

    @classmethod
    def through(cls, sizes: Sequence[int], values: Sequence[float]) -> Line:
        """Fit it by least squares."""
        slope, start = np.polyfit(sizes, values, 1)
        return cls(float(start), float(slope))

    def at(self, size: float) -> float:
        """Return its value."""
        return self.start + self.slope * size


@dataclass(frozen=True)
class Power:
    """A power law through measurements, which stays a line on logarithmic axes."""

    factor: float
    exponent: float

    @classmethod
    def through(cls, sizes: Sequence[float], values: Sequence[float]) -> Power:
        """Fit it by least squares of the logarithms."""
        exponent, logarithm = np.polyfit(np.log(sizes), np.log(values), 1)
        return cls(float(np.exp(logarithm)), float(exponent))

    def at(self, size: float) -> float:
        """Return its value."""
        return self.factor * float(size**self.exponent)


@dataclass(frozen=True)
class Forecast:
    """What a build of a release takes, in seconds and megabytes."""

    read: float
    rest: float
    """What the client does itself beside reading: positives, draws, writing."""
    search: float
    """What workers can share, on one core."""
    harder: float
    """How much longer a query of a build takes than one that was sampled."""
    client_mb: float
    index_mb: float
    """The largest index, which the workers of a machine map from one file."""
    own_mb: float
    """What each worker holds beside it."""

    def seconds(self, workers: int) -> float:
        """Return how long it takes if the client's own work and the search follow each other."""
        return self.read + self.rest + self.search / workers


def main() -> None:
    """Measure, draw on, and print."""
    os.environ.update(ONE_CORE)
    sizes = QUICK_SIZES if quick() else SIZES
    read, built, sampled = [], [], []
    measured(f"{HERE}:build", str(meta_folder(sizes[0], RELATIONS_PER_STRING * sizes[0])), SUBSAMPLE)  # compiles
    for size in sizes:
        folder = str(meta_folder(size, RELATIONS_PER_STRING * size))
        read.append(measured(f"{HERE}:read", folder, imports=IMPORTS))
        built.append(measured(f"{HERE}:build", folder, None, imports=IMPORTS))
        sampled.append(measured(f"{HERE}:build", folder, SUBSAMPLE, imports=IMPORTS))
    print_table("Synthetic META folders on one core", _measured_rows(sizes, read, built, sampled), theirs="")
    indexed = QUICK_INDEXED if quick() else INDEXED
    queries = QUICK_QUERIES if quick() else QUERIES
    searched = [measured(f"{HERE}:search", each, queries, imports=IMPORTS) for each in indexed]
    print_table("Nearest-term search on one core", _searched_rows(indexed, searched), theirs="")
    whole = forecast(STRINGS, sizes, (read, built), indexed, searched)
    twice = forecast(2 * STRINGS, sizes, (read, built), indexed, searched)
    print_table(f"A release of {STRINGS:,} strings", _forecast_rows(whole, twice, sizes, sampled), theirs="")


def read(folder: str) -> float:
    """Read a META folder, and return the seconds of CPU."""
    import termgauge as tg

    began = time.process_time()
    tg.read_terminology(folder, cache=False)
    return time.process_time() - began


def build(folder: str, max_pairs: int | None) -> dict[str, Any]:
    """Build all sets; return the seconds of CPU, those of the search, and by size of the index how many queries."""
    import termgauge as tg
    from termgauge.benchmark.nearest import search as module

    plain, spent = vars(module)["search_group"], 0.0
    queries: dict[int, int] = {}

    def counted(index: Any, group: Any, *exclusions: Any) -> Any:  # noqa: ANN401
        nonlocal spent
        began = time.thread_time()
        found = plain(index, group, *exclusions)
        spent += time.thread_time() - began
        terms = len(index.starts) - 1
        queries[terms] = queries.get(terms, 0) + len(group.numbers)
        return found

    vars(module)["search_group"] = counted
    terminology = tg.read_terminology(folder, cache=False)
    began = time.process_time()
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = tg.build(terminology, Path(place) / "out", max_pairs=max_pairs)
    cpu = time.process_time() - began
    pairs = sum(record.pairs for record in made.manifest.files.values())
    return {"cpu": cpu, "search": spent, "queries": sorted(queries.items()), "pairs": pairs}


def search(terms: int, queries: int) -> dict[str, float]:
    """Index strings of a release and search for a sample of them; return milliseconds of CPU and bytes of memory."""
    from benchmarks.real_terms import load_terms
    from benchmarks.synthetic_rrf import MODIFIERS
    from termgauge.benchmark.nearest.search import NearestTerms

    real = list(dict.fromkeys(each.lower() for each in load_terms(terms)))
    texts = [f"{each}{modifier.lower()}" for modifier in MODIFIERS for each in real][:terms]
    began = time.process_time()
    near = NearestTerms(texts)
    indexing = time.process_time() - began
    chosen = np.random.default_rng(0).choice(len(texts), queries + 8, replace=False)
    _nearest(near, [texts[at] for at in chosen[:8]])  # compiles, or loads what was compiled
    began = time.process_time()
    _nearest(near, [texts[at] for at in chosen[8:]])
    spent = time.process_time() - began
    return {"milliseconds": 1000 * spent / queries, "indexing": indexing, "bytes": nbytes(vars(near))}


def _nearest(near: Any, queries: list[str]) -> None:  # noqa: ANN401
    nothing = np.zeros(len(queries) + 1, np.int64)
    near.search(queries, np.ones(len(queries), np.int64), nothing, nothing[:0])


def nbytes(value: object) -> int:
    """Return how many bytes the arrays in a value have, however deep they lie in tuples and dictionaries."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, dict):
        return sum(map(nbytes, value.values()))
    return sum(map(nbytes, value)) if isinstance(value, tuple) else 0


def forecast(
    strings: int,
    sizes: Sequence[int],
    done: tuple[Sequence[Measurement], Sequence[Measurement]],
    indexed: Sequence[int],
    searched: Sequence[Measurement],
) -> Forecast:
    """Draw on to a number of strings.

    Reading, memory and the client's own work grow with a line, a query with a power law; how many queries there are,
    and how large their indexes, is in proportion to the largest build. Those of a build want more than the sampled
    ones; how much longer they take is seen in that build, too.
    """
    read, built = done
    larger = strings / sizes[-1]
    query = Power.through(indexed, [each.result["milliseconds"] for each in searched])
    indexes = [(terms * larger, queries * larger) for terms, queries in built[-1].result["queries"]]
    most = max(terms for terms, _ in indexes)
    sampled = sum(queries * query.at(terms) for terms, queries in built[-1].result["queries"])
    harder = 1000 * built[-1].result["search"] / sampled
    rest = Line.through(sizes, [each.result["cpu"] - each.result["search"] for each in built])
    return Forecast(
        read=Line.through(sizes, [each.result for each in read]).at(strings),
        rest=rest.at(strings),
        search=harder * sum(queries * query.at(terms) / 1000 for terms, queries in indexes),
        harder=harder,
        client_mb=Line.through(sizes, [each.peak_mb for each in built]).at(strings),
        index_mb=Line.through(indexed, [each.result["bytes"] / 1e6 for each in searched]).at(most),
        own_mb=read[0].peak_mb + 8 * most / 1e6,
    )


def _measured_rows(
    sizes: Sequence[int], read: Sequence[Measurement], built: Sequence[Measurement], sampled: Sequence[Measurement]
) -> Iterator[Row]:
    for size, one, two, three in zip(sizes, read, built, sampled, strict=True):
        yield noted(f"{size:,} strings: read", f"{duration(one.result)}, {one.peak_mb:,.0f} MB")
        yield noted(
            f"  all sets, {two.result['pairs']:,} pairs", f"{duration(two.result['cpu'])}, {two.peak_mb:,.0f} MB"
        )
        yield noted("    of it search", f"{100 * two.result['search'] / two.result['cpu']:.0f} %")
        yield noted(f"  sets of at most {SUBSAMPLE:,} pairs", duration(three.result["cpu"]))
    growth = Power.through(sizes, [each.result["cpu"] for each in built])
    yield noted("all sets: growth with the strings", f"exponent {growth.exponent:.2f}")


def _searched_rows(indexed: Sequence[int], searched: Sequence[Measurement]) -> Iterator[Row]:
    for terms, each in zip(indexed, searched, strict=True):
        took, size = each.result["milliseconds"], each.result["bytes"] / terms
        yield noted(f"{terms:,} terms", f"{took:.3f} ms a query, {size:.0f} bytes a term")
    growth = Power.through(indexed, [each.result["milliseconds"] for each in searched])
    yield noted("a query: growth with the terms", f"exponent {growth.exponent:.2f}")


def _forecast_rows(
    whole: Forecast, twice: Forecast, sizes: Sequence[int], sampled: Sequence[Measurement]
) -> Iterator[Row]:
    yield noted("reading", duration(whole.read))
    yield noted("the client's own work", _hours(whole.rest))
    yield noted(
        f"search, on one core (sampled queries, times {whole.harder:.2f} as in the builds)", _hours(whole.search)
    )
    for workers in WORKERS:
        yield noted(f"all sets, {workers} workers", _hours(whole.seconds(workers)))
    yield noted("workers beyond which the client's own work takes longer", f"{whole.search / whole.rest:,.0f}")
    yield noted("memory of the client", f"{whole.client_mb / 1000:,.1f} GB")
    yield noted("memory of a machine with n workers", f"{whole.index_mb / 1000:,.1f} GB + n × {_gb(whole.own_mb)}")
    few = Line.through(sizes, [each.result["cpu"] for each in sampled]).at(STRINGS)
    yield noted(f"instead, sets of at most {SUBSAMPLE:,} pairs, no cluster", _hours(whole.read + few))
    yield noted(f"further: {2 * STRINGS:,} strings, {WORKERS[-1]} workers", _hours(twice.seconds(WORKERS[-1])))
    yield noted("  memory of its client", f"{twice.client_mb / 1000:,.1f} GB")


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:,.1f} h" if seconds >= 3600 else f"{seconds / 60:,.1f} min"


def _gb(megabytes: float) -> str:
    return f"{megabytes / 1000:,.2f} GB"


if __name__ == "__main__":
    main()
