"""A Dask cluster as an executor.

Dask does again by itself what was under way on a worker that is gone. What a worker says it cannot do, for want of
memory, disk or the right version, is sent to another; what it lacks is sent to it. A block is begun four times at most.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import Future as Delivery
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from termgauge.cluster.artifacts import arrays_artifact_of, artifact_of, deliver, put_piece
from termgauge.cluster.messages import lost, no_worker_of_this_version
from termgauge.cluster.orders import Answer, Order
from termgauge.cluster.reports import Reports
from termgauge.cluster.rounds import Round
from termgauge.cluster.watch import still_waiting, this_process
from termgauge.cluster.worker import perform
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.identity import version
from termgauge.progress import current_listener, listening

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from distributed import Client, Future
    from numpy.typing import NDArray

    from termgauge.executor import Artifact, Inputs, JobResult

T_ = TypeVar("T_")
GPU = "GPU"
KNOWN_SECONDS = 2.0
"""Who the workers are is asked anew after so long."""
PATIENCE_SECONDS = 600.0
NESTED_PRIORITY = 10
"""Blocks of a unit come before other units, so that units end."""


class DaskExecutor:
    """An executor behind a Dask client.

    With `shared` all workers see the same disk under the same paths. A block that gives no sign of life for `patience`
    seconds is done elsewhere. In a unit, on a worker, blocks go to the same cluster; `within` is that unit's order.
    """

    def __init__(
        self,
        client: Client | None,
        *,
        shared: bool = False,
        patience: float = PATIENCE_SECONDS,
        within: Order | None = None,
    ) -> None:
        self._given, self._shared, self._patience, self._within = client, shared, patience, within
        self._topic = within.topic if within else f"termgauge-{uuid4().hex[:12]}"
        self._known: tuple[float, dict[str, Any]] = (float("-inf"), {})
        self._refused: dict[str, str] = {}
        """Workers of other versions, by address."""
        self._delivered: dict[tuple[str, str], Delivery[None]] = {}
        self._couriers: ThreadPoolExecutor | None = None
        self._reports = None if client is None else Reports(client, self._topic)

    @cached_property
    def _client(self) -> Client:
        """The client; on a worker its own, made when the first unit has blocks to send."""
        from distributed import get_client

        return self._given or get_client()

    @property
    def workers(self) -> dict[str, Any]:
        """What Dask knows of the workers that can be used, by address."""
        asked, known = self._known
        if time.monotonic() - asked >= KNOWN_SECONDS:
            known = self._asked()
            self._known = time.monotonic(), known
        return {address: each for address, each in known.items() if address not in self._refused}

    def _asked(self) -> dict[str, Any]:
        try:
            return dict(self._client.scheduler_info(n_workers=-1)["workers"])
        except (OSError, RuntimeError, ValueError, TypeError, KeyError) as error:  # as it is, or is just lost
            raise lost(error) from None

    @property
    def shared(self) -> bool:
        """Whether workers see the same disk."""
        return self._shared

    @property
    def slots(self) -> int:
        """How many blocks are done at once."""
        return sum(each["nthreads"] for each in self.workers.values())

    @property
    def gpus(self) -> int:
        """How many GPUs workers say that they have."""
        return int(sum(each["resources"].get(GPU, 0) for each in self.workers.values()))

    @property
    def dashboard(self) -> str:
        """Where Dask shows what is going on."""
        return str(self._client.dashboard_link or "")

    def refuse(self, address: str, theirs: str) -> None:
        """Send nothing to a worker of another version."""
        if address not in self._refused:
            self._refused[address] = theirs
            warn(
                f"The worker {address} has termgauge {theirs}, not {version()}, and gets no work; install the same "
                "version there."
            )

    def artifact(self, path: Path) -> Artifact:
        """Make an artifact of a file or folder."""
        return artifact_of(path, shared=self._shared)

    def arrays_artifact(self, arrays: Mapping[str, NDArray[np.generic]]) -> Artifact:
        """Make an artifact of arrays."""
        return arrays_artifact_of(arrays)

    def map(
        self,
        function: Callable[..., T_],
        blocks: Iterable[tuple[Any, ...]],
        *,
        label: str,
        inputs: Inputs = (),
        gpu: bool = False,
    ) -> Iterator[JobResult[T_]]:
        """Have blocks done, and yield what became of each as soon as it is known."""
        holds_gpu = gpu and self.gpus > 0
        order = Order(
            version(),
            f"{function.__module__}:{function.__qualname__}",
            (),
            label,
            (),
            self._shared,
            holds_gpu,
            self._patience,
            self._topic,
            self._within.sender if self._within else this_process(),
        )
        with self._waiting():
            yield from Round(self, order, inputs).run(blocks)

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """Give the thread of a unit that waits for its blocks to others meanwhile."""
        if self._within is None:
            yield
            return
        from distributed import rejoin, secede

        secede()
        try:
            yield
        finally:
            with suppress(ValueError):  # the worker is ending
                rejoin()

    def submit(self, orders: Mapping[str, Order], workers: Sequence[str] | None) -> dict[str, Future[Answer]]:
        """Send orders of one kind by their keys, to some workers alone or to any that is not refused."""
        if workers is None and self._refused:
            workers = list(self.workers)
            if not workers:
                raise TermgaugeError(no_worker_of_this_version(self._refused))
        sent = self._client.map(
            perform,
            list(orders.values()),
            key=list(orders),
            pure=False,
            workers=None if workers is None else list(workers),
            resources={GPU: 1} if any(order.holds_gpu for order in orders.values()) else None,
            priority=NESTED_PRIORITY if self._within else 0,
        )
        return dict(zip(orders, sent, strict=True))

    def gather(self, futures: Mapping[str, Future[Answer]]) -> Delivery[dict[str, Answer | None]]:
        """Have answers brought here, meanwhile; there is none where a future has failed."""
        loop = self._client.loop.asyncio_loop
        return asyncio.run_coroutine_threadsafe(
            self._client.gather(dict(futures), errors="skip", asynchronous=True), loop
        )

    def cancel(self, futures: Sequence[Future[Answer]]) -> None:
        """Have no use for what some futures bring."""
        with suppress(Exception):  # the cluster may be gone, and with it what was under way
            self._client.cancel(list(futures), force=True)

    def alive(self) -> None:
        """Say for the unit that waits for blocks, if one does, that it waits and does not hang."""
        if self._within is not None:
            still_waiting()

    def send(self, artifact: Artifact, address: str, store: str, *, again: bool = False) -> Delivery[None]:
        """Send an artifact to the store of a worker, once; `again` if it was there and is gone."""
        wanted = (store, artifact.key)
        sent = self._delivered.get(wanted)
        if sent is None or (sent.done() and (again or sent.exception() is not None)):
            self._couriers = self._couriers or ThreadPoolExecutor(2, "termgauge-courier")
            sent = self._couriers.submit(self._deliver, artifact, address, current_listener())
            self._delivered[wanted] = sent
        return sent

    def _deliver(self, artifact: Artifact, address: str, listener: Any) -> None:  # noqa: ANN401
        def put(*arguments: object) -> None:
            self._client.run(put_piece, *arguments, workers=[address])

        with listening(listener):
            deliver(artifact, put)

    def reporting(self, round_: Round) -> Any:  # noqa: ANN401
        """Show how blocks go, where this is not a unit itself."""
        return self._reports.of(round_) if self._reports else nullcontext()

    def close(self) -> None:
        """Send nothing any more; who the workers are is asked anew after this."""
        self._known = float("-inf"), {}
        if self._couriers:
            self._couriers.shutdown(cancel_futures=True)
        if self._reports:
            self._reports.close()


def nested_place(order: Order) -> DaskExecutor:
    """Return the cluster that this worker belongs to, for the blocks of a unit."""
    return DaskExecutor(None, shared=order.shared, patience=order.patience, within=order)
