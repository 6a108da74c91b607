"""A Dask cluster as an executor.

Dask schedules jobs, and does again what was under way on a worker that is gone. What a worker lacks is uploaded to it,
in pieces, so that neither the scheduler nor a worker ever holds much of a large file; what it cannot do, for want of
memory, disk or the right version, goes to another. Nothing else is retried.
"""

from __future__ import annotations

import math
import os
import pickle
import platform
import queue
import shutil
import time
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain, count, islice, starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from termgauge.exceptions import ClusterLostError, TermgaugeError, warn
from termgauge.executor import JobResult, retry_reason, use_executor
from termgauge.io.artifacts import NAMESPACE, artifact_of, files_in
from termgauge.io.atomic import temporary_beside
from termgauge.io.identity import version
from termgauge.io.store import entry_path, mark_used, sweep
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from distributed import Client, Future

    from termgauge.executor import Inputs
    from termgauge.io.artifacts import Artifact

T_ = TypeVar("T_")
GPU = "GPU"
PIECE = 8 << 20
TRIES = 4
"""How often a job is begun at most: once, and three times more after its worker was lost or could not do it."""
AHEAD = 3
"""So many jobs for each that can be done at once are sent ahead."""
WAKES_SECONDS, ALONE_SECONDS = 0.2, 5.0
"""Who waits looks who the workers are, and says that there is none, after so long."""
NESTED_PRIORITY = 10
"""Jobs of a job come before others, so that those end."""
OTHER_VERSION, MISSING_INPUT, TOO_SMALL = "other version", "missing input", "too small"


class UnfitWorkerError(Exception):
    """A worker cannot do a job as it is: one of the words above, the worker's address, and why."""


def perform(sender: str, label: str, job: bytes) -> tuple[bytes, str, float]:  # noqa: ARG001 - Dask shows the label
    """Do a job on a worker; return what that brought, the name of the worker, and the seconds it took.

    `sender` is the version of termgauge that sends it: a job of another one is not even read.
    """
    import numba
    from distributed import get_worker

    worker, began, threads = get_worker(), time.monotonic(), numba.get_num_threads()
    if sender != version():
        raise UnfitWorkerError(OTHER_VERSION, worker.address, version())
    function, values, inputs, shared, holds_gpu = pickle.loads(job)  # noqa: S301 - Dask's own clients send it
    if missing(inputs, shared=shared):
        raise UnfitWorkerError(MISSING_INPUT, worker.address, "it does not keep what it is sent")
    # A job sends jobs of its own to the same cluster, unless it holds a GPU that those might wait for.
    nested = None if holds_gpu else DaskExecutor(None, shared=shared)
    try:
        numba.set_num_threads(1)  # there are as many workers as the machine has cores
        with use_executor(nested):
            content = pickle.dumps(function(*values))
    except Exception as error:
        if reason := retry_reason(error):
            raise UnfitWorkerError(TOO_SMALL, worker.address, reason) from None
        raise
    finally:
        numba.set_num_threads(threads)
    name = worker.address if str(worker.name) == worker.address else f"{worker.name} ({worker.address})"
    return content, name, time.monotonic() - began


def given_up(label: str, tries: int, reason: str) -> TermgaugeError:
    """Say that a job was given up."""
    often = f"{tries} times" if tries > 1 else "once"
    return TermgaugeError(
        f"The {label} was begun {often} on the cluster and not finished ({reason.rstrip('.')}); give the workers what "
        "they lack, such as memory or room on their disks, and run the same command again."
    )


def lost(error: BaseException | None = None) -> ClusterLostError:
    """Say that the cluster is gone, and why as far as the system says it; what Dask trips over then says nothing."""
    why = f" ({str(error).rstrip('.')})" if isinstance(error, OSError) and str(error) else ""
    return ClusterLostError(
        f"The connection to the cluster was lost{why}; what was finished is kept, so run the same command again once "
        "the scheduler answers."
    )


class DaskExecutor:
    """An executor behind a Dask client, or, without one, behind the worker on which the present job is done.

    With `shared` all workers see the same disk under the same paths; with `local` they are on this machine.
    """

    def __init__(self, client: Client | None, *, shared: bool = False, local: bool = False) -> None:
        self._client, self.shared, self.local = client, shared, local
        self.priority = 0 if client else NESTED_PRIORITY
        self.refused: dict[str, str] = {}
        """Workers of other versions, by address."""

    @property
    def client(self) -> Client:
        """The client; on a worker its own."""
        from distributed import get_client

        return self._client or get_client()

    @property
    def workers(self) -> dict[str, Any]:
        """What Dask says of the workers that can be used, by address."""
        try:
            workers = self.client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, RuntimeError, ValueError, TypeError, KeyError) as error:  # as it is, or is just lost
            raise lost(error) from None
        return {address: about for address, about in workers.items() if address not in self.refused}

    def answers(self) -> bool:
        """Whether the scheduler is there, within a few seconds."""
        with suppress(Exception):  # of whatever kind: it is not
            return bool(self.client.sync(self.client.scheduler.identity, callback_timeout=ALONE_SECONDS))
        return False

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

        resources = {GPU: 1.0} if gpu and self.gpus else None

        def job(number: int, values: tuple[Any, ...]) -> _Job:
            artifacts = tuple(inputs(*values) if callable(inputs) else inputs)
            return _Job(number, pickle.dumps((function, values, artifacts, self.shared, bool(resources))), artifacts)

        # A job that waits for its own jobs gives its thread to others meanwhile.
        with nullcontext() if self._client else worker_client():
            yield from _Batch(self, label, resources).run(starmap(job, enumerate(jobs)))


@dataclass
class _Job:
    number: int
    content: bytes
    inputs: tuple[Artifact, ...]
    tries: int = 1
    avoided: set[str] = field(default_factory=set)
    """Workers that could not do it."""
    supplied: set[str] = field(default_factory=set)
    """Workers that were sent what it reads."""


class _Batch:
    """The jobs of one call: sent a few ahead, answered, sent again."""

    def __init__(self, executor: DaskExecutor, label: str, resources: dict[str, float] | None) -> None:
        self._executor, self._client, self._label, self._resources = executor, executor.client, label, resources
        self._token, self._numbers = uuid4().hex[:8], count()
        self._finished: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        self._running: dict[Any, tuple[_Job, Future[Any]]] = {}
        self._deadly: set[str] = set()
        """Workers that died, each with the job that is to blame."""

    def run(self, jobs: Iterator[_Job]) -> Iterator[JobResult[Any]]:
        """Have jobs done, and yield what became of each."""
        slots, seen = self._executor.slots, time.monotonic()
        try:
            while True:
                for job in islice(jobs, max(0, AHEAD * (slots + 1) - len(self._running))):
                    self._submit(job)
                if not self._running:
                    return
                try:
                    job, future = self._running.pop(self._finished.get(timeout=WAKES_SECONDS).key)
                except queue.Empty:
                    slots, now = self._executor.slots, time.monotonic()
                    seen = max(seen, now) if slots else seen
                    if now - seen > ALONE_SECONDS:
                        seen = math.inf
                        warn("The cluster has no worker now; waiting for one.")
                else:
                    if (result := self._result(job, future)) is not None:
                        yield result
        finally:
            if self._running:
                with suppress(Exception):  # the cluster may be gone, and with it what was under way
                    self._client.cancel([future for _job, future in self._running.values()], force=True)

    def _submit(self, job: _Job, address: str = "") -> None:
        """Send a job to a worker if there is one, or to any that can do it as far as is known."""
        preferred = [address] if address else []
        if not preferred and (job.avoided or self._executor.refused):
            preferred = sorted(self._executor.workers.keys() - job.avoided)
        key = (f"{self._label}-{self._token}", next(self._numbers))
        future = self._client.submit(
            perform,
            version(),
            self._label,
            job.content,
            key=key,
            workers=preferred or None,
            allow_other_workers=bool(preferred),  # else a job whose workers are gone would wait for them
            resources=self._resources,
            priority=self._executor.priority,
            pure=False,
        )
        self._running[key] = job, future
        future.add_done_callback(self._finished.put)

    def _result(self, job: _Job, future: Future[Any]) -> JobResult[Any] | None:
        """Return what became of a job; None if it was sent again."""
        from distributed import KilledWorker

        value = None
        try:
            error = future.exception() if future.status == "error" else None
            content, worker, seconds = future.result() if error is None else (b"", "", 0.0)
        except Exception as broken:  # noqa: BLE001 - Dask trips over something where a worker or the scheduler is gone
            if not self._executor.answers():
                raise lost(broken) from None
            return self._again(job, "each time its result was lost")  # its worker died, or the client's connection did
        future.release()
        if isinstance(error, UnfitWorkerError):
            return self._elsewhere(job, *error.args)
        if isinstance(error, KilledWorker):
            address = error.last_worker.address
            if address not in self._deadly:  # else it may only have waited there behind the job that is to blame
                self._deadly.add(address)
                job.tries = TRIES
            return self._again(job, "each time its worker died or stopped answering, perhaps for lack of memory")
        if error is None:
            try:
                value = pickle.loads(content)  # noqa: S301 - of a worker that does what it is sent
            except Exception as unreadable:  # noqa: BLE001 - what was made there cannot be read here
                error = given_up(self._label, 1, f"{type(unreadable).__name__}: {unreadable}")
        return JobResult(job.number, value, error, worker, seconds, job.tries)

    def _elsewhere(self, job: _Job, lacks: str, address: str, reason: str) -> JobResult[Any] | None:
        """Send a job to another worker, or to the same one with what it needs; None if that can be done."""
        if lacks == OTHER_VERSION:
            self._executor.refuse(address, reason)
        elif lacks == MISSING_INPUT and address not in job.supplied:
            job.supplied.add(address)
            call = partial(self._client.run, workers=[address])
            try:
                keys = call(missing, job.inputs, shared=False)[address]  # another may have sent it by now
                for artifact in job.inputs:
                    if artifact.key in keys:
                        upload(artifact, call)
            except TermgaugeError as error:
                return JobResult(job.number, None, error)
            except Exception as error:  # noqa: BLE001 - the worker died, or has no room
                reason = str(error) or type(error).__name__
            else:
                self._submit(job, address)
                return None
        job.avoided.add(address)
        return self._again(job, f"{address}: {reason}")

    def _again(self, job: _Job, reason: str) -> JobResult[Any] | None:
        """Send a job again; one that was begun often enough is given up."""
        if job.tries == TRIES:
            return JobResult(job.number, None, given_up(self._label, TRIES, reason), tries=TRIES)
        job.tries += 1
        self._submit(job)
        return None


def missing(artifacts: Sequence[Artifact], *, shared: bool) -> list[str]:
    """Return the keys of artifacts that are not on this machine."""
    for artifact in artifacts:
        path = Path(artifact.path)
        if not shared:
            mark_used(artifact.entry)
        elif not files_in(path) or artifact_of(path, shared=True) != artifact:
            raise TermgaugeError(
                f"{path}: the worker on {platform.node()} does not see it, or sees something else there; let all "
                "workers use one disk under the same paths, or leave --shared out, and it is sent."
            )
    return [artifact.key for artifact in artifacts if not (shared or artifact.entry.is_dir())]


def upload(artifact: Artifact, call: Callable[..., object]) -> None:
    """Send an artifact; `call` calls a function on the worker."""
    source, token = artifact.here, os.urandom(8).hex()
    files = files_in(source)
    with track(f"Sending {source.name}", sum(file.stat().st_size for file in files), "bytes") as advance:
        for file in files:
            with file.open("rb") as stream:
                for piece in chain([b""], iter(partial(stream.read, PIECE), b"")):  # an empty file is a piece, too
                    call(store_piece, token, file.relative_to(source.parent).as_posix(), piece)
                    advance(len(piece))
    call(finish_upload, token, artifact)


@lru_cache(maxsize=256)
def _arriving(_token: str) -> Path:
    """Return where an artifact is put together; what a worker that was killed left of such is deleted."""
    sweep(NAMESPACE)
    return temporary_beside(entry_path(NAMESPACE, "artifact"))


def store_piece(token: str, name: str, piece: bytes) -> None:
    """Add a piece to a file of an artifact that is being sent."""
    target = _arriving(token) / name
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("ab") as stream:
            stream.write(piece)
    except BaseException:
        shutil.rmtree(_arriving(token), ignore_errors=True)
        raise


def finish_upload(token: str, artifact: Artifact) -> None:
    """Let an artifact that has come as it was appear in the store."""
    home, entry = _arriving(token), artifact.entry
    try:
        if artifact_of(home / Path(artifact.path).name).key != artifact.key:
            raise TermgaugeError(f"{artifact.path}: was changed while it was sent; run the command again.")
        home.rename(entry)
    except OSError:
        if not entry.is_dir():  # or another worker of this machine was sent the same
            raise
    finally:
        shutil.rmtree(home, ignore_errors=True)
