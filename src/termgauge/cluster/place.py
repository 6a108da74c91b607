"""A Dask cluster as a workplace.

Dask does again by itself what was under way on a worker that is gone. What a worker says it cannot do, for want of
memory, disk or the right version, is sent to another; what it lacks is sent to it. A block is begun four times at most.
"""

from __future__ import annotations

import queue
import time
from collections import Counter
from concurrent.futures import Future as Delivery
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from termgauge.cluster.messages import GivenUpError, given_up, lost, no_worker_of_this_version
from termgauge.cluster.orders import TRIES, Answer, Failed, Finished, Lacking, Order, Refused, Troubled
from termgauge.cluster.parcels import bundle_of, deliver, parcel_of, put_piece
from termgauge.cluster.reports import Reports
from termgauge.cluster.watch import this_process
from termgauge.cluster.worker import perform
from termgauge.exceptions import TermgaugeError, warn
from termgauge.identity import version
from termgauge.progress import current_listener, listening
from termgauge.sharing import Done

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from distributed import Client, Future
    from numpy.typing import NDArray

    from termgauge.sharing import Inputs, Parcel

T_ = TypeVar("T_")
GPU = "GPU"
AHEAD = 3
"""So many blocks for each that can be done at once are sent ahead."""
WAKES_SECONDS = 0.2
KNOWN_SECONDS = 2.0
"""Who the workers are is asked anew after so long."""
PATIENCE_SECONDS = 600.0
NESTED_PRIORITY = 10
"""Blocks of a unit come before other units, so that units end."""


class DaskWorkplace:
    """A workplace behind a Dask client.

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
        self._known: tuple[float, dict[str, Any]] = (-KNOWN_SECONDS, {})
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
            known = dict(self._client.scheduler_info(n_workers=-1)["workers"])
            self._known = time.monotonic(), known
        return {address: each for address, each in known.items() if address not in self._refused}

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

    def parcel(self, path: Path) -> Parcel:
        """Make a parcel of a file or folder."""
        return parcel_of(path, shared=self._shared)

    def bundle(self, arrays: Mapping[str, NDArray[np.generic]]) -> Parcel:
        """Make a parcel of arrays."""
        return bundle_of(arrays)

    def each(
        self,
        function: Callable[..., T_],
        blocks: Iterable[tuple[Any, ...]],
        *,
        called: str,
        inputs: Inputs = (),
        gpu: bool = False,
    ) -> Iterator[Done[T_]]:
        """Have blocks done, and yield what became of each as soon as it is known."""
        holds_gpu = gpu and self.gpus > 0
        order = Order(
            version(),
            f"{function.__module__}:{function.__qualname__}",
            (),
            called,
            (),
            self._shared,
            holds_gpu,
            self._patience,
            self._topic,
            self._within.sender if self._within else this_process(),
        )
        with self._waiting():
            yield from _Round(self, order, inputs).run(blocks)

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

    def submit(self, order: Order, key: str, workers: list[str] | None) -> Future[Answer]:
        """Send an order, to some workers alone or to any that is not refused."""
        if workers is None and self._refused:
            workers = list(self.workers)
            if not workers:
                raise TermgaugeError(no_worker_of_this_version(self._refused))
        return self._client.submit(
            perform,
            order,
            key=key,
            pure=False,
            workers=workers,
            resources={GPU: 1} if order.holds_gpu else None,
            priority=NESTED_PRIORITY if self._within else 0,
        )

    def cancel(self, futures: Sequence[Future[Answer]]) -> None:
        """Have no use for what some futures bring."""
        with suppress(Exception):  # the cluster may be gone, and with it what was under way
            self._client.cancel(list(futures), force=True)

    def send(self, parcel: Parcel, address: str, store: str) -> Delivery[None]:
        """Send a parcel to the store of a worker, once."""
        wanted = (store, parcel.key)
        sent = self._delivered.get(wanted)
        if sent is None or (sent.done() and sent.exception() is not None):
            self._couriers = self._couriers or ThreadPoolExecutor(2, "termgauge-courier")
            sent = self._couriers.submit(self._deliver, parcel, address, current_listener())
            self._delivered[wanted] = sent
        return sent

    def _deliver(self, parcel: Parcel, address: str, listener: Any) -> None:  # noqa: ANN401
        def put(*arguments: object) -> None:
            self._client.run(put_piece, *arguments, workers=[address])

        with listening(listener):
            deliver(parcel, put)

    def reporting(self, round_: _Round) -> Any:  # noqa: ANN401
        """Show how blocks go, where this is not a unit itself."""
        return self._reports.of(round_) if self._reports else nullcontext()

    def close(self) -> None:
        """Let workers go of what they kept, and send nothing any more."""
        if self._couriers:
            self._couriers.shutdown(cancel_futures=True)
        if self._reports:
            self._reports.close()


@dataclass
class _Block:
    """A block under way."""

    number: int
    order: Order
    tries: int = 0
    """How often it was begun, as far as answers tell."""
    avoided: set[str] = field(default_factory=set)
    """Workers that could not do it."""
    reason: str = ""
    """Why the last one could not."""
    deliveries: int = 0
    address: str = ""


class _Round:
    """All blocks of one call."""

    def __init__(self, place: DaskWorkplace, order: Order, inputs: Inputs) -> None:
        self._place, self._order, self._inputs, self._token = place, order, inputs, uuid4().hex[:8]
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._under_way: dict[Future[Answer], _Block] = {}
        self._waiting = 0
        """Blocks whose parcels are being sent."""
        self.begun: Counter[int] = Counter()
        self._alone_since = time.monotonic()

    def owns(self, key: str) -> int | None:
        """Return the number of the block that has a key; None if it is not one of these."""
        called, _, rest = key.partition(f"-{self._token}-")
        number = rest.partition("-")[0]
        return int(number) if called and number.isdecimal() else None

    def run(self, blocks: Iterable[tuple[Any, ...]]) -> Iterator[Done[Any]]:
        todo = enumerate(blocks)
        left = True
        with self._place.reporting(self):
            try:
                while True:
                    while left and len(self._under_way) + self._waiting < AHEAD * self._place.slots + AHEAD:
                        following = next(todo, None)
                        if following is None:
                            left = False
                        else:
                            number, block = following
                            inputs = self._inputs(*block) if callable(self._inputs) else self._inputs
                            self._submit(_Block(number, self._order._replace(block=block, inputs=tuple(inputs))))
                    if not self._under_way and not self._waiting:
                        return
                    yield from self._next()
            finally:
                if self._under_way:
                    self._place.cancel(list(self._under_way))

    def _submit(self, block: _Block, workers: list[str] | None = None) -> None:
        if workers is None and block.avoided:
            others = [address for address in self._place.workers if address not in block.avoided]
            workers = others or None
        attempt = block.tries + block.deliveries
        key = f"{block.order.called.replace(' ', '_')}-{self._token}-{block.number}-{attempt}"
        future = self._place.submit(block.order, key, workers)
        self._under_way[future] = block
        future.add_done_callback(self._events.put)

    def _next(self) -> Iterator[Done[Any]]:
        try:
            event = self._events.get(timeout=WAKES_SECONDS)
        except queue.Empty:
            self._look_for_workers()
            return
        if isinstance(event, tuple):
            self._waiting -= 1
            yield from self._delivered(*event)
            return
        block = self._under_way.pop(event)
        yield from self._answered(block, event)

    def _answered(self, block: _Block, future: Future[Answer]) -> Iterator[Done[Any]]:
        answer = self._answer(block, future)
        tries = max(block.tries + 1, self.begun[block.number] - block.deliveries)
        match answer:
            case Finished():
                yield Done(block.number, answer.value, None, answer.worker, answer.seconds, tries)
            case Failed():
                yield Done(block.number, None, answer.error, answer.worker, answer.seconds, tries)
            case Refused():
                self._place.refuse(_address(answer.worker), answer.version)
                self._submit(block)
            case Lacking():
                yield from self._send(block, answer)
            case Troubled():
                yield from self._again(block, answer.worker, answer.reason)
            case Exception():
                yield Done(block.number, None, answer, "", 0.0, max(tries, TRIES))

    def _answer(self, block: _Block, future: Future[Answer]) -> Answer | Exception:
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        try:
            answer: Answer = future.result()
        except KilledWorker:
            return GivenUpError(given_up(block.order.called, TRIES, block.reason))
        except CancelledError:
            raise TermgaugeError(lost()) from None
        except OSError as error:
            raise TermgaugeError(lost(str(error))) from None
        except Exception as error:  # noqa: BLE001 - what Dask could not send, or a worker could not read
            return GivenUpError(given_up(block.order.called, 1, f"{type(error).__name__}: {error}"))
        finally:
            future.release()
        return answer

    def _again(self, block: _Block, worker: str, reason: str) -> Iterator[Done[Any]]:
        """Send a block to another worker, unless it was tried often enough."""
        block.tries += 1
        block.avoided.add(_address(worker))
        block.reason = reason
        if block.tries < TRIES:
            self._submit(block)
        else:
            error = GivenUpError(given_up(block.order.called, block.tries, f"{worker}: {reason}"))
            yield Done(block.number, None, error, worker, 0.0, block.tries)

    def _send(self, block: _Block, answer: Lacking) -> Iterator[Done[Any]]:
        """Send a worker what it lacks for a block, and then the block again."""
        block.deliveries += 1
        block.address = _address(answer.worker)
        if block.deliveries > TRIES * (1 + len(block.order.inputs)):
            yield from self._again(block, answer.worker, "it does not keep what it is sent")
            return
        wanted = [parcel for parcel in block.order.inputs if parcel.key in answer.keys]
        sent = [self._place.send(parcel, block.address, answer.store) for parcel in wanted]
        self._waiting += 1
        left = len(sent)

        def arrived(_sent: Delivery[None]) -> None:
            nonlocal left
            left -= 1
            if not left:
                problem = next((each.exception() for each in sent if each.exception()), None)
                self._events.put((block, problem))

        for each in sent:
            each.add_done_callback(arrived)

    def _delivered(self, block: _Block, problem: BaseException | None) -> Iterator[Done[Any]]:
        if problem is None:
            there = block.address in self._place.workers
            self._submit(block, [block.address] if there and not block.order.holds_gpu else None)
        elif isinstance(problem, TermgaugeError):
            yield Done(block.number, None, problem, block.address)
        else:
            yield from self._again(block, block.address, str(problem) or type(problem).__name__)

    def _look_for_workers(self) -> None:
        if self._place.workers:
            self._alone_since = time.monotonic()
        elif time.monotonic() - self._alone_since > 5:
            self._alone_since = float("inf")
            warn("The cluster has no worker now; waiting for one.")


def _address(worker: str) -> str:
    """Return the address of a worker from what it calls itself."""
    return worker.rpartition("(")[2].removesuffix(")")


def nested_place(order: Order) -> DaskWorkplace:
    """Return the cluster that this worker belongs to, for the blocks of a unit."""
    return DaskWorkplace(None, shared=order.shared, patience=order.patience, within=order)
