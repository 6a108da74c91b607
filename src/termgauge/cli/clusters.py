"""Commands on a cluster."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from termgauge.cli.application import note
from termgauge.plurals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE_SECONDS = 600.0


@contextmanager
def on_cluster(address: str | None, *, shared: bool, patience: float) -> Iterator[None]:
    """Do what a command does on a cluster, if one is named, and say where to watch it."""
    if address is None:
        if shared or patience != PATIENCE_SECONDS:
            raise typer.BadParameter("--shared and --patience are about a cluster; name one with --cluster.")
        yield
        return
    from termgauge.cluster import connect

    with connect.on_cluster(address, shared=shared, patience=patience) as executor:
        workers = numbered(len(executor.workers), "worker")
        gpus = f", {executor.gpus} GPUs" if executor.gpus else ""
        note(f"Cluster: {workers}{gpus}. Dashboard: {executor.client.dashboard_link or ''}")
        yield
