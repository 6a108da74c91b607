"""A Dask cluster as an executor.

Dask schedules jobs, and does again what was under way on a worker that is gone. What a worker lacks is uploaded to it;
what it cannot do, for want of memory, disk or the right version, goes to another. Nothing else is retried.
"""

from __future__ import annotations

import errno
import os
import pickle
import queue
import time
from concurrent.futures import CancelledError
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from termgauge.cluster.artifacts import artifact_of, missing, upload
from termgauge.cluster.worker import DONE, FAILED, MISSING_INPUT, REFUSED, perform
from termgauge.exceptions import ClusterLostError, TermgaugeError, warn
from termgauge.executor import JobResult
from termgauge.io.identity import version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from distributed import Client, Future

    from termgauge.executor import Artifact, Inputs

T_ = TypeVar("T_")
GPU = "GPU"
TRIES = 4
"""How often a job is begun at most: once, and three times more after its worker was lost or could not do it."""
AHEAD = 3
"""So many jobs for each that can be done at once are sent ahead."""
WAKES_SECONDS, ASKS_SECONDS, ALONE_SECONDS = 0.2, 2.0, 5.0
"""Who waits looks up, asks who the workers are, and says that there is none, after so long."""
NESTED_PRIORITY = 10
"""Jobs of a job come before others, so that those end."""
_DISK_IS_FULL = tuple(os.strerror(number).lower() for number in (errno.ENOSPC, errno.EDQUOT))


class GivenUpError(TermgaugeError):
    """A job was tried on several workers, and none could do it."""


def given_up(label: str, tries: int, reason: str) -> GivenUpError:
    """Say that a job was given up."""
    why = reason.rstrip(".") or "each time its worker died or stopped answering, perhaps for lack of memory"
    remedy = "give the workers more memory" if "memory" in why.lower() else "mend this, and run the same command again"
    if any(full in why.lower() for full in _DISK_IS_FULL):
        remedy = "make room on the disks of the workers"
    often = f"{tries} times" if tries > 1 else "once"
    return GivenUpError(f"The {label} was begun {often} on the cluster and not finished ({why}); {remedy}.")


def lost(error: BaseException | None = None) -> ClusterLostError:
    """Say that the cluster is gone, and why as far as the system says it; what Dask trips over then says nothing."""
    why = f" ({str(error).rstrip('.')})" if isinstance(error, OSError) and str(error) else ""
    return ClusterLostError(
        f"The connection to the cluster was lost{why}; what was finished is kept, so run the same command again once "
        "the scheduler answers."
    )


def no_worker_of_this_version(others: Mapping[str, str]) -> TermgaugeError:
    """Say that all workers have other versions."""
    some = ", ".join(f"{address} has {theirs}" for address, theirs in sorted(others.items())[:4])
    more = f", and {len(others) - 4} more" if len(others) > 4 else ""
    return TermgaugeError(
        f"No worker of the cluster has termgauge {version()}: {some}{more}; install this version on the workers, or "
        "theirs here."
    )


class DaskExecutor:
    """An executor behind a Dask client, or, without one, behind the worker on which the present job is done.

    With `shared` all workers see the same disk under the same paths; with `local` they are on this machine.
    """

    def __init__(self, client: Client | None, *, shared: bool = False, local: bool = False) -> None:
        self._given, self.nested, self.shared, self.local = client, client is None, shared, local
        self._asked: tuple[float, dict[str, Any]] = (float("-inf"), {})
        self.refused: dict[str, str] = {}
        """Workers of other versions, by address."""

    @cached_property
    def client(self) -> Client:
        """The client; on a worker its own, made when the first job has jobs to send."""
        from distributed import get_client

        return self._given or get_client()

    @property
    def workers(self) -> dict[str, Any]:
        """What Dask says of the workers that can be used, by address."""
        asked, workers = self._asked
        if time.monotonic() - asked >= ASKS_SECONDS:
            try:
                workers = dict(self.client.scheduler_info(n_workers=-1)["workers"])
            except (OSError, RuntimeError, ValueError, TypeError, KeyError) as error:  # as it is, or is just lost
                raise lost(error) from None
            self._asked = time.monotonic(), workers
        return {address: about for address, about in workers.items() if address not in self.refused}

    @property
    def slots(self) -> int:
        """How many jobs are done at once."""
        return sum(about["nthreads"] for about in self.workers.values())

    @property
    def gpus(self) -> int:
        """How many GPUs workers say that they have."""
        return int(sum(about["resources"].get(GPU, 0) for about in self.workers.values()))

    def refuse(self, address: str, theirs: str) -> None:
        """Send nothing to a worker of another version."""
        if address not in self.refused:
            self.refused[address] = theirs
            warn(
                f"The worker {address} has termgauge {theirs}, not {version()}, and gets no work; install the same "
                "version there."
            )

    def artifact(self, path: Path) -> Artifact:
        """Make an artifact of a file or folder."""
        return artifact_of(path, shared=self.shared)

    def map(
        self,
        function: Callable[..., T_],
        jobs: Iterable[tuple[Any, ...]],
        *,
        label: str,
        inputs: Inputs = (),
        gpu: bool = False,
    ) -> Iterator[JobResult[T_]]:
        """Have jobs done, and yield what became of each as soon as it is known."""
        from distributed import worker_client

        holds_gpu = gpu and self.gpus > 0

        def made() -> Iterator[_Job]:
            for number, values in enumerate(jobs):
                artifacts = tuple(inputs(*values) if callable(inputs) else inputs)
                content = pickle.dumps((function, values, artifacts, self.shared, holds_gpu))
                yield _Job(number, label, content, artifacts, {GPU: 1} if holds_gpu else None)

        # A job that waits for its own jobs gives its thread to others meanwhile.
        with worker_client() if self.nested else nullcontext():
            yield from _Batch(self).run(made())


@dataclass
class _Job:
    number: int
    label: str
    content: bytes
    inputs: tuple[Artifact, ...]
    resources: dict[str, float] | None
    sent: int = 0
    tries: int = 1
    avoided: set[str] = field(default_factory=set)
    """Workers that could not do it."""


class _Batch:
    """The jobs of one call: sent a few ahead, answered, sent again."""

    def __init__(self, executor: DaskExecutor) -> None:
        self._executor, self._token = executor, uuid4().hex[:8]
        self._finished: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        self._running: dict[Any, tuple[_Job, Future[Any]]] = {}
        self._deadly: set[str] = set()
        """Workers that died, each with the job that is to blame."""
        self._alone_since = time.monotonic()

    def run(self, jobs: Iterator[_Job]) -> Iterator[JobResult[Any]]:
        """Have jobs done, and yield what became of each."""
        left = True
        try:
            while left or self._running:
                while left and len(self._running) < AHEAD * (self._executor.slots + 1):
                    job = next(jobs, None)
                    left = job is not None
                    if job is not None:
                        self._submit(job)
                yield from self._next()
        finally:
            if self._running:
                with suppress(Exception):  # the cluster may be gone, and with it what was under way
                    self._executor.client.cancel([future for _job, future in self._running.values()], force=True)

    def _submit(self, job: _Job, address: str = "") -> None:
        """Send a job to a worker if there is one, or to any that can do it as far as is known."""
        executor, preferred = self._executor, {address} if address else set()
        if not preferred and (job.avoided or executor.refused):
            preferred = set(executor.workers) - job.avoided
        if executor.refused and not executor.workers:
            raise no_worker_of_this_version(executor.refused)
        key = (f"{job.label}-{self._token}", job.number, job.sent)
        future = executor.client.submit(
            perform,
            version(),
            job.label,
            job.content,
            key=key,
            pure=False,
            workers=sorted(preferred) or None,
            allow_other_workers=bool(preferred),  # else a job whose workers are gone would wait for them
            resources=job.resources,
            priority=NESTED_PRIORITY if executor.nested else 0,
        )
        job.sent += 1
        self._running[key] = job, future
        future.add_done_callback(self._finished.put)

    def _next(self) -> Iterator[JobResult[Any]]:
        """Deal with what has finished since it was last asked; wait a little if nothing has."""
        finished = {}
        try:
            future = self._finished.get(timeout=WAKES_SECONDS)
            while True:
                finished[future.key] = future
                future = self._finished.get_nowait()
        except queue.Empty:
            self._warn_if_alone()
        try:
            answers = self._executor.client.gather(finished, errors="skip") if finished else {}
            for key, future in finished.items():
                job, _future = self._running.pop(key)
                error = future.exception() if answers.get(key) is None else None
                future.release()
                yield from self._answered(job, *answers[key]) if error is None else self._failed(job, error)
        except (CancelledError, OSError) as error:
            raise lost(error) from None

    def _answered(self, job: _Job, status: str, worker: str, content: Any, seconds: float) -> Iterator[JobResult[Any]]:  # noqa: ANN401
        address = worker.rpartition("(")[2].removesuffix(")")
        if status == REFUSED:
            self._executor.refuse(address, content)
            self._submit(job)
        elif status == MISSING_INPUT:
            yield from self._upload(job, worker, address)
        elif status in (DONE, FAILED):
            try:
                value = pickle.loads(content)  # noqa: S301 - of a worker that does what it is sent
            except Exception as error:  # noqa: BLE001 - what was made there cannot be read here
                yield from self._failed(job, error)
                return
            outcome = {"value" if status == DONE else "error": value}
            yield JobResult(job.number, worker=worker, seconds=seconds, tries=job.tries, **outcome)
        else:
            yield from self._retry(job, worker, address, content)

    def _failed(self, job: _Job, error: BaseException) -> Iterator[JobResult[Any]]:
        """Give up a job on which workers died; those that waited behind it there are sent again."""
        from distributed import KilledWorker

        if not isinstance(error, KilledWorker):
            yield JobResult(job.number, None, given_up(job.label, 1, f"{type(error).__name__}: {error}"))
        elif (worker := error.last_worker.address) in self._deadly:
            self._submit(job)
        else:
            self._deadly.add(worker)
            yield JobResult(job.number, None, given_up(job.label, TRIES, ""), worker, tries=TRIES)

    def _retry(self, job: _Job, worker: str, address: str, reason: str) -> Iterator[JobResult[Any]]:
        """Send a job to another worker, unless it was tried often enough."""
        if job.tries < TRIES:
            job.tries += 1
            job.avoided.add(address)
            self._submit(job)
        else:
            error = given_up(job.label, TRIES, f"{worker}: {reason}")
            yield JobResult(job.number, None, error, worker, tries=TRIES)

    def _upload(self, job: _Job, worker: str, address: str) -> Iterator[JobResult[Any]]:
        """Send a worker what it lacks for a job, and then the job again."""
        call = partial(self._executor.client.run, workers=[address])
        try:
            keys = call(missing, job.inputs, shared=self._executor.shared)[address]  # another may have sent it by now
            for artifact in job.inputs:
                if artifact.key in keys:
                    upload(artifact, call)
        except TermgaugeError as error:
            yield JobResult(job.number, None, error, worker)
        except Exception as error:  # noqa: BLE001 - the worker died, or has no room
            yield from self._retry(job, worker, address, str(error) or type(error).__name__)
        else:
            if job.sent < TRIES * (1 + len(job.inputs)):
                self._submit(job, address)
            else:
                yield from self._retry(job, worker, address, "it does not keep what it is sent")

    def _warn_if_alone(self) -> None:
        if self._executor.workers:
            self._alone_since = time.monotonic()
        elif time.monotonic() - self._alone_since > ALONE_SECONDS:
            self._alone_since = float("inf")
            warn("The cluster has no worker now; waiting for one.")
