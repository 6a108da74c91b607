"""Arguments and options of commands that are no declared options: what is worked on, and how it is printed."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import Field
from typer import Argument, Option

from termgauge.cli import completion
from termgauge.cli.application import note
from termgauge.options import Flag, Options
from termgauge.plurals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator

_SOURCES = Argument(
    metavar="SOURCE...",
    help="A file, folder or zip in a format that termgauge terminology --list names, such as an RF2 release or a table "
    "(TSV, CSV, Parquet) with the columns concept and term. For an RF2 extension name the edition it extends first.",
)
Sources = Annotated[list[Path], _SOURCES]
OptionalSources = Annotated[list[Path] | None, _SOURCES]
SourcesOption = Annotated[
    list[Path] | None, Option("--terminology", metavar="SOURCE", help="The terminology; may be repeated.")
]
Run = Annotated[Path, Argument(metavar="RUN", help="A run folder, made by termgauge run or evaluate.")]
_MODEL = Option(
    "--model",
    "-m",
    metavar="[NAME=]SPEC",
    help="A file or folder, the id of a model in the local Hugging Face cache, or scheme:location?option=value, such "
    "as word2vec:vectors.bin or baseline:levenshtein; may be repeated.",
    autocompletion=completion.models,
)
Models = Annotated[list[str], _MODEL]
OptionalModels = Annotated[list[str] | None, _MODEL]
Benchmarks = Annotated[
    list[str] | None,
    Option(
        "--benchmark",
        "-b",
        metavar="DIR|ID|FILE",
        help="A benchmark's folder, the id of a human-rated set, human for all of those at hand, or a file of one's "
        "own; may be repeated.",
        autocompletion=completion.benchmarks,
    ),
]
Columns = Annotated[
    str | None,
    Option(
        "--columns",
        metavar="TERM1,TERM2,SCORE",
        help="The columns of a CSV or TSV file of one's own, by name or number: the two terms, and a score or label.",
    ),
]
DataDir = Annotated[
    Path | None,
    Option(
        "--data-dir", help="A folder with human-rated sets under their public file names.", envvar="TERMGAUGE_DATA_DIR"
    ),
]
Jobs = Annotated[
    int,
    Option(
        "--jobs",
        "-j",
        min=1,
        help="How many models, or trials of one, are measured at once, each with a share of the cores.",
    ),
]


class ClusterOptions(Options):
    """Where a command does its work."""

    cluster: Annotated[str | None, Flag(metavar="ADDRESS")] = Field(
        None,
        description="Do the work on a Dask cluster: the address of its scheduler (tcp://host:8786), a scheduler file, "
        "or local:4 for four processes of this machine.",
    )
    shared: bool = Field(
        default=False,
        description="With --cluster: all workers see the same disk and the same cache, so nothing has to be sent.",
    )
    patience: Annotated[float, Flag(("--timeout", "--patience"), metavar="SECONDS")] = Field(
        600.0, ge=1, description="With --cluster local:N: a worker that does not answer for so long is replaced."
    )

    @contextmanager
    def used(self) -> Iterator[None]:
        """Do what a command does on a cluster, if one is named, and say where to watch it."""
        if self.cluster is None:
            if self.model_fields_set:
                raise typer.BadParameter("--shared and --patience are about a cluster; name one with --cluster.")
            yield
            return
        from termgauge.cluster.connect import on_cluster

        with on_cluster(self.cluster, shared=self.shared, patience=self.patience) as executor:
            workers = numbered(len(executor.workers), "worker")
            gpus = f", {executor.gpus} GPUs" if executor.gpus else ""
            note(f"Cluster: {workers}{gpus}. Dashboard: {executor.client.dashboard_link or ''}")
            yield


Every = Annotated[bool, Option("--all", help="Show all tables, not the verdict and the ranking alone.")]
RunOut = Annotated[
    Path | None,
    Option(
        "--out",
        "-o",
        metavar="RUN",
        help="Add the result to this run folder, which is made if it is not there; without it, what was done is kept "
        "in the cache.",
    ),
]
