"""At which rank is the right concept of a query, by cosine, exactly? One search for all who link names to concepts.

A rank needs no sorting: it is the number of wrong concepts that come before the right one. A block of names meets all
queries in one matrix product in single precision, here or on a GPU. Only a cosine that lies so close to the right one's
that its rounding could matter is computed again in double precision, and that alone decides: the ranks do not depend on
how the names were cut into blocks, and equal names are equally near. Memory stays at one block beside the vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from termgauge.compiled import njit
from termgauge.embeddings.libraries import Devices, library
from termgauge.embeddings.neighbours import BLOCK_BYTES, DECIMALS, NeighbourSearch
from termgauge.progress import track
from termgauge.similarity.vector_kernels import dot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Doubles = NDArray[np.float64]
    Numbers = NDArray[np.int64]

NOBODY = -1
"""In place of a row that there is not."""
NOWHERE = -2.0
"""Less than any cosine: that of a name that does not count, and of a right concept that has no name."""
_NAMES_AT_ONCE = 1024
_QUERIES_AT_ONCE = 2560
"""Their cosines take 10 MB, so that they are counted before they leave the cache."""
_DEVICE_AT_ONCE = 1 << 14, 1 << 13
"""Names and queries on a GPU."""
_SCALE = 10.0**DECIMALS


@dataclass(frozen=True)
class NameIndex:
    """Names that stand for concepts: a vector for each, any length, and the concept's number.

    Names are in the order of their concepts, and a smaller number is a smaller id. A vector that is zero or not finite
    is that of a name that could not be encoded: it is in the way of nobody.
    """

    vectors: Floats
    concepts: Numbers

    def __post_init__(self) -> None:
        if len(self.vectors) != len(self.concepts) or (np.diff(self.concepts) < 0).any():
            raise ValueError("names must be in the order of their concepts, and each must have one")

    def spans(self, concepts: Numbers) -> tuple[Numbers, Numbers]:
        """Return the first name of each concept, and where its names end."""
        return np.searchsorted(self.concepts, concepts), np.searchsorted(self.concepts, concepts, "right")


class Listed(NamedTuple):
    """Some numbers for each query: those of query i are ``values[offsets[i]:offsets[i + 1]]``."""

    offsets: Numbers
    values: Numbers

    @classmethod
    def from_lists(cls, lists: list[list[int]]) -> Listed:
        """Put lists into one."""
        sizes = np.array([0, *map(len, lists)], np.int64)
        return cls(np.cumsum(sizes), np.array([number for some in lists for number in some], np.int64))

    @property
    def owners(self) -> Numbers:
        """The query of each number."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


class Ranks(NamedTuple):
    """What came of each query. Rows are those of the index; cosines are rounded."""

    rank: Numbers
    """1 + how many wrong concepts come before the right one; 0 if the query has no vector or the right one no name."""
    right: Doubles
    """The cosine of the right concept's best name; NaN where there is none."""
    right_row: Numbers
    """That name; of several right concepts the best one's, of equal ones that of the smallest id; -1 for none."""
    wrong: Doubles
    """The cosine of the best name of any wrong concept; NaN where there is none."""
    wrong_row: Numbers
    """That name, of equal ones the one with the smallest id; -1 for none."""


def concept_ranks(index: NameIndex, queries: Floats, right: Listed, hidden: Listed, device: str = "cpu") -> Ranks:
    """Return the rank of the right concept of each query: 1 + wrong concepts that come before it.

    A concept scores as its best name does: their cosine, rounded to 12 decimals. The best of the right concepts counts,
    of equally good ones that with the smallest number. A wrong concept comes before it if it scores higher, or equally
    high with a smaller number. `right` lists the numbers of the right concepts of each query, `hidden` the rows of
    names that do not count for it. With the `device` ``cuda`` torch does the same on a GPU.
    """
    search = Search(index, queries, right, hidden)
    if device == "cpu":
        # Few queries meet more names at once: a product pays only if it is large.
        names = _NAMES_AT_ONCE * min(8, max(1, _QUERIES_AT_ONCE // max(1, len(queries))))
        search.count(Tables(), names, _QUERIES_AT_ONCE)
    else:
        count_on_device(search, device)
    return search.ranks()


def count_on_device(search: Search, device: str) -> None:
    """Count for each query the concepts that come before the right one, and find its best wrong name."""
    torch = library("torch", "a GPU", "transformers", "torch")
    precision = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        with torch.inference_mode():
            search.count(_DeviceTables(torch, device), *_DEVICE_AT_ONCE)
    finally:
        torch.set_float32_matmul_precision(precision)


def chosen_device(name: str) -> str:
    """Return the device that a name stands for: with ``auto`` a GPU if torch sees one, else this computer's processor.

    A GPU that is named and not there is an error.
    """
    if name == "cpu":
        return name
    if name == "auto":
        try:
            import torch  # type: ignore[import-not-found, unused-ignore]
        except ImportError:
            return "cpu"
        return "cuda" if torch.cuda.is_available() else "cpu"
    Devices.parse(name).check(library("torch", "a GPU", "transformers", "torch"))
    return name


def score_ranks(rows: Iterable[Doubles], concepts: Numbers, right: Listed, hidden: Listed) -> Ranks:
    """Return the ranks of :func:`concept_ranks` by any other score, whose rows come as tables, queries by names.

    A score that is NaN is that of a name which does not count. `concepts` has the concept of each name, ascending.
    """
    count = len(right.offsets) - 1
    scores, rows_of = np.full((2, count), np.nan), np.full((2, count), NOBODY, np.int64)
    ranks = Ranks(np.zeros(count, np.int64), scores[0], rows_of[0], scores[1], rows_of[1])
    for query, row in enumerate(row for table in rows for row in table):
        values = np.where(np.isnan(row), -np.inf, row)
        values[hidden.values[hidden.offsets[query] : hidden.offsets[query + 1]]] = -np.inf
        right_rows = np.flatnonzero(np.isin(concepts, right.values[right.offsets[query] : right.offsets[query + 1]]))
        aim, aim_row = ranks.right[query], ranks.right_row[query] = _first_best(values, right_rows)
        values[right_rows] = -np.inf
        everywhere = np.arange(len(values))
        ranks.wrong[query], ranks.wrong_row[query] = _first_best(values, everywhere)
        if aim_row != NOBODY:
            before = concepts[(values > aim) | ((values == aim) & (everywhere < aim_row))]
            ranks.rank[query] = 1 + np.count_nonzero(np.diff(before, prepend=NOBODY))
    return ranks


def _first_best(values: Doubles, rows: Numbers) -> tuple[float, int]:
    """Return the greatest of some values and its row, of equal ones the first; NaN and -1 where there is none."""
    best = values[rows].max(initial=-np.inf)
    return (best, int(rows[values[rows].argmax()])) if best > -np.inf else (np.nan, NOBODY)


def nearest_of_others(index: NameIndex, k: int) -> tuple[Numbers, Doubles]:
    """Return for each name the k nearest names of other concepts: their rows (-1 for none) and rounded cosines.

    Of equally near names the one with the smaller row comes first.
    """
    first, end = index.spans(index.concepts)
    search = NeighbourSearch(index.vectors, np.arange(len(index.vectors) + 1), first, k, end)
    _offer_all(search, index)
    return search.rows, search.cosines


def nearest_concepts(index: NameIndex, queries: Floats, k: int) -> tuple[Numbers, Doubles]:
    """Return the k nearest concepts of each query by their best names: the rows of these (-1 for none) and cosines.

    Of equally near concepts the one with the smaller number comes first, as in :func:`concept_ranks`. Names are looked
    for until they are of k concepts.
    """
    rows, cosines = np.full((len(queries), k), NOBODY, np.int64), np.full((len(queries), k), np.nan)
    left, names = np.arange(len(queries)), k
    while len(left):
        search = NeighbourSearch(queries[left], np.arange(len(left) + 1), np.full(len(left), NOBODY), names)
        _offer_all(search, index)
        full = search.rows[:, -1] != NOBODY
        for query, near, scores in zip(left.tolist(), search.rows, search.cosines, strict=True):
            matches = near[near != NOBODY]
            first = np.sort(np.unique(index.concepts[matches], return_index=True)[1])[:k]
            rows[query, : len(first)], cosines[query, : len(first)] = matches[first], scores[first]
        left, names = left[full & (rows[left, -1] == NOBODY)], 2 * names
    return rows, cosines


def _offer_all(search: NeighbourSearch, index: NameIndex) -> None:
    step = max(1, BLOCK_BYTES // (4 * max(1, index.vectors.shape[1])))
    with track("Looking for the nearest names", total=len(index.vectors), unit="names") as advance:
        for start in range(0, len(index.vectors), step):
            block = index.vectors[start : start + step]
            search.offer(start, block)
            advance(len(block))


def best_concepts(table: Doubles, concepts: Numbers, k: int) -> tuple[Numbers, Doubles]:
    """Return what :func:`nearest_concepts` does by any other score: a table of queries by names, NaN for none."""
    rows, scores = np.full((len(table), k), NOBODY, np.int64), np.full((len(table), k), np.nan)
    starts = np.flatnonzero(np.diff(concepts, prepend=-1))
    for query, values in enumerate(np.nan_to_num(table, nan=-np.inf)):
        best = np.maximum.reduceat(values, starts)
        least = np.partition(best, -k)[-k] if len(best) > k else -np.inf
        near = np.flatnonzero((best >= least) & (best > -np.inf))
        near = near[np.argsort(-best[near], kind="stable")][:k]
        ends = np.append(starts, len(values))
        rows[query, : len(near)] = [starts[at] + values[starts[at] : ends[at + 1]].argmax() for at in near]
        scores[query, : len(near)] = best[near]
    return rows, scores


class Tables:
    """Large tables in NumPy, and what is done with them otherwise elsewhere."""

    library: Any = np
    """What has `amax`."""

    def put(self, values: NDArray[Any]) -> Any:  # noqa: ANN401
        """Bring an array to where the tables are."""
        return values

    def get(self, table: Any) -> NDArray[Any]:  # noqa: ANN401
        """Bring an array back."""
        values: NDArray[Any] = table
        return values

    def marked(self, marks: Any) -> Numbers:  # noqa: ANN401
        """Return which entries of a table are true, counted row by row."""
        return np.flatnonzero(marks)

    def best_of_groups(self, table: Any, groups: Numbers) -> Any:  # noqa: ANN401
        """Return the greatest of each group of columns, which begins where `groups` says."""
        return np.maximum.reduceat(table, groups, axis=1)


class _DeviceTables(Tables):
    """Tables of torch on a device."""

    def __init__(self, torch: Any, device: str) -> None:  # noqa: ANN401
        self.library, self._device = torch, device

    def put(self, values: NDArray[Any]) -> Any:  # noqa: ANN401
        return self.library.from_numpy(np.ascontiguousarray(values)).to(self._device)

    def get(self, table: Any) -> NDArray[Any]:  # noqa: ANN401
        values: NDArray[Any] = table.cpu().numpy()
        return values

    def marked(self, marks: Any) -> NDArray[np.int64]:  # noqa: ANN401
        return self.get(marks.flatten().nonzero()[:, 0])

    def best_of_groups(self, table: Any, groups: NDArray[np.int64]) -> Any:  # noqa: ANN401
        sizes = np.diff(groups, append=table.shape[1])
        numbers = self.put(np.repeat(np.arange(len(groups)), sizes)).expand(len(table), -1)
        best = self.library.full((len(table), len(groups)), NOWHERE, device=self._device)
        return best.scatter_reduce_(1, numbers, table, "amax")


class Search:
    """A search under way: what is asked, which names count for whom, and what was found so far."""

    def __init__(self, index: NameIndex, queries: Floats, right: Listed, hidden: Listed) -> None:
        """Look up the right concepts' names, and score them: the best is the aim, to be beaten by a wrong one."""
        self._index = index
        self._raw = np.ascontiguousarray(queries, np.float32)
        count, width = self._raw.shape
        self._inverse, self._query_inverse = _inverse_lengths(index.vectors), _inverse_lengths(self._raw)
        first, end = index.spans(right.values)
        owners = np.repeat(right.owners, end - first)
        rows = np.repeat(first - np.cumsum(end - first) + (end - first), end - first) + np.arange(len(owners))
        # Rows that do not count, ascending, each with a query: those of right concepts, and hidden ones.
        passed, passed_by = np.concatenate([rows, hidden.values]), np.concatenate([owners, hidden.owners])
        order = np.lexsort((passed_by, passed))
        self._passed, self._passed_by = passed[order], passed_by[order]
        shown = ~np.isin(owners * len(index.concepts) + rows, hidden.owners * len(index.concepts) + hidden.values)
        self._aim, self._aim_row = np.full(count, NOWHERE), np.full(count, NOBODY, np.int64)
        self._take_best(owners[shown], rows[shown], self._aim, self._aim_row)
        concepts = index.concepts[self._aim_row] if len(index.concepts) else NOBODY
        self._aim_concept = np.where(self._aim_row == NOBODY, NOBODY, concepts)
        # How far a cosine in single precision can be off.
        self._margin = (width + 8) * 2.0**-24 + 2 / _SCALE
        self._before = np.zeros(count, np.int64)
        self._best, self._best_row = np.full(count, NOWHERE), np.full(count, NOBODY, np.int64)

    def count(self, tables: Tables, names_at_once: int, queries_at_once: int) -> None:
        """Count for each query the concepts that come before the right one, and find its best wrong name."""
        concepts, low = self._index.concepts, 0
        queries = tables.put(_units(self._raw, self._query_inverse))
        with track("Linking", total=len(concepts), unit="names") as done:
            while low < len(concepts):
                high = min(low + names_at_once, len(concepts))  # never between two names of one concept
                high = int(np.searchsorted(concepts, concepts[high - 1], "right"))
                units = tables.put(_units(self._index.vectors[low:high], self._inverse[low:high]))
                unknown = tables.put(np.flatnonzero(np.isnan(self._inverse[low:high])))
                begin, end = np.searchsorted(self._passed, [low, high])
                passed, passed_by = self._passed[begin:end] - low, self._passed_by[begin:end]
                for start in range(0, len(self._raw), queries_at_once):
                    cosines = queries[start : start + queries_at_once] @ units.T
                    cosines[:, unknown] = NOWHERE
                    some = (passed_by >= start) & (passed_by < start + queries_at_once)
                    cosines[tables.put(passed_by[some] - start), tables.put(passed[some])] = NOWHERE
                    self._count_before(tables, cosines, low, start)
                    self._find_best(tables, cosines, low, start)
                done(high - low)
                low = high

    def _count_before(self, tables: Tables, cosines: Any, low: int, start: int) -> None:  # noqa: ANN401
        """Count concepts that certainly come before the right one, then those of which double precision says so."""
        count, width = cosines.shape
        some = slice(start, start + count)
        least, most = (
            tables.put(bound.astype(np.float32)[:, None])
            for bound in (self._aim[some] - self._margin, self._aim[some] + self._margin)
        )
        concepts = self._index.concepts[low : low + width]
        groups = np.flatnonzero(np.diff(concepts, prepend=NOBODY))
        if len(groups) == width:
            sure = cosines > most
            self._before[some] += tables.get(sure.sum(1))
        else:
            sure = tables.best_of_groups(cosines, groups) > most
            self._before[some] += tables.get(sure.sum(1))
            sure = sure[:, tables.put(np.repeat(np.arange(len(groups)), np.diff(groups, append=width)))]
        queries, names = np.divmod(tables.marked((cosines >= least) & ~sure), width)
        queries += start
        scores, aims = self._scores(queries, names + low), self._aim[queries]
        first = (scores > aims) | ((scores == aims) & (concepts[names] < self._aim_concept[queries]))
        different = np.unique(np.stack([queries[first], concepts[names[first]]]), axis=1)
        self._before += np.bincount(different[0], minlength=len(self._before))

    def _find_best(self, tables: Tables, cosines: Any, low: int, start: int) -> None:  # noqa: ANN401
        """See whether a name of the block is nearer than the best wrong one so far."""
        count, width = cosines.shape
        greatest = tables.get(tables.library.amax(cosines, 1)).astype(np.float64)
        least = np.maximum(self._best[start : start + count], greatest - self._margin) - self._margin
        least[~(greatest > NOWHERE)] = np.inf
        queries, names = np.divmod(tables.marked(cosines >= tables.put(least.astype(np.float32)[:, None])), width)
        self._take_best(queries + start, names + low, self._best, self._best_row)

    def _take_best(self, queries: Numbers, rows: Numbers, best: Doubles, best_row: Numbers) -> None:
        """Put a row in place of the best one of its query so far if it is nearer; of equal ones the smallest."""
        scores = self._scores(queries, rows)
        order = np.lexsort((rows, -scores, queries))
        different, first = np.unique(queries[order], return_index=True)
        winners = order[first]
        better = scores[winners] > best[different]
        best[different[better]], best_row[different[better]] = scores[winners[better]], rows[winners[better]]

    def _scores(self, queries: Numbers, rows: Numbers) -> Doubles:
        """Return cosines in double precision, rounded."""
        products = np.empty(len(rows))
        write_products(self._raw, self._index.vectors, queries, rows, products)
        scores = np.rint(products * (self._query_inverse[queries] * self._inverse[rows]) * _SCALE) / _SCALE
        return np.where(np.isnan(scores), NOWHERE, scores)

    def ranks(self) -> Ranks:
        """Return what was found."""
        answered = ~np.isnan(self._query_inverse) & (self._aim_row != NOBODY)
        return Ranks(
            np.where(answered, self._before + 1, 0),
            np.where(self._aim_row == NOBODY, np.nan, self._aim),
            self._aim_row,
            np.where(self._best_row == NOBODY, np.nan, self._best),
            self._best_row,
        )


def _inverse_lengths(vectors: Floats) -> Doubles:
    """Return 1 / length of each vector; NaN for one that is zero or not finite."""
    squares = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    return 1 / np.sqrt(np.where(np.isfinite(squares) & (squares > 0), squares, np.nan))


def _units(vectors: Floats, inverse: Doubles) -> Floats:
    """Return vectors at length 1; zero for those that have none."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isnan(inverse)[:, None], 0, vectors * inverse[:, None]).astype(np.float32)


@njit()
def write_products(queries: Floats, names: Floats, some: Numbers, rows: Numbers, out: Doubles) -> None:
    """Write the dot product of each pair of a query and a name, in double precision."""
    for p in range(len(rows)):
        out[p] = dot(queries[some[p]], names[rows[p]])
