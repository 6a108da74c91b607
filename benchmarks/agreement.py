"""Agreement of raters beside loops over SciPy, and Krippendorff's alpha beside the package of that name.

The ratings are SimVerb's, if they lie beside the repository or ``TERMGAUGE_SHARED`` says where; else made-up ones of
the same size. SciPy has no intervals of agreement: its loop is timed on a few resamples and multiplied.
"""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.measure import Row, below, duration, faster, measured, noted, print_table, quick

if TYPE_CHECKING:
    from numpy.typing import NDArray

HERE = "benchmarks.agreement"
KERNELS = ["termgauge.studies.agreement.compute", "termgauge.statistics.agreement_kernels", "polars"]
RESAMPLES = 2000
TIMED = 2
"""Resamples that SciPy is timed on."""
GROUPS, IN_GROUP, COMMON, OWN = 70, 10, 20, 50
"""How SimVerb's raters and pairs are laid out."""


def main() -> None:
    """Print what agreement and alpha cost."""
    groups = 7 if quick() else GROUPS
    print_table(
        f"Agreement with intervals ({RESAMPLES:,} resamples), {source(groups)}", agreement_rows(groups), theirs="SciPy"
    )
    ratings = 100_000 if quick() else 1_000_000
    print_table(f"Krippendorff's alpha of {ratings:,} ratings from 0 to 6", alpha_rows(ratings), theirs="krippendorff")


def source(groups: int) -> str:
    """Say which ratings are used."""
    where = simverb(groups)
    return "SimVerb's 702 raters and 3,520 pairs" if where else f"{groups * IN_GROUP} made-up raters"


def agreement_rows(groups: int) -> list[Row]:
    """Measure the whole verb, and one value of agreement beside SciPy."""
    measured(f"{HERE}:agreement_ours", 2, 10)  # compiles the kernels, which are then kept on disk
    whole = measured(f"{HERE}:agreement_ours", groups, RESAMPLES, imports=KERNELS, repeat=3)
    ours = measured(f"{HERE}:intervals_ours", groups, RESAMPLES, imports=KERNELS)
    theirs = measured(f"{HERE}:intervals_with_scipy", groups, TIMED, imports=["scipy.stats"])
    if not np.allclose(ours.result, theirs.result, atol=1e-9):
        raise RuntimeError(f"The values of agreement differ: {ours.result}, {theirs.result}.")
    scipy = replace(theirs, seconds=theirs.seconds * (RESAMPLES + 1) / (TIMED + 1))
    return [
        below("everything that termgauge agreement says", whole.seconds, 10, "s"),
        replace(
            faster("IAA-1 and IAA-2 with intervals", ours, scipy, at_least=50),
            theirs=f"{duration(scipy.seconds)} ({TIMED + 1} timed, x {(RESAMPLES + 1) / (TIMED + 1):g})",
        ),
        noted("peak memory", f"{whole.peak_mb:,.0f} MB"),
    ]


def alpha_rows(ratings: int) -> list[Row]:
    """Measure each level beside the package."""
    rows = []
    measured(f"{HERE}:alpha_ours", "ratio", 1000)  # compiles the one kernel that is needed
    for level in ("nominal", "ordinal", "interval", "ratio"):
        ours = measured(f"{HERE}:alpha_ours", level, ratings, imports=["termgauge.statistics.krippendorff"])
        theirs = measured(f"{HERE}:alpha_theirs", level, ratings, imports=["krippendorff"])
        if not math.isclose(ours.result, theirs.result, rel_tol=1e-9):
            raise RuntimeError(f"Alpha differs ({level}): {ours.result}, {theirs.result}.")
        rows.append(
            replace(below(level, ours.seconds, 5, "s"), theirs=str(theirs), ratio=theirs.seconds / ours.seconds)
        )
    return rows


def simverb(groups: int) -> Path | None:
    """Return SimVerb's ratings, if they are at hand and wanted whole."""
    folder = Path(os.environ.get("TERMGAUGE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    file = folder / "data" / "ratings" / "simverb_ratings_long.tsv"
    return file if groups == GROUPS and file.is_file() else None


def rows_of(groups: int) -> list[tuple[str, str, float]]:
    """Return pair, rater and rating: SimVerb's, or made-up ones."""
    if file := simverb(groups):
        lines = file.read_text(encoding="utf-8").splitlines()[1:]
        return [(pair, rater, float(rating)) for pair, rater, rating in (line.split("\t") for line in lines)]
    generator = np.random.default_rng(1)
    rows = []
    for group in range(groups):
        pairs = [*range(COMMON), *range(COMMON + OWN * group, COMMON + OWN * (group + 1))]
        true = [(7 * pair) % 6 for pair in pairs]
        for rater in range(IN_GROUP):
            ratings = np.clip(np.round(true + generator.normal(0, 1.2, len(pairs))), 0, 6)
            rows += [(str(pair), f"{group}.{rater}", float(each)) for pair, each in zip(pairs, ratings, strict=True)]
    return rows


def agreement_ours(groups: int, resamples: int) -> float:
    """Read ratings and say all that there is to say."""
    from tempfile import TemporaryDirectory

    from termgauge.studies.agreement.compute import agreement

    if file := simverb(groups):
        return agreement(file, scale=(0, 6), resamples=resamples).iaa1 or 0.0
    with TemporaryDirectory() as folder:
        path = Path(folder, "ratings.tsv")
        lines = [f"{pair}\t{rater}\t{rating:g}\n" for pair, rater, rating in rows_of(groups)]
        path.write_text(f"pair\trater\trating\n{''.join(lines)}", encoding="utf-8")
        return agreement(path, scale=(0, 6), resamples=resamples).iaa1 or 0.0


def tables_of(groups: int) -> list[NDArray[np.float64]]:
    """Return a table (pairs x raters) for each group."""
    by_rater: dict[str, dict[str, float]] = {}
    for pair, rater, rating in rows_of(groups):
        by_rater.setdefault(rater, {})[pair] = rating
    by_set: dict[tuple[str, ...], list[list[float]]] = {}
    for said in by_rater.values():
        pairs = tuple(sorted(said))
        by_set.setdefault(pairs, []).append([said[pair] for pair in pairs])
    return [np.array(columns).T for columns in by_set.values()]


def intervals_ours(groups: int, resamples: int) -> list[float]:
    """Return IAA-1 and IAA-2, having made their intervals and those of all raters."""
    from termgauge.statistics.agreement import Rated, agreement_intervals, agreement_of

    raters, items, values = [], [], []
    group_of: list[int] = []
    for group, table in enumerate(tables_of(groups)):
        for column in table.T:
            raters.append(np.full(len(column), len(group_of)))
            items.append(len(table) * group + np.arange(len(column)))
            values.append(column)
            group_of.append(group)
    rated = Rated.from_ratings(np.concatenate(raters), np.concatenate(items), np.concatenate(values), group_of)
    agreement_intervals(rated, resamples=resamples)
    found = agreement_of(rated)
    return [found.iaa1, found.iaa2]


def intervals_with_scipy(groups: int, resamples: int) -> list[float]:
    """Return IAA-1 and IAA-2, having computed them so many times more on resamples, as one would with SciPy."""
    from scipy import stats

    def both(tables: list[NDArray[np.float64]]) -> list[float]:
        ones, twos = [], []
        for table in tables:
            rhos = np.atleast_2d(stats.spearmanr(table).statistic)
            ones += rhos[np.triu_indices(len(rhos), 1)].tolist()
            for place in range(table.shape[1]):
                others = np.delete(table, place, axis=1).mean(axis=1)
                twos.append(float(stats.spearmanr(table[:, place], others).statistic))
        return [float(np.nanmean(ones)), float(np.nanmean(twos))]

    tables = tables_of(groups)
    generator = np.random.default_rng(1)
    for _ in range(resamples):
        both([table[generator.integers(0, len(table), len(table))] for table in tables])
    return both(tables)


def judgements(ratings: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return units and values: ten raters of each unit, of whom some say nothing."""
    generator = np.random.default_rng(2)
    units = np.repeat(np.arange(ratings // 10), 10)
    true = generator.normal(3, 1.5, ratings // 10)
    values = np.clip(np.round(true[units] + generator.normal(0, 1, len(units))), 0, 6)
    values[generator.random(len(values)) < 0.05] = np.nan
    return units, values


def alpha_ours(level: str, ratings: int) -> float:
    """Return alpha."""
    from termgauge.statistics.krippendorff import krippendorff_alpha

    units, values = judgements(ratings)
    there = ~np.isnan(values)
    return krippendorff_alpha(units[there], values[there], level).value  # type: ignore[arg-type]


def alpha_theirs(level: str, ratings: int) -> float:
    """Return alpha by the package krippendorff."""
    import krippendorff

    _units, values = judgements(ratings)
    return float(krippendorff.alpha(values.reshape(-1, 10).T, level_of_measurement=level))  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
