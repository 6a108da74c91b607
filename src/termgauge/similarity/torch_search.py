"""The ranks of :mod:`termgauge.similarity.search` on a GPU, whose large tables torch keeps there.

Matrix products are in full single precision. Cosines within the margin come back to be computed again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.embeddings.libraries import library
from termgauge.similarity.search import NOWHERE, Tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from termgauge.similarity.search import Search

_NAMES_AT_ONCE = 1 << 14
_QUERIES_AT_ONCE = 1 << 13


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
    from termgauge.embeddings.encoders.torch_devices import Devices

    Devices.parse(name).check(library("torch", "a GPU", "transformers", "torch"))
    return name


def count_on_device(search: Search, device: str) -> None:
    """Count for each query the concepts that come before the right one, and find its best wrong name."""
    torch = library("torch", "a GPU", "transformers", "torch")
    precision = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        with torch.inference_mode():
            search.count(_DeviceTables(torch, device), _NAMES_AT_ONCE, _QUERIES_AT_ONCE)
    finally:
        torch.set_float32_matmul_precision(precision)


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
