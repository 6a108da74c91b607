"""Run an experiment on machines that you reach by SSH: ``python ssh.py experiment.toml node1 node2 node3``.

The first machine also has the scheduler. Log in with a key and without questions; names, users and keys of
``~/.ssh/config`` are used. Python and termgauge must be the same everywhere: ``pip install "termgauge[cluster]"
asyncssh``.
"""

from __future__ import annotations

import argparse
import sys

import dask
from distributed import SSHCluster

import termgauge as tg

ONE_THREAD = ("NUMBA_NUM_THREADS", "POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def main() -> None:
    """Start a scheduler and workers, run the experiment, end them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("experiment")
    parser.add_argument("machines", nargs="+")
    parser.add_argument("--workers", type=int, default=4, help="on each machine; as many as it has cores for you")
    parser.add_argument("--memory", default="8GB", help="of each worker")
    parser.add_argument("--python", default=sys.executable, help="the Python of the machines, if it lies elsewhere")
    parser.add_argument("--shared", action="store_true", help="all machines see the same files and the same cache")
    given = parser.parse_args()
    dask.config.set({f"distributed.nanny.pre-spawn-environ.{name}": 1 for name in ONE_THREAD})  # of all workers
    with (
        SSHCluster(
            [given.machines[0], *given.machines],
            remote_python=given.python,
            scheduler_options={"port": 0, "dashboard_address": ":0"},
            worker_options={"n_workers": given.workers, "nthreads": 1, "memory_limit": given.memory},
        ) as cluster,
        cluster.get_client() as client,
    ):
        print(f"Dashboard: {cluster.dashboard_link}")
        tg.run(given.experiment, client=client, shared=given.shared)


if __name__ == "__main__":
    main()
