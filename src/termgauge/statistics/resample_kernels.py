"""The compiled part of resampling, without the GIL: Spearman's rho over resamples and left-out items, and sums.

For rho the items are sorted once. A resample is a multiplicity per item, and the ranks within it follow from one walk
along that sort with a running count; leaving one item out shifts the others' ranks by a sign. Ranks are kept doubled
and centred, which makes them whole numbers, so that equal orders give exactly equal results. Sums are taken item by
item in the order in which they were drawn, so that rounding never differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


@njit()
def resampled_rhos(
    orders: NDArray[np.int32], last: NDArray[np.bool_], draws: NDArray[np.int64], rhos: NDArray[np.float64]
) -> None:
    """Fill `rhos` (systems x resamples) with the rho of each system in each resample.

    `orders` holds, for the gold standard (row 0) and each system, the items in ascending order; `last` says whether
    the item at that place is the last of those tied with it. NaN where one of the two is constant in the resample.
    """
    systems, n = len(orders) - 1, orders.shape[1]
    items = np.empty((n, 2), np.int32)  # how often an item was drawn, and its gold rank: side by side in memory
    for r in range(len(draws)):
        items[:] = 0
        for k in range(n):
            items[draws[r, k], 0] += 1
        gold_square = _rank_gold(orders[0], last[0], items)
        for s in range(systems):
            product, square = _sums(orders[s + 1], last[s + 1], items)
            defined = gold_square > 0 and square > 0
            rhos[s, r] = product / np.sqrt(gold_square * square) if defined else np.nan


@njit()
def _rank_gold(order: NDArray[np.int32], last: NDArray[np.bool_], items: NDArray[np.int32]) -> float:
    """Write each item's rank in the resample and return the sum of their squares."""
    n = len(order)
    below, first = 0, 0
    square = 0.0
    count = 0
    for k in range(n):
        count += int(items[order[k], 0])
        if last[k]:
            rank = 2 * below + count - n
            for i in range(first, k + 1):
                items[order[i], 1] = rank
            square += float(rank) * float(rank) * float(count)
            below += count
            count = 0
            first = k + 1
    return square


@njit()
def _sums(order: NDArray[np.int32], last: NDArray[np.bool_], items: NDArray[np.int32]) -> tuple[float, float]:
    """Return the sums of the products with the gold ranks, and of the squares, of a system's ranks in the resample."""
    n = len(order)
    below, count, gold = 0, 0, 0
    product, square = 0.0, 0.0
    for k in range(n):
        item = order[k]
        times = int(items[item, 0])
        count += times
        gold += times * int(items[item, 1])
        if last[k]:
            rank = 2 * below + count - n
            product += float(rank) * float(gold)
            square += float(rank) * float(rank) * float(count)
            below += count
            count, gold = 0, 0
    return product, square


@njit()
def _tie_groups(order: NDArray[np.int32], last: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each item, the place where its ties begin in the order and the place behind them."""
    n = len(order)
    begin, end = np.empty(n, np.int64), np.empty(n, np.int64)
    first = 0
    for k in range(n):
        if last[k]:
            for i in range(first, k + 1):
                begin[order[i]] = first
                end[order[i]] = k + 1
            first = k + 1
    return begin, end


@njit()
def _signed_sums(
    values: NDArray[np.int64], order: NDArray[np.int32], begin: NDArray[np.int64], end: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return, for each item, the sum of the values of those above it in the order less that of those below it."""
    n = len(order)
    running = np.zeros(n + 1, np.int64)
    for k in range(n):
        running[k + 1] = running[k] + values[order[k]]
    sums = np.empty(n, np.int64)
    for i in range(n):
        sums[i] = running[n] - running[end[i]] - running[begin[i]]
    return sums


@njit()
def _up_to(tree: NDArray[np.int64], place: int) -> int:
    """Return how many places below the given one a binary indexed tree holds."""
    total = 0
    while place > 0:
        total += tree[place]
        place &= place - 1
    return total


@njit()
def _concordance(
    order: NDArray[np.int32], last: NDArray[np.bool_], begin: NDArray[np.int64], end: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return, for each item, how many others are ordered against it alike by system and gold, less the others.

    `order` and `last` are the system's, `begin` and `end` the ties of the gold standard.
    """
    n = len(order)
    tree = np.zeros(n + 1, np.int64)
    sums = np.empty(n, np.int64)
    first = 0
    for k in range(n):
        if not last[k]:
            continue
        for i in range(first, k + 1):  # items that the system places below
            item = order[i]
            sums[item] = _up_to(tree, begin[item]) - (first - _up_to(tree, end[item]))
        for i in range(first, k + 1):
            place = begin[order[i]] + 1
            while place <= n:
                tree[place] += 1
                place += place & -place
        above = n - k - 1
        for i in range(first, k + 1):  # items that it places above: all that are not in the tree yet
            item = order[i]
            gold_below = begin[item] - _up_to(tree, begin[item])
            gold_above = above - (end[item] - _up_to(tree, end[item]))
            sums[item] += gold_above - gold_below
        first = k + 1
    return sums


@njit()
def left_out_rhos(orders: NDArray[np.int32], last: NDArray[np.bool_], rhos: NDArray[np.float64]) -> None:
    """Fill `rhos` (systems x items) with the rho of each system when one item is left out.

    Without item i, the doubled and centred rank of j becomes a_j - sign(x_j - x_i); the sums of products and squares
    then follow from sums over the items above and below i, which running sums and one count of concordant items give.
    NaN where the gold standard or the system is constant without the item.
    """
    systems, n = len(orders) - 1, orders.shape[1]
    gold_begin, gold_end = _tie_groups(orders[0], last[0])
    gold = gold_begin + gold_end - n
    gold_shift = _signed_sums(gold, orders[0], gold_begin, gold_end)
    gold_square = np.sum(gold * gold)
    for s in range(systems):
        begin, end = _tie_groups(orders[s + 1], last[s + 1])
        rank = begin + end - n
        rank_shift = _signed_sums(rank, orders[s + 1], begin, end)
        rank_over_gold = _signed_sums(rank, orders[0], gold_begin, gold_end)
        gold_over_rank = _signed_sums(gold, orders[s + 1], begin, end)
        alike = _concordance(orders[s + 1], last[s + 1], gold_begin, gold_end)
        product, square = np.sum(rank * gold), np.sum(rank * rank)
        for i in range(n):
            p = product - rank[i] * gold[i] - rank_over_gold[i] - gold_over_rank[i] + alike[i]
            q = square - rank[i] * rank[i] - 2 * rank_shift[i] + n - (end[i] - begin[i])
            g = gold_square - gold[i] * gold[i] - 2 * gold_shift[i] + n - (gold_end[i] - gold_begin[i])
            rhos[s, i] = p / np.sqrt(float(g) * float(q)) if g > 0 and q > 0 else np.nan


SUM_NANOSECONDS = 1.0
"""About, for an item that is drawn and a column."""


def resampled_sums(arrays: Mapping[str, NDArray[Any]], drawn: NDArray[np.int64]) -> NDArray[Any]:
    """Return the sum of the rows of all items drawn in each resample; ``rows`` are whole numbers or not.

    >>> resampled_sums({"rows": np.array([[1, 10], [2, 20]])}, np.array([[0, 0], [0, 1]])).tolist()
    [[2, 20], [3, 30]]
    """
    rows = arrays["rows"]
    sums = np.zeros((len(drawn), rows.shape[1]), np.int64 if rows.dtype.kind == "i" else np.float64)
    _add_rows(rows, drawn, sums)
    return sums


@njit()
def _add_rows(rows: NDArray[Any], drawn: NDArray[np.int64], sums: NDArray[Any]) -> None:  # pragma: no cover - compiled
    for resample in range(len(drawn)):
        into = sums[resample]
        for place in range(drawn.shape[1]):
            row = rows[drawn[resample, place]]
            for column in range(rows.shape[1]):
                into[column] += row[column]
