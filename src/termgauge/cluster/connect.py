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

from termgauge.cluster.dask_executor import DaskExecutor
from termgauge.exceptions import TermgaugeError, warn
from termgauge.executor import use_executor
from termgauge.io.identity import library_versions, version
from termgauge.threads import THREAD_VARIABLES, cores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import Client

CONNECT_SECONDS = 15.0
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
    _require("distributed")
    loggers = {logger: logger.level for logger in map(logging.getLogger, ("distributed", "distributed.client"))}
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)  # what matters is said in sentences of our own
    try:
        with _client(address, patience) as client:
            local = _LOCAL.fullmatch(address) is not None
            executor = executor_of(client, shared=shared or local, local=local)
            with use_executor(executor):
                yield executor
    finally:
        for logger, level in loggers.items():
            logger.setLevel(level)


@contextmanager
def use_client(client: Any, *, shared: bool = False) -> Iterator[None]:  # noqa: ANN401
    """Do all work inside the block on the cluster of a Dask client, or of an executor of one; None changes nothing."""
    if client is None:
        yield
        return
    _require("distributed")
    from distributed import Client

    client = getattr(client, "_client", client)  # of Dask's executor, which has no other name for it
    if not isinstance(client, Client) or client.asynchronous:
        wanted = "a Dask client that is not asynchronous, as Client('tcp://host:8786')"
        raise TermgaugeError(f"'client' must be {wanted}, not {client!r:.50}.")
    with use_executor(executor_of(client, shared=shared)):
        yield


def slots_at(address: str) -> int:
    """Return how many jobs the cluster at an address does at once; one of this machine is not started for that."""
    if match := _LOCAL.fullmatch(address):
        return int(match[1] or cores())
    with on_cluster(address) as executor:
        return executor.slots


def _require(module: str) -> None:
    try:
        import_module(module)
    except ImportError:
        raise TermgaugeError(f"A cluster needs {module}; install it with: pip install 'termgauge[cluster]'.") from None


@contextmanager
def _client(address: str, timeout: float) -> Iterator[Client]:
    import dask
    from distributed import Client, LocalCluster, Security

    if match := _LOCAL.fullmatch(address):
        _require("cryptography")
        with dask.config.set(UNWATCHED), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that another dashboard has the usual port
            cluster = LocalCluster(
                n_workers=int(match[1] or cores()),
                threads_per_worker=1,
                silence_logs=logging.CRITICAL,
                # A key of this run: else any user of the machine could run code as this one.
                security=Security.temporary(),
                dashboard_address="127.0.0.1:8787",
                # Dask looks once in so long, and then gives a worker 4 seconds to end: a third is within the timeout.
                scheduler_kwargs={"worker_ttl": max(timeout / 3, LEAST_SILENT_SECONDS)},
                env=dict.fromkeys(THREAD_VARIABLES, "1"),
            )
        with cluster, Client(cluster, set_as_default=False) as client:
            yield client
        return
    path, scheduler = Path(address).expanduser(), address
    if path.is_file():
        try:
            scheduler = "".join([json.loads(path.read_bytes())["address"]])
        except (OSError, ValueError, KeyError, TypeError):
            raise TermgaugeError(
                f"{path}: is no scheduler file; name one that dask scheduler --scheduler-file has written, or the "
                "address of the scheduler."
            ) from None
    elif not _ADDRESS.fullmatch(address) or path.suffix == ".json":
        raise TermgaugeError(
            f"'{address}' is no address of a cluster, nor a file; name one as tcp://host:8786, a scheduler file, or "
            "local:4 for four processes of this machine."
        )
    try:
        client = Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise TermgaugeError(
            f"{address}: no Dask scheduler answers there ({reason}); start one with: dask scheduler."
        ) from None
    with client:
        yield client


def executor_of(client: Client, *, shared: bool = False, local: bool = False) -> DaskExecutor:
    """Return the cluster behind a client as an executor that refuses workers of other versions of termgauge."""
    executor, answers = DaskExecutor(client, shared=shared, local=local), {}
    with suppress(TimeoutError):  # a worker that hangs; a job looks at versions, too
        ask = client._get_versions  # noqa: SLF001 - with a limit of time
        answers = client.sync(ask, packages=["termgauge", *_LIBRARIES], callback_timeout=CONNECT_SECONDS)["workers"]
    versions = {address: answer["packages"] for address, answer in answers.items()}
    others = {address: it or "none" for address, about in versions.items() if (it := about["termgauge"]) != version()}
    if others and len(others) == len(versions):
        raise TermgaugeError(
            f"No worker of the cluster has termgauge {version()}, but {', '.join(sorted({*others.values()}))}; install "
            "this version on the workers, or theirs here."
        )
    ours = library_versions(_LIBRARIES)
    for address, packages in versions.items():
        differing = [f"{name} {packages[name]} (here {here})" for name, here in ours.items()
                     if packages[name] not in (here, None)]  # fmt: skip
        if address in others:
            executor.refuse(address, others[address])
        elif differing:
            warn(
                f"The worker {address} has other versions of libraries: {', '.join(differing)}; results may differ in "
                "their last digits."
            )
    return executor
