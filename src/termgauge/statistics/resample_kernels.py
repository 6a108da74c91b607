"""Spearman's rho over resamples and left-out items, in kernels that work without the lock of the interpreter.

The items are sorted once. A resample is a multiplicity per item, and the ranks within it follow from one walk
along that sort with a running count; leaving one item out shifts the others' ranks by a sign. Ranks are kept doubled
and centred, which makes them whole numbers, so that equal orders give exactly equal results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
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
def _up_to(tree: NDArray[np.int64], end: int) -> int:
    """Return how many places below the given one a binary indexed tree holds."""
    total = 0
    while end > 0:
        total += tree[end]
        end &= end - 1
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
            node = begin[order[i]] + 1
            while node <= n:
                tree[node] += 1
                node += node & -node
        above = n - k - 1
        for i in range(first, k + 1):  # items that it places above: all that are not in the tree yet
            item = order[i]
            gold_below = begin[item] - _up_to(tree, begin[item])
            gold_above = above - (end[item] - _up_to(tree, end[item]))
            sums[item] += gold_above - gold_below
        first = k + 1
    return sums


def left_out_rhos(orders: NDArray[np.int32], last: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the rho of each system when one item is left out (systems x items).

    Without item i, the doubled and centred rank of j becomes a_j - sign(x_j - x_i); the sums of products and squares
    then follow from sums over the items above and below i, which running sums and one count of concordant items give.
    NaN where the gold standard or the system is constant without the item.
    """
    n = orders.shape[1]
    ties = [_tie_groups(order, ends) for order, ends in zip(orders, last, strict=True)]
    gold, *ranks = (begin + end - n for begin, end in ties)
    gold_square = _squares(gold, orders[0], *ties[0])
    rhos = np.empty((len(ranks), n))
    for row, rank, order, ends, system_ties in zip(rhos, ranks, orders[1:], last[1:], ties[1:], strict=True):
        shifts = _signed_sums(rank, orders[0], *ties[0]) + _signed_sums(gold, order, *system_ties)
        product = np.sum(rank * gold) - rank * gold - shifts + _concordance(order, ends, *ties[0])
        square = _squares(rank, order, *system_ties)
        defined = (gold_square > 0) & (square > 0)
        spread = np.sqrt(gold_square.astype(np.float64) * square, where=defined, out=np.ones(n))
        row[:] = np.where(defined, product / spread, np.nan)
    return rhos


def _tie_groups(order: NDArray[np.int32], last: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each item, the place where its ties begin in the order and the place behind them."""
    ends = np.flatnonzero(last) + 1
    run: NDArray[np.int64] = np.cumsum(last) - last
    begin, end = np.empty((2, len(order)), np.int64)
    begin[order], end[order] = np.append(0, ends[:-1])[run], ends[run]
    return begin, end


def _signed_sums(
    values: NDArray[np.int64], order: NDArray[np.int32], begin: NDArray[np.int64], end: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return, for each item, the sum of the values of those above it in the order less that of those below it."""
    running = np.append(0, np.cumsum(values[order]))
    return np.asarray(running[-1] - running[end] - running[begin])


def _squares(
    rank: NDArray[np.int64], order: NDArray[np.int32], begin: NDArray[np.int64], end: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the sum of the squares of ranks without each item."""
    shifts = 2 * _signed_sums(rank, order, begin, end)
    return np.asarray(np.sum(rank * rank) - rank * rank - shifts + len(rank) - (end - begin))
