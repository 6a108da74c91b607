"""Work in jobs that may be done anywhere: what an executor is, which one is in use, and what is sent to it.

Code whose work falls into independent jobs asks :func:`current_executor` where to send them. None means nowhere: it
does them itself, with threads. A job is a function that any worker can import, called with plain values and small
arrays; what is large is an `Artifact`, which each worker gets once. All that is drawn by chance is drawn by who sends
jobs, so that a result does not depend on where they were done, nor on how many did them.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from termgauge.exceptions import CannotWriteError, TermgaugeError, sentence_of
from termgauge.io.identity import sha256_of_value
from termgauge.io.store import entry_path, mark_used, new_entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

T_ = TypeVar("T_")
ARRAYS = "arrays"
"""Where the cache has them."""
THREAD_VARIABLES = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS")
"""What libraries read, when they are first imported, to know how many threads they may use."""


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ArtifactFile(NamedTuple):
    """A file of an artifact."""

    name: str
    """Inside of the folder, with slashes; empty if the artifact is one file."""
    size: int
    sha256: str = ""
    """Empty where all workers see the same disk."""


@dataclass(frozen=True)
class Artifact:
    """A file or a folder that jobs read, known by what it holds."""

    path: str
    """Where it is on the machine that sends it."""
    files: tuple[ArtifactFile, ...]

    @property
    def key(self) -> str:
        """A hash of its name and of all that it holds; of its path where all see the same disk."""
        hashed = all(file.sha256 for file in self.files)
        return sha256_of_value([Path(self.path).name if hashed else self.path, self.files])

    @property
    def here(self) -> Path:
        """Where it is on this machine."""
        return _received.get(self.key, Path(self.path))


_received: dict[str, Path] = {}


def set_local_path(artifact: Artifact, path: Path) -> None:
    """Note where an artifact is on this machine."""
    _received[artifact.key] = path


def save_arrays(arrays: Mapping[str, NDArray[Any]]) -> Path:
    """Write arrays into the cache, and return the folder in which they are, of which an artifact can be made."""
    import numpy as np

    plain = ((name, np.ascontiguousarray(array)) for name, array in arrays.items())
    about = [
        (name, array.dtype.str, array.shape, hashlib.sha256(array.data if array.size else b"").hexdigest())
        for name, array in plain
    ]
    home = entry_path(ARRAYS, key := sha256_of_value(about))
    if not home.is_dir():
        with new_entry(ARRAYS, key) as folder:
            for name, array in arrays.items():
                np.save(folder / f"{name}.npy", array)
    mark_used(home)
    return home


def load_arrays(artifact: Artifact) -> dict[str, NDArray[Any]]:
    """Return the arrays of an artifact, mapped from the disk; what is written to one is not written there."""
    import numpy as np

    return {path.stem: np.asarray(np.load(path, mmap_mode="c")) for path in sorted(artifact.here.glob("*.npy"))}


@dataclass(frozen=True)
class JobResult(Generic[T_]):
    """What became of a job."""

    number: int
    """Which of the jobs it was, counted from 0."""
    value: T_ | None = None
    error: Exception | None = None
    """Why there is no value: what the job raised, or that it was given up."""
    worker: str = ""
    seconds: float = 0.0
    tries: int = 1
    """How often it was sent to a worker that took it; those that died unheard are not known."""

    def result(self) -> T_:
        """Return the value, or raise why there is none."""
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]


Inputs = Sequence[Artifact] | Callable[..., Sequence[Artifact]]


class JobExecutor(Protocol):
    """Whoever does jobs."""

    local: bool
    """Whether all is done on this machine."""

    @property
    def slots(self) -> int:
        """How many are done at once."""

    @property
    def gpus(self) -> int:
        """How many GPUs workers say that they have."""

    def map(
        self,
        function: Callable[..., T_],
        jobs: Iterable[tuple[Any, ...]],
        *,
        label: str,
        inputs: Inputs = (),
        gpu: bool = False,
    ) -> Iterator[JobResult[T_]]:
        """Call a function of a module with the values of each job, and yield what became of each as soon as known.

        Jobs are taken a few ahead of those that are done, never all at once. `label` names one of them to people
        (``search``). `inputs` are the artifacts that they read, or a function that says it of the values of a job. A
        `gpu` is asked for where there is one.
        """

    def artifact(self, path: Path) -> Artifact:
        """Make an artifact of a file or folder."""


_executor: ContextVar[JobExecutor | None] = ContextVar("termgauge_executor", default=None)
_on_worker: ContextVar[bool] = ContextVar("termgauge_on_worker", default=False)


def current_executor() -> JobExecutor | None:
    """Return where jobs may be sent to; None if they are done here."""
    return _executor.get()


def on_worker() -> bool:
    """Say whether this is done for another process, which can have it done elsewhere."""
    return _on_worker.get()


@contextmanager
def use_executor(executor: JobExecutor | None, *, worker: bool | None = None) -> Iterator[None]:
    """Send the jobs of all work inside of the block to an executor, or nowhere; `worker` is what `on_worker` says."""
    tokens = _executor.set(executor), _on_worker.set(on_worker() if worker is None else worker)
    try:
        yield
    finally:
        _executor.reset(tokens[0])
        _on_worker.reset(tokens[1])


def require_devices(devices: Iterable[str]) -> None:
    """Refuse a GPU that no worker of a cluster of several machines says it has, before anything starts."""
    executor = current_executor()
    wanted = next((device for device in devices if device.startswith("cuda")), None)
    if wanted and executor is not None and not executor.local and not executor.gpus:
        raise TermgaugeError(
            f"device={wanted}: no worker of the cluster says that it has a GPU; start one with: dask worker "
            "--resources GPU=1, or give device=cpu."
        )


_cleanups: list[Callable[[], None]] = []


def forget_when_done(cleanup: Callable[[], None]) -> None:
    """Have something called on a worker once its client needs it no longer, such as to empty what is kept in memory."""
    if cleanup not in _cleanups:
        _cleanups.append(cleanup)


def forget() -> None:
    """Let go of what was kept for a client."""
    for cleanup in _cleanups:
        cleanup()


class RetryElsewhereError(TermgaugeError):
    """A worker cannot do a job as who sends it would; another may."""


def retry_reason(error: BaseException) -> str:
    """Return in a sentence what the machine lacks, as memory or disk; nothing if an error says something else.

    >>> retry_reason(OSError(28, "No space left on device"))
    'The system says: No space left on device.'
    >>> retry_reason(ValueError("28"))
    ''
    """
    lacks = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.ENOMEM)
    of_this_machine = MemoryError | CannotWriteError | RetryElsewhereError
    return sentence_of(error) if lacks or isinstance(error, of_this_machine) else ""


def in_order(results: Iterable[JobResult[T_]]) -> Iterator[T_]:
    """Yield the values of jobs in their order, each as soon as those before it are known; a failure is raised.

    >>> list(in_order([JobResult(1, "b"), JobResult(0, "a"), JobResult(2, "c")]))
    ['a', 'b', 'c']
    """
    waiting: dict[int, JobResult[T_]] = {}
    at = 0
    for result in results:
        waiting[result.number] = result
        while at in waiting:
            yield waiting.pop(at).result()
            at += 1
