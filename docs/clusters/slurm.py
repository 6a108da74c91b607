"""Run an experiment on workers that SLURM starts: ``python slurm.py experiment.toml --jobs 16`` on a login node.

Change the lines marked "change" to what your cluster has. It needs ``pip install "termgauge[cluster]" dask-jobqueue``.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from dask_jobqueue import SLURMCluster

import termgauge as tg

CACHE = os.environ.get("TERMGAUGE_CACHE_DIR", str(Path.home() / ".cache" / "termgauge"))


def cluster(*, gpu: bool) -> SLURMCluster:
    """Say what a job is: one worker with one thread, and a GPU if asked for."""
    return SLURMCluster(
        queue=os.environ.get("TERMGAUGE_QUEUE", "normal"),  # change: a partition, see sinfo
        walltime="04:00:00",  # change: what a worker does when its time is over is done by another
        cores=1,
        processes=1,
        memory="8GB",  # change: what your models need
        local_directory=tempfile.gettempdir(),  # change: a disk of the node, not a shared one
        log_directory="slurm-logs",
        job_script_prologue=[
            "export NUMBA_NUM_THREADS=1 POLARS_MAX_THREADS=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1",
            f"export TERMGAUGE_CACHE_DIR='{CACHE}'",
        ],
        job_extra_directives=["--gres=gpu:1"] if gpu else [],
        worker_extra_args=["--resources", "GPU=1"] if gpu else [],
    )


def main() -> None:
    """Start the jobs, run the experiment, end the jobs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("experiment")
    parser.add_argument("--jobs", type=int, default=16, help="how many workers")
    parser.add_argument("--gpu", action="store_true", help="with one GPU in each job")
    parser.add_argument("--script", action="store_true", help="only print what a job would be")
    given = parser.parse_args()
    with cluster(gpu=given.gpu) as workers:
        if given.script:
            print(workers.job_script())
            return
        workers.scale(jobs=given.jobs)
        with workers.get_client() as client:
            print(f"Dashboard: {workers.dashboard_link}")
            client.wait_for_workers(1)
            tg.run(given.experiment, client=client, shared=True)


if __name__ == "__main__":
    main()
