"""Finding a cluster by its address: a scheduler, a scheduler file, or processes of this machine."""

from __future__ import annotations

import json
import logging
import re
import warnings
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.cluster.dask_executor import DaskExecutor, no_worker_of_this_version
from termgauge.exceptions import TermgaugeError, warn
from termgauge.executor import THREAD_VARIABLES, cores, forget, use_executor
from termgauge.io.identity import library_versions, version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import Client

CONNECT_SECONDS = 15.0
FORGET_SECONDS = 3.0
TIMEOUT_SECONDS = 600.0
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


@contextmanager
def on_cluster(address: str, *, shared: bool = False, patience: float = TIMEOUT_SECONDS) -> Iterator[DaskExecutor]:
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
        The timeout of ``local:4``, in seconds: a worker that is silent for longer is replaced. The scheduler of another
        cluster has a timeout of its own.

    Raises
    ------
    TermgaugeError
        If no scheduler answers there, or no worker has this version of termgauge.

    Examples
    --------
    >>> with on_cluster("local:2"):  # doctest: +SKIP
    ...     tg.run("experiment.toml")
    """
    _require("distributed", "Dask")
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)  # what matters is said in sentences of our own
    try:
        with _client(address, patience) as client:
            local = _LOCAL.fullmatch(address) is not None
            with executor_of(client, shared=shared or local, local=local) as executor, use_executor(executor):
                yield executor
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextmanager
def use_client(client: Any, *, shared: bool = False) -> Iterator[None]:  # noqa: ANN401
    """Do all work inside the block on the cluster of a Dask client, or of an executor of one; None changes nothing."""
    if client is None:
        yield
        return
    _require("distributed", "Dask")
    from distributed import Client
    from distributed.cfexecutor import ClientExecutor

    own = client._client if isinstance(client, ClientExecutor) else client  # noqa: SLF001 - it has no other name
    if not isinstance(own, Client) or own.asynchronous:
        raise TermgaugeError(
            f"'client' must be a Dask client that is not asynchronous, as Client('tcp://host:8786'), not {client!r:.50}"
            "."
        )
    with executor_of(own, shared=shared) as executor, use_executor(executor):
        yield


@contextmanager
def executor_of(client: Client, *, shared: bool = False, local: bool = False) -> Iterator[DaskExecutor]:
    """Give the cluster behind a Dask client as an executor; workers of other versions are refused."""
    executor = DaskExecutor(client, shared=shared, local=local)
    _check_versions(client, executor)
    try:
        yield executor
    finally:
        with suppress(Exception):  # the scheduler may have gone meanwhile, and a worker may hang
            if client.status == "running":
                client.sync(client._run, forget, on_error="ignore", callback_timeout=FORGET_SECONDS)  # noqa: SLF001


def slots_at(address: str) -> int:
    """Return how many jobs the cluster at an address does at once; one of this machine is not started for that."""
    if match := _LOCAL.fullmatch(address):
        return int(match[1] or cores())
    with on_cluster(address) as executor:
        return executor.slots


def _require(module: str, name: str) -> None:
    try:
        import_module(module)
    except ImportError:
        raise TermgaugeError(f"A cluster needs {name}; install it with: pip install 'termgauge[cluster]'.") from None


@contextmanager
def _client(address: str, timeout: float) -> Iterator[Client]:
    from distributed import Client

    if match := _LOCAL.fullmatch(address):
        with _local_cluster(int(match[1] or cores()), timeout) as cluster, Client(cluster, set_as_default=False) as own:
            yield own
        return
    path, scheduler = Path(address).expanduser(), address
    if path.is_file():
        scheduler = _address_in(path)
    elif not _ADDRESS.fullmatch(address) or path.suffix == ".json":
        raise TermgaugeError(
            f"'{address}' is no address of a cluster, nor a file; name one as tcp://host:8786, a scheduler file, or "
            "local:4 for four processes of this machine."
        )
    try:
        client = Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError, KeyError, TypeError) as error:
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise TermgaugeError(
            f"{address}: no Dask scheduler answers there ({reason}); start one with: dask scheduler."
        ) from None
    with client:
        yield client


def _address_in(file: Path) -> str:
    """Return the address in a scheduler file; of one that Dask did not write, Dask says nothing that helps."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        if isinstance(address := json.loads(file.read_bytes())["address"], str):
            return address
    raise TermgaugeError(
        f"{file}: is no scheduler file; name one that dask scheduler --scheduler-file has written, or the address "
        "of the scheduler."
    )


@contextmanager
def _local_cluster(workers: int, timeout: float) -> Iterator[Any]:
    import dask
    from distributed import LocalCluster, Security

    _require("cryptography", "cryptography for a key of its own")
    with dask.config.set(UNWATCHED), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that another dashboard has the usual port
        cluster = LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            silence_logs=logging.CRITICAL,
            security=Security.temporary(),  # a key of this run: else any user of the machine could run code as this one
            dashboard_address="127.0.0.1:8787",
            # Dask looks once in so long, and then gives a worker 4 seconds to end: a third is within the timeout.
            scheduler_kwargs={"worker_ttl": max(timeout / 3, LEAST_SILENT_SECONDS)},
            env=dict.fromkeys(THREAD_VARIABLES, "1"),
        )
    with cluster:
        yield cluster


def _check_versions(client: Client, executor: DaskExecutor) -> None:
    """Refuse workers of other versions of termgauge, and warn of other versions of libraries."""
    versions: dict[str, Any] = {}
    with suppress(TimeoutError):  # a worker that hangs; a job looks at versions, too
        ask = client._get_versions  # noqa: SLF001 - with a limit of time
        versions = client.sync(ask, packages=["termgauge", *_LIBRARIES], callback_timeout=CONNECT_SECONDS)["workers"]
    workers = {address: about["packages"] for address, about in versions.items()}
    others = {one: its["termgauge"] or "none" for one, its in workers.items() if its["termgauge"] != version()}
    if others and len(others) == len(workers):
        raise no_worker_of_this_version(others)
    for address, theirs in others.items():
        executor.refuse(address, theirs)
    ours = library_versions(_LIBRARIES)
    for address in workers.keys() - others:
        theirs = workers[address]
        differing = [f"{name} {theirs[name]} (here {own})" for name, own in ours.items()
                     if theirs[name] not in (own, None)]  # fmt: skip
        if differing:
            warn(
                f"The worker {address} has other versions of libraries: {', '.join(differing)}; results may differ in "
                "their last digits."
            )
