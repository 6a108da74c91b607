"""Finding a cluster by its address: a scheduler, a scheduler file, or processes of this machine."""

from __future__ import annotations

import json
import logging
import re
import warnings
from contextlib import contextmanager, suppress
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.cluster.asking import asked
from termgauge.cluster.machine import THREAD_VARIABLES, cores
from termgauge.cluster.messages import no_worker_of_this_version
from termgauge.cluster.place import PATIENCE_SECONDS, DaskExecutor
from termgauge.cluster.worker import forget, versions
from termgauge.exceptions import TermgaugeError, warn
from termgauge.executor import use_executor
from termgauge.io.identity import version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import Client

CONNECT_SECONDS = 15.0
FORGET_SECONDS = 3.0
LEAST_SILENT_SECONDS = 10.0
"""A worker may be silent for so long at least: code that holds the interpreter's lock, as a compiler, keeps it so."""
_LIBRARIES = ("numpy", "numba", "polars", "scipy", "scikit-learn", "onnxruntime", "tokenizers", "torch")
_LOCAL = re.compile(r"local(?::([1-9]\d{0,2}))?")
_ADDRESS = re.compile(r"(?!local:)(?:[a-z]+://)?(?:[^\s/:]+|\[[0-9a-f:]+\]):\d+", re.IGNORECASE)
UNWATCHED = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
"""What workers of this machine need not do all the time: note what they are at, and how much memory they have."""
_FORMS = "tcp://host:8786, a scheduler file, or local:4 for four processes of this machine"


@contextmanager
def connected(address: str, *, shared: bool = False, patience: float = PATIENCE_SECONDS) -> Iterator[DaskExecutor]:
    """Give the cluster at an address as an executor, for the duration of a block of code."""
    _require("distributed", "Dask")
    with (
        _silence(),
        _client(address, patience) as (client, local),
        executor_of(client, shared=shared or local, patience=patience) as place,
    ):
        yield place


@contextmanager
def on_cluster(address: str, *, shared: bool = False, patience: float = PATIENCE_SECONDS) -> Iterator[DaskExecutor]:
    """Do the work of all verbs inside a ``with`` on a cluster.

    Parameters
    ----------
    address
        Of a Dask scheduler, as ``tcp://host:8786``; a scheduler file; or ``local:4`` for four processes of this
        machine.
    shared
        Whether all workers see the same disk under the same paths, the cache of termgauge on it; else whatever a worker
        reads is sent to it, and what it makes comes back.
    patience
        After how many seconds without a sign of life a unit is done on another worker.

    Raises
    ------
    TermgaugeError
        If no scheduler answers there, or no worker has this version of termgauge.

    Examples
    --------
    >>> with on_cluster("local:2"):  # doctest: +SKIP
    ...     tg.run("experiment.toml")
    """
    with connected(address, shared=shared, patience=patience) as place, use_executor(place):
        yield place


@contextmanager
def use_client(client: Any, *, shared: bool = False) -> Iterator[None]:  # noqa: ANN401
    """Do all work inside the block on the cluster of a Dask client, or of an executor of one; None changes nothing."""
    if client is None:
        yield
        return
    _require("distributed", "Dask")
    from distributed import Client
    from distributed.cfexecutor import ClientExecutor

    known = client._client if isinstance(client, ClientExecutor) else client  # noqa: SLF001 - it has no other name
    if not isinstance(known, Client) or known.asynchronous:
        raise TermgaugeError(
            f"'client' must be a Dask client that is not asynchronous, as Client('tcp://host:8786'), not {client!r:.50}"
            "."
        )
    with executor_of(known, shared=shared) as place, use_executor(place):
        yield


@contextmanager
def executor_of(client: Client, *, shared: bool = False, patience: float = PATIENCE_SECONDS) -> Iterator[DaskExecutor]:
    """Give the cluster behind a Dask client as an executor; workers of other versions are refused."""
    place = DaskExecutor(client, shared=shared, patience=patience)
    _check_versions(client, place)
    try:
        yield place
    finally:
        place.close()
        if getattr(client, "status", "") == "running":
            with suppress(TermgaugeError, OSError):  # the scheduler may have gone meanwhile
                asked(client, forget, workers=place.workers, seconds=FORGET_SECONDS)


@contextmanager
def _silence() -> Iterator[None]:
    """Keep Dask's log quiet: what matters is said in sentences of our own."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]  # each has a level of its own
    former = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, former, strict=True):
            logger.setLevel(level)


def slots_at(address: str) -> int:
    """Return how many blocks the cluster at an address does at once; one of this machine is not started for that."""
    if match := _LOCAL.fullmatch(address):
        return int(match[1] or cores())
    with connected(address) as place:
        return place.slots


def _require(module: str, name: str) -> None:
    try:
        import_module(module)
    except ImportError:
        raise TermgaugeError(f"A cluster needs {name}; install it with: pip install 'termgauge[cluster]'.") from None


@contextmanager
def _client(address: str, patience: float) -> Iterator[tuple[Client, bool]]:
    """Connect, and say whether the cluster is of this machine alone, made for the occasion."""
    from distributed import Client

    if match := _LOCAL.fullmatch(address):
        with _local_cluster(int(match[1] or 0), patience) as cluster, Client(cluster, set_as_default=False) as client:
            yield client, True
        return
    place = Path(address).expanduser()
    if place.is_file():
        _check_scheduler_file(place)
        arguments: dict[str, Any] = {"scheduler_file": str(place)}
    elif _ADDRESS.fullmatch(address) and place.suffix != ".json":
        arguments = {"address": address}
    else:
        raise TermgaugeError(f"'{address}' is no address of a cluster, nor a file; name one as {_FORMS}.")
    try:
        client = Client(**arguments, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError, KeyError, TypeError) as error:
        raise TermgaugeError(
            f"{address}: no Dask scheduler answers there ({_reason(error)}); start one with: dask scheduler."
        ) from None
    with client:
        yield client, False


def _check_scheduler_file(place: Path) -> None:
    """Refuse a file that Dask did not write; Dask itself says nothing that helps."""
    try:
        known = json.loads(place.read_bytes())
    except (OSError, ValueError):
        known = None
    if not isinstance(known, dict) or not isinstance(known.get("address"), str):
        raise TermgaugeError(
            f"{place}: is no scheduler file; name one that dask scheduler --scheduler-file has written, or the address "
            "of the scheduler."
        )


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__


@contextmanager
def _local_cluster(workers: int, patience: float) -> Iterator[Any]:
    import dask
    from distributed import LocalCluster, Security

    _require("cryptography", "cryptography for a key of its own")
    with dask.config.set(UNWATCHED), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that another dashboard has the usual port
        cluster = LocalCluster(
            n_workers=workers or cores(),
            threads_per_worker=1,
            silence_logs=logging.CRITICAL,
            security=Security.temporary(),  # a key of this run: else any user of the machine could run code as this one
            dashboard_address="127.0.0.1:8787",
            # Dask looks once in so long, and then gives a worker 4 seconds to end: a third is within the patience.
            scheduler_kwargs={"worker_ttl": max(patience / 3, LEAST_SILENT_SECONDS)},
            env=dict.fromkeys(THREAD_VARIABLES, "1"),
        )
    with cluster:
        yield cluster


def _check_versions(client: Client, place: DaskExecutor) -> None:
    """Refuse workers of other versions of termgauge, and warn of other versions of libraries."""
    theirs = asked(client, metadata.version, "termgauge", workers=place.workers, seconds=CONNECT_SECONDS)
    others = {address: _said(each) for address, each in theirs.items() if each != version()}
    if others and len(others) == len(theirs):
        raise TermgaugeError(no_worker_of_this_version(others))
    for address, each in others.items():
        place.refuse(address, each)
    here = versions(_LIBRARIES)
    known = [address for address in theirs if address not in others]
    for address, libraries in asked(client, versions, _LIBRARIES, workers=known, seconds=CONNECT_SECONDS).items():
        if not isinstance(libraries, dict):
            continue
        differing = [f"{name} {libraries[name]} (here {own})" for name, own in here.items()
                     if libraries.get(name, own) != own]  # fmt: skip
        if differing:
            warn(
                f"The worker {address} has other versions of libraries: {', '.join(differing)}; results may differ in "
                "their last digits."
            )


def _said(theirs: object) -> str:
    return theirs if isinstance(theirs, str) else "none"
