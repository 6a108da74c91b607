"""What a worker does with an order: see that it can do it, do it, and answer.

A worker is one of several on its machine, so that a block has one thread of its own. What a block cannot do for want of
memory or disk is answered, not raised, for another worker may have it.
"""

from __future__ import annotations

import pickle
import time
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from termgauge.cluster.artifacts import store, there
from termgauge.cluster.orders import Answer, Failed, Finished, Lacking, Refused, Troubled
from termgauge.cluster.watch import NotWantedError, watched
from termgauge.exceptions import TermgaugeError, sentence_of
from termgauge.executor import as_worker, retry_reason, use_executor
from termgauge.io.identity import version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from termgauge.cluster.orders import Order

_to_forget: list[Callable[[], None]] = []


def perform(order: Order) -> Answer:
    """Do a block on a worker of Dask."""
    from distributed import get_worker

    worker = get_worker()
    called = f"{worker.name}" if str(worker.name) == worker.address else f"{worker.name} ({worker.address})"
    if order.version != version():
        return Refused(called, version())
    began = time.monotonic()
    try:
        if lacking := tuple(each.key for each in order.inputs if not there(each, shared=order.shared)):
            return Lacking(called, store(), lacking)
        with watched(order, worker, worker.get_current_task()), as_worker(), _own_share(), _nested(order):
            value = resolve_name(order.function)(*order.block)
    except NotWantedError as error:  # the answer goes nowhere
        return Failed(called, TermgaugeError(str(error)), time.monotonic() - began)
    except Exception as error:  # noqa: BLE001 - whatever it is, who sent the block is told
        if reason := retry_reason(error):
            return Troubled(called, reason)
        return Failed(called, _sendable(error), time.monotonic() - began)
    return Finished(called, value, time.monotonic() - began)


def _sendable(error: Exception) -> Exception:
    """Return an error that another process can read."""
    try:
        again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    except Exception:  # noqa: BLE001 - errors of libraries may hold anything
        return RuntimeError(sentence_of(error))
    return error if type(again) is type(error) else RuntimeError(sentence_of(error))


@contextmanager
def _own_share() -> Iterator[None]:
    """Let kernels use one thread: there are as many workers as the machine has cores."""
    import numba

    former = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(former)


@contextmanager
def _nested(order: Order) -> Iterator[None]:
    """Let a block send blocks of its own to the same cluster, unless it holds a GPU that those might wait for."""
    from termgauge.cluster.place import nested_place

    with use_executor(None if order.holds_gpu else nested_place(order)):
        yield


def forget_when_done(forget: Callable[[], None]) -> None:
    """Have something called on workers once a client needs them no longer, such as to empty what is kept in memory."""
    if forget not in _to_forget:
        _to_forget.append(forget)


def forget() -> None:
    """Let go of what was kept for a client."""
    for each in _to_forget:
        each()


def versions(names: tuple[str, ...]) -> dict[str, Any]:
    """Return the versions of libraries on this worker."""
    from termgauge.io.identity import library_versions

    return library_versions(names)
