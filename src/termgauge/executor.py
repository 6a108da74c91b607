"""Work in jobs that may be done anywhere: what an executor is, which one is in use, and what is sent to it.

Code whose work falls into independent jobs asks :func:`current_executor` where to send them. None means nowhere: it
does them itself, with threads. A job is a function that any worker can import, called with plain values and small
arrays; what is large is an `Artifact`, which each worker gets once. All that is drawn by chance is drawn by who sends
jobs, so that a result does not depend on where they were done, nor on how many did them.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from termgauge.exceptions import CannotWriteError, TermgaugeError, sentence_of
from termgauge.io.artifacts import Artifact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

T_ = TypeVar("T_")


@dataclass(frozen=True)
class JobResult(Generic[T_]):
    """What became of a job: of its number, counted from 0, a value, or why there is none."""

    number: int
    value: T_ | None = None
    error: BaseException | None = None
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
    """Whoever does jobs, all on this machine or not."""

    local: bool

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


def current_executor() -> JobExecutor | None:
    """Return where jobs may be sent to; None if they are done here."""
    return _executor.get()


@contextmanager
def use_executor(executor: JobExecutor | None) -> Iterator[None]:
    """Send the jobs of all work inside of the block to an executor, or nowhere."""
    token = _executor.set(executor)
    try:
        yield
    finally:
        _executor.reset(token)


class RetryElsewhereError(TermgaugeError):
    """A worker cannot do a job as who sends it would; another may."""


def retry_reason(error: BaseException) -> str:
    """Return in a sentence what the machine lacks, as memory or disk; nothing if an error says something else."""
    lacks = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.ENOMEM)
    of_this_machine = MemoryError | CannotWriteError | RetryElsewhereError
    return sentence_of(error) if lacks or isinstance(error, of_this_machine) else ""


def in_order(results: Iterable[JobResult[T_]]) -> Iterator[T_]:
    """Yield the values of jobs in their order, each as soon as those before it are known; a failure is raised."""
    waiting: dict[int, JobResult[T_]] = {}
    at = 0
    for result in results:
        waiting[result.number] = result
        while at in waiting:
            yield waiting.pop(at).result()
            at += 1
