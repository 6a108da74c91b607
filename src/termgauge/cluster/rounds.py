"""The blocks of one call on their way through a cluster: sent a few ahead, answered, sent again.

Answers are brought several at a time and never waited for alone. One that died with its worker would take Dask half a
minute to miss; once the scheduler no longer knows the worker, it is asked for anew, and so is whatever was meant for
that worker alone.
"""

from __future__ import annotations

import queue
import time
from collections import Counter
from concurrent.futures import CancelledError
from concurrent.futures import Future as Delivery
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from termgauge.cluster.messages import GivenUpError, given_up, lost
from termgauge.cluster.orders import (
    TRIES,
    Answer,
    Block,
    Failed,
    Finished,
    Lacking,
    Order,
    Refused,
    Troubled,
    address_of,
)
from termgauge.exceptions import TermgaugeError, warn
from termgauge.executor import JobResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from distributed import Future

    from termgauge.cluster.place import DaskExecutor
    from termgauge.executor import Inputs

AHEAD = 3
"""So many blocks for each that can be done at once are sent ahead."""
WAKES_SECONDS = 0.2
LOOKS_SECONDS = 1.0
ALONE_SECONDS = 5.0
"""After so long without any worker, it is said."""
DEATHS = 2
"""A block that Dask gave up, although it was seen to begin less often than that, is given to it so many times."""


@dataclass(frozen=True)
class _Arrived:
    """What a block lacked is at its worker, or why not."""

    block: Block
    problem: BaseException | None


@dataclass
class _Gathering:
    """Answers that are being brought."""

    futures: dict[str, Future[Answer]]
    workers: frozenset[str]
    """Who was there when it began."""
    alone: bool = False
    """Whether nothing else is brought meanwhile: Dask joins what is, and then what fails one fails all."""


class Round:
    """All blocks of one call."""

    def __init__(self, place: DaskExecutor, order: Order, inputs: Inputs) -> None:
        self._place, self._order, self._inputs, self._token = place, order, inputs, uuid4().hex[:8]
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._under_way: dict[str, tuple[Block, Future[Answer]]] = {}
        """By key: all that was sent and has not been answered."""
        self._gathered: dict[Delivery[dict[str, Answer | None]], _Gathering] = {}
        self._suspects: dict[str, Future[Answer]] = {}
        """One of these cannot be brought; they are asked for one by one, and all others wait."""
        self._held: dict[str, Future[Answer]] = {}
        self._waiting = 0
        """Blocks whose artifacts are being sent."""
        self.begun: Counter[int] = Counter()
        self._looked = self._alone_since = time.monotonic()

    def owns(self, key: str) -> int | None:
        """Return the number of the block that has a key; None if it is not one of these."""
        called, _, rest = key.partition(f"-{self._token}-")
        number = rest.partition("-")[0]
        return int(number) if called and number.isdecimal() else None

    def run(self, blocks: Iterable[tuple[Any, ...]]) -> Iterator[JobResult[Any]]:
        """Have blocks done, and yield what became of each."""
        todo = enumerate(blocks)
        left = True
        with self._place.reporting(self):
            try:
                while True:
                    if left:
                        left = self._fill(todo)
                    if not self._under_way and not self._waiting:
                        return
                    yield from self._next()
            finally:
                if self._under_way:
                    self._place.cancel([future for _block, future in self._under_way.values()])

    def _fill(self, todo: Iterator[tuple[int, tuple[Any, ...]]]) -> bool:
        """Send blocks until enough are under way; say whether there may be more."""
        most = AHEAD * self._place.slots + AHEAD
        fresh: list[Block] = []
        while len(self._under_way) + self._waiting + len(fresh) < most:
            following = next(todo, None)
            if following is None:
                self._submit(fresh)
                return False
            number, block = following
            inputs = self._inputs(*block) if callable(self._inputs) else self._inputs
            fresh.append(Block(number, self._order._replace(block=block, inputs=tuple(inputs))))
        self._submit(fresh)
        return True

    def _submit(self, blocks: Sequence[Block], only: frozenset[str] = frozenset()) -> None:
        if not blocks:
            return
        orders = {}
        for block in blocks:
            key = f"{block.order.called.replace(' ', '_')}-{self._token}-{block.number}-{block.sent}"
            block.sent, block.only, orders[key] = block.sent + 1, only, block.order
        futures = self._place.submit(orders, sorted(only) or None)
        for block, (key, future) in zip(blocks, futures.items(), strict=True):
            self._under_way[key] = block, future
            future.add_done_callback(self._events.put)

    def _submit_again(self, block: Block) -> None:
        others = frozenset(self._place.workers) - block.avoided if block.avoided else frozenset()
        self._submit([block], others)

    def _next(self) -> Iterator[JobResult[Any]]:
        """Deal with all that has happened since it was last asked."""
        self._place.alive()
        finished: dict[str, Future[Answer]] = {}
        for event in self._happened():
            match event:
                case _Arrived():
                    self._waiting -= 1
                    yield from self._delivered(event.block, event.problem)
                case Delivery():
                    yield from self._brought(event)
                case _ if event.key in self._under_way:
                    finished[event.key] = event
        self._held |= finished
        self._bring()
        if time.monotonic() - self._looked > LOOKS_SECONDS:
            self._looked = time.monotonic()
            self._look_for_workers()

    def _happened(self) -> Iterator[Any]:
        """Yield what has happened; wait a little if nothing has."""
        try:
            yield self._events.get(timeout=WAKES_SECONDS)
            while True:
                yield self._events.get_nowait()
        except queue.Empty:
            return

    def _bring(self) -> None:
        """Have answers brought that are there; suspects alone."""
        if self._suspects:
            if not self._gathered:
                self._gather(dict([self._suspects.popitem()]), alone=True)
        elif self._held and not any(known.alone for known in self._gathered.values()):
            held, self._held = self._held, {}
            self._gather(held)

    def _gather(self, futures: dict[str, Future[Answer]], *, alone: bool = False) -> None:
        gathering = self._place.gather(futures)
        self._gathered[gathering] = _Gathering(futures, frozenset(self._place.workers), alone)
        gathering.add_done_callback(self._events.put)

    def _brought(self, gathering: Delivery[dict[str, Answer | None]]) -> Iterator[JobResult[Any]]:
        if (known := self._gathered.pop(gathering, None)) is None:
            return
        if gathering.cancelled():  # with the client, or by Dask, which joins gatherings
            self._ask_anew(known)
            return
        problem = gathering.exception()
        if problem is not None and not known.alone:
            self._suspects |= known.futures
            return
        answers = {} if problem is not None else gathering.result()
        for key, future in known.futures.items():
            block, _future = self._under_way.pop(key)
            answer = answers.get(key) or self._failed(future, problem)
            future.release()
            yield from self._answered(block, answer)

    def _ask_anew(self, known: _Gathering) -> None:
        if any(future.cancelled() for future in known.futures.values()):
            raise lost()
        for future in known.futures.values():
            future.add_done_callback(self._events.put)

    def _failed(self, future: Future[Answer], problem: BaseException | None) -> Exception:
        """Return why a block has no answer."""
        error = problem
        try:
            if error is None:
                future.result(timeout=WAKES_SECONDS)
        except Exception as raised:  # noqa: BLE001 - what Dask could not send, or a worker could not read
            error = raised
        if isinstance(error, CancelledError | OSError):
            raise lost(error) from None
        return error if isinstance(error, Exception) else RuntimeError(str(error))

    def _answered(self, block: Block, answer: Answer | Exception) -> Iterator[JobResult[Any]]:
        tries = max(block.tries + 1, self.begun[block.number])
        match answer:
            case Finished():
                yield JobResult(block.number, answer.value, None, answer.worker, answer.seconds, tries)
            case Failed():
                yield JobResult(block.number, None, answer.error, answer.worker, answer.seconds, tries)
            case Refused():
                self._place.refuse(answer.address, answer.version)
                self._submit_again(block)
            case Lacking():
                yield from self._send(block, answer)
            case Troubled():
                yield from self._again(block, answer.worker, answer.reason)
            case Exception():
                yield from self._died(block, answer)

    def _died(self, block: Block, error: Exception) -> Iterator[JobResult[Any]]:
        """Give up a block whose workers died; one that merely waited on them while others killed them is sent again."""
        from distributed import KilledWorker

        if not isinstance(error, KilledWorker):
            sentence = given_up(block.order.called, 1, f"{type(error).__name__}: {error}")
            yield JobResult(block.number, None, GivenUpError(sentence))
            return
        block.deaths += 1
        begun = self.begun[block.number]
        if begun < TRIES and block.deaths < DEATHS:
            self._submit_again(block)
        else:
            tries = max(begun, TRIES)
            yield JobResult(
                block.number, None, GivenUpError(given_up(block.order.called, tries, block.reason)), tries=tries
            )

    def _again(self, block: Block, worker: str, reason: str) -> Iterator[JobResult[Any]]:
        """Send a block to another worker, unless it was tried often enough."""
        block.tries += 1
        block.avoided.add(address_of(worker))
        block.reason = reason
        if block.tries < TRIES:
            self._submit_again(block)
        else:
            error = GivenUpError(given_up(block.order.called, block.tries, f"{worker}: {reason}"))
            yield JobResult(block.number, None, error, worker, 0.0, block.tries)

    def _send(self, block: Block, answer: Lacking) -> Iterator[JobResult[Any]]:
        """Send a worker what it lacks for a block, and then the block again."""
        block.deliveries += 1
        block.address = answer.address
        if block.deliveries > TRIES * (1 + len(block.order.inputs)):
            yield from self._again(block, answer.worker, "it does not keep what it is sent")
            return
        wanted = [artifact for artifact in block.order.inputs if artifact.key in answer.keys]
        sent = [
            self._place.send(artifact, block.address, answer.store, again=artifact.key in block.delivered)
            for artifact in wanted
        ]
        block.delivered.update(artifact.key for artifact in wanted)
        self._waiting += 1
        left, counting = len(sent), Lock()

        def arrived(_sent: Delivery[None]) -> None:
            nonlocal left
            with counting:
                left -= 1
                last = not left
            if last:
                problem = next((each.exception() for each in sent if each.exception()), None)
                self._events.put(_Arrived(block, problem))

        for each in sent:
            each.add_done_callback(arrived)

    def _delivered(self, block: Block, problem: BaseException | None) -> Iterator[JobResult[Any]]:
        if problem is None:
            there = block.address in self._place.workers
            self._submit([block], frozenset({block.address} if there else ()))
        elif isinstance(problem, TermgaugeError):
            yield JobResult(block.number, None, problem, block.address)
        else:
            yield from self._again(block, block.address, str(problem) or type(problem).__name__)

    def _look_for_workers(self) -> None:
        """Ask anew for what was on workers that are gone, and say so if there is none at all."""
        workers = frozenset(self._place.workers)
        for gathering, known in list(self._gathered.items()):
            if not known.workers <= workers:
                del self._gathered[gathering]  # not cancelled: Dask would join later ones with it, and cancel those
                self._ask_anew(known)
        for key, (block, future) in list(self._under_way.items()):
            if block.only and not block.only & workers:
                del self._under_way[key]
                self._place.cancel([future])
                self._submit_again(block)
        if workers:
            self._alone_since = time.monotonic()
        elif time.monotonic() - self._alone_since > ALONE_SECONDS:
            self._alone_since = float("inf")
            warn("The cluster has no worker now; waiting for one.")
