"""The ranks of :mod:`termgauge.similarity.search` on a GPU, by torch: the same steps, and so the same ranks.

Matrix products are in full single precision. Cosines within the margin are computed again in double precision there.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.embeddings.cosines import DECIMALS
from termgauge.embeddings.libraries import Devices, library
from termgauge.embeddings.units import unit_vectors
from termgauge.progress import track
from termgauge.similarity.search import NOWHERE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from termgauge.similarity.search import Search

_NAMES_AT_ONCE = 1 << 14
_QUERIES_AT_ONCE = 1 << 13
_PAIRS_AT_ONCE = 1 << 16
_MOST_PAIRS = 1 << 23
_RESULTS = ("before", "best", "best_row")


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


def count_on_device(search: Search, device: str) -> None:
    """Count for each query the concepts that come before the right one, and find its best wrong name."""
    torch = library("torch", "a GPU", "transformers", "torch")
    with torch.inference_mode():
        _Counting(torch, search, device).work()


class _Counting:
    """A search whose vectors are on a device."""

    def __init__(self, torch: Any, search: Search, device: str) -> None:  # noqa: ANN401
        self._torch, self._search, self._device = torch, search, device
        self._names, self._concepts = self._there(search.index.vectors), self._there(search.index.concepts)
        arrays = ("queries", "raw", "aim", "aim_concept", *_RESULTS)
        # What the search has under the same names, on the device.
        self._on = SimpleNamespace(**{name: self._there(getattr(search, name)) for name in arrays})

    def _there(self, values: NDArray[Any]) -> Any:  # noqa: ANN401
        return self._torch.from_numpy(np.ascontiguousarray(values)).to(self._device)

    def work(self) -> None:
        """Go through all names and bring back what was found."""
        search, torch = self._search, self._torch
        precision = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision("highest")
        try:
            with track("Linking", total=len(search.index.concepts), unit="names") as done:
                for low, high in search.blocks(_NAMES_AT_ONCE):
                    self._block(low, high)
                    done(high - low)
        finally:
            torch.set_float32_matmul_precision(precision)
        for name in _RESULTS:
            getattr(search, name)[:] = getattr(self._on, name).cpu().numpy()

    def _block(self, low: int, high: int) -> None:
        search, torch = self._search, self._torch
        units = self._there(unit_vectors(search.index.vectors[low:high], np.float32))
        unknown = units[:, 0].isnan()
        groups, numbers = torch.unique_consecutive(self._concepts[low:high], return_inverse=True)
        rows, queries = search.passed(low, high)
        for start in range(0, len(search.queries), _QUERIES_AT_ONCE):
            stop = min(start + _QUERIES_AT_ONCE, len(search.queries))
            cosines = self._on.queries[start:stop] @ units.T
            cosines[:, unknown] = NOWHERE
            begin, end = np.searchsorted(queries, [start, stop])
            cosines[self._there(queries[begin:end] - start), self._there(rows[begin:end] - low)] = NOWHERE
            self._count(cosines, groups, numbers, low, start)
            self._find_best(cosines, low, start)

    def _count(self, cosines: Any, groups: Any, numbers: Any, low: int, start: int) -> None:  # noqa: ANN401
        """Count concepts that certainly come before, then those of which double precision says so."""
        torch, margin = self._torch, self._search.margin
        some = slice(start, start + len(cosines))
        aim = self._on.aim[some]
        least, most = (aim - margin).float()[:, None], (aim + margin).float()[:, None]
        alone = len(groups) == cosines.shape[1]
        if alone:
            best = cosines
        else:
            best = torch.full((len(cosines), len(groups)), NOWHERE, device=self._device)
            best.scatter_reduce_(1, numbers.expand(len(cosines), -1), cosines, "amax")
        self._on.before[some] += (best > most).sum(1)
        # A concept that may come before: near the aim, and no name of it certainly beyond.
        near = (cosines >= least) & ((cosines if alone else best[:, numbers]) <= most)
        for queries, names in self._pairs(near):
            exact = self._exact(queries + start, names + low)
            group = queries * len(groups) + numbers[names]
            which, inverse = torch.unique_consecutive(group, return_inverse=True)
            score = torch.full((len(which),), NOWHERE, dtype=torch.float64, device=self._device)
            score.scatter_reduce_(0, inverse, exact, "amax")
            owner = which // len(groups)
            beaten, number = aim[owner], self._on.aim_concept[some][owner]
            first = (score > beaten) | ((score == beaten) & (groups[which % len(groups)] < number))
            self._on.before[some].index_add_(0, owner, first.long())

    def _find_best(self, cosines: Any, low: int, start: int) -> None:  # noqa: ANN401
        """See whether a name of the block is nearer than the best one so far."""
        torch, margin = self._torch, self._search.margin
        some = slice(start, start + len(cosines))
        best, best_row = self._on.best[some], self._on.best_row[some]
        greatest = cosines.amax(1).double()
        least = torch.maximum(best, greatest - margin) - margin
        least = torch.where(greatest > NOWHERE, least, torch.inf).float()[:, None]
        for queries, names in self._pairs((cosines >= least) & (cosines > NOWHERE)):
            exact = self._exact(queries + start, names + low)
            score = best.scatter_reduce(0, queries, exact, "amax")
            winning = exact == score[queries]
            row = torch.full_like(best_row, torch.iinfo(torch.int64).max)
            row.scatter_reduce_(0, queries[winning], names[winning] + low, "amin")
            better = score > best
            best_row[better] = row[better]
            best[better] = score[better]

    def _pairs(self, chosen: Any) -> Any:  # noqa: ANN401
        """Yield queries and names of chosen places, whole queries at a time, so many as memory holds."""
        ends = chosen.sum(1).cumsum(0).cpu().numpy()
        first = 0
        while first < len(ends):
            before = int(ends[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(ends, before + _MOST_PAIRS, "right")))
            if ends[last - 1] > before:
                queries, names = chosen[first:last].nonzero(as_tuple=True)
                yield queries + first, names
            first = last

    def _exact(self, queries: Any, names: Any) -> Any:  # noqa: ANN401
        """Return cosines in double precision, rounded."""
        torch = self._torch
        values = torch.empty(len(queries), dtype=torch.float64, device=self._device)
        for low in range(0, len(queries), _PAIRS_AT_ONCE):
            one, other = queries[low : low + _PAIRS_AT_ONCE], names[low : low + _PAIRS_AT_ONCE]
            x, y = self._on.raw[one].double(), self._names[other].double()
            lengths = (x * x).sum(1) * (y * y).sum(1)
            values[low : low + _PAIRS_AT_ONCE] = (x * y).sum(1) / lengths.sqrt()
        scale = 10.0**DECIMALS
        return torch.round(values * scale) / scale
