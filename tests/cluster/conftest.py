"""What tests of clusters share: one in this process, for what needs no processes, and real ones."""

from __future__ import annotations

import pytest

from tests.cluster.clusters import processes


@pytest.fixture(scope="package")
def client():
    """Return a client of a cluster whose two workers are threads of this process."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=False,
            dashboard_address="127.0.0.1:0",
            resources={"GPU": 1},
            silence_logs=50,
        ) as cluster,
        Client(cluster, set_as_default=False) as made,
    ):
        yield made


@pytest.fixture(scope="package")
def three(tmp_path_factory):
    """Return a scheduler with three worker processes that share no disk."""
    with processes(tmp_path_factory.mktemp("cluster")) as made:
        yield made
