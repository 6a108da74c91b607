"""Libraries that only some models need, imported where they are used, and the devices on which torch works.

Every device has a copy of the model; a batch is dealt out text by text, so that all get texts of the same lengths.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from termgauge.exceptions import TermgaugeError
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def library(module: str, what: str, extra: str, called: str = "") -> Any:  # noqa: ANN401
    """Return a module, or say that something needs it and which extra of termgauge brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise _missing(what, called or module, extra) from error


def require_library(module: str, what: str, extra: str) -> None:
    """Say the same where a module is not installed, without the time that it takes to import it."""
    if find_spec(module) is None:
        raise _missing(what, module.replace("_", "-"), extra)


def _missing(what: str, module: str, extra: str) -> TermgaugeError:
    return TermgaugeError(f"{what} needs {module}; install it with: pip install 'termgauge[{extra}]'.")


def first_line(error: BaseException) -> str:
    """Return the beginning of what an exception of a library says."""
    return str(error).strip().partition("\n")[0].rstrip(".")[:200] or type(error).__name__


CPU_BATCH = 64
GPU_BATCH = 1024

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Devices:
    """The devices that a user named, as ``cpu`` or ``cuda:0,cuda:1``."""

    names: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Devices:
        """Read the option ``device``; whether they are there is seen by `check`."""
        names = tuple(name.strip() for name in text.split(","))
        for name in names:
            kind, _, number = name.partition(":")
            if kind not in ("cpu", "cuda", "mps", "xpu") or (number and not number.isdecimal()):
                raise TermgaugeError(
                    f"The option 'device' is cpu, cuda, cuda:0 or several as cuda:0,cuda:1, not '{name}'."
                )
        return cls(names)

    @property
    def batch_size(self) -> int:
        """How many texts keep all of them busy."""
        return sum(CPU_BATCH if name.startswith("cpu") else GPU_BATCH for name in self.names)

    def check(self, torch: Any) -> None:  # noqa: ANN401
        """Refuse devices that torch does not see."""
        there = torch.cuda.device_count() if torch.cuda.is_available() else 0
        for name in self.names:
            kind, _, number = name.partition(":")
            if kind == "cuda" and int(number or 0) >= there:
                raise TermgaugeError(
                    f"device={name}: torch sees {there} CUDA devices here; give device=cpu or install torch with CUDA."
                )
            if kind == "mps" and not torch.backends.mps.is_available():
                raise TermgaugeError("device=mps: torch sees no Apple GPU here; give device=cpu.")

    def share(self, items: Sequence[_Item], work: Callable[[int, Sequence[_Item]], Sequence[_Result]]) -> list[_Result]:
        """Deal items out to the devices, let all work at once, and put the results in the order of the items.

        `work`, given the number of a device and its items, returns as many results; where a device's memory is too
        small for that many, it is given half of them at a time.
        """
        count = min(len(self.names), len(items))
        if count <= 1:
            return self._fitting(0, items, work)
        with ThreadPool(count) as pool:
            parts = list(pool.map(lambda device: self._fitting(device, items[device::count], work), range(count)))
        return [parts[at % count][at // count] for at in range(len(items))]

    def _fitting(
        self, device: int, items: Sequence[_Item], work: Callable[[int, Sequence[_Item]], Sequence[_Result]]
    ) -> list[_Result]:
        try:
            return list(work(device, items))
        except RuntimeError as error:
            if type(error).__name__ != "OutOfMemoryError":  # torch's, without importing torch
                raise
            if len(items) == 1:
                raise TermgaugeError(
                    f"device={self.names[device]}: has too little memory for one term; give dtype=float16 or "
                    "device=cpu."
                ) from error
        half = len(items) // 2
        return [*self._fitting(device, items[:half], work), *self._fitting(device, items[half:], work)]
