"""Made-up ratings, plain recomputations, and tables as people write them."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats


def drawn(pairs=30, raters=5, seed=1, *, missing=0.0, top=6):
    """Return a table of ratings (pairs x raters) with NaN for missing ones."""
    generator = np.random.default_rng(seed)
    true = generator.uniform(0, top, pairs)
    table = np.clip(np.round(true[:, None] + generator.normal(0, 1.2, (pairs, raters))), 0, top)
    table[generator.random(table.shape) < missing] = np.nan
    return table


def rho(one, other):
    """Return Spearman's rho as the definition says: NaN for fewer than three points or a constant side."""
    both = ~np.isnan(one) & ~np.isnan(other)
    one, other = one[both], other[both]
    if len(one) < 3 or len(set(one)) < 2 or len(set(other)) < 2:
        return math.nan
    return float(stats.spearmanr(one, other).statistic)


def plain_agreement(table, groups=None):
    """Return IAA-1 and IAA-2 of all and of each rater, by loops over SciPy."""
    count = table.shape[1]
    groups = [0] * count if groups is None else groups
    rhos = {}
    for a in range(count):
        for b in range(a + 1, count):
            if groups[a] == groups[b]:
                rhos[a, b] = rho(table[:, a], table[:, b])
    own = [[value for pair, value in rhos.items() if a in pair and not math.isnan(value)] for a in range(count)]
    one = [float(np.mean(values)) if values else math.nan for values in own]
    two = []
    for a in range(count):
        others = [b for b in range(count) if b != a and groups[b] == groups[a]]
        means = np.full(len(table), np.nan)
        for item in range(len(table)):
            given = [table[item, b] for b in others if not math.isnan(table[item, b])]
            means[item] = sum(given) / len(given) if given else math.nan
        two.append(rho(table[:, a], means))
    defined = [value for value in rhos.values() if not math.isnan(value)]
    known = [value for value in two if not math.isnan(value)]
    undefined = sum(math.isnan(value) for value in rhos.values())
    return (
        float(np.mean(defined)) if defined else math.nan,
        float(np.mean(known)) if known else math.nan,
        one,
        two,
        undefined,
    )


def rated_of(table, groups=None):
    """Return a table as the kernels take it."""
    from termgauge.statistics.agreement import Rated

    items, raters = np.nonzero(~np.isnan(table))
    groups = np.zeros(table.shape[1], int) if groups is None else groups
    return Rated.from_ratings(raters, items, table[items, raters], groups, len(table))


def cell(value):
    return "" if math.isnan(value) else f"{value:g}"


def matrix_text(table, *, header=True):
    """Return a table as a matrix."""
    lines = ["\t".join(["word1", "word2", *(f"r{place}" for place in range(1, table.shape[1] + 1))])] if header else []
    lines += ["\t".join([f"a{at}", f"b{at}", *map(cell, row)]) for at, row in enumerate(table, 1)]
    return "\n".join(lines) + "\n"


def long_text(table):
    """Return a table with one row for each rating."""
    rows = [
        f"{at}\tr{who}\t{value:g}"
        for at, row in enumerate(table, 1)
        for who, value in enumerate(row, 1)
        if value == value
    ]
    return "\n".join(["pair\trater\trating", *rows]) + "\n"


def answers_text(table, *, consistency=(), duplicates=None):
    """Return a table as the answers of a study, in one group; `duplicates` has second ratings by (pair, rater)."""
    lines = ["rater\tgroup\tpage\tposition\tpair\tword1\tword2\trating\tkind\tseconds"]
    for who in range(table.shape[1]):
        for at, row in enumerate(table, 1):
            kind = "consistency" if at in consistency else "unique"
            lines.append(f"r{who + 1}\t1\t1\t{at}\t{at}\ta{at}\tb{at}\t{cell(row[who])}\t{kind}\t{2 + who}")
        for place, ((pair, rater), value) in enumerate((duplicates or {}).items()):
            if rater == who + 1:
                at = len(table) + place + 1
                lines.append(f"r{rater}\t1\t1\t{at}\t{pair}\ta{pair}\tb{pair}\t{cell(value)}\tduplicate\t1.5")
    return "\n".join(lines) + "\n"
