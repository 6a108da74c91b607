"""Commands about whole experiments: running one file, and writing one to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from termgauge.cli.application import answer, command, note, print_json
from termgauge.cli.clusters import PATIENCE_SECONDS, on_cluster
from termgauge.cli.options import AsJson, Cluster, Jobs, Patience, Shared
from termgauge.exceptions import left_out

if TYPE_CHECKING:
    from termgauge.experiment.file import ExperimentFile


@command
def run(
    experiment: Annotated[
        Path | None,
        typer.Argument(metavar="EXPERIMENT.toml", help="An experiment file; termgauge init writes one."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The run folder, instead of the one that the file names.")
    ] = None,
    jobs: Jobs = 1,
    cluster: Cluster = None,
    shared: Shared = False,
    patience: Patience = PATIENCE_SECONDS,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done, how much it is and about how long it takes.")
    ] = False,
    report: Annotated[bool, typer.Option("--report/--no-report", help="Write report.html.")] = True,
    allow_variables: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-variable",
            metavar="NAME",
            help="An environment variable that the file may send to the endpoint of a model, beside keys in variables "
            "whose names end in _API_KEY; may be repeated.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a whole experiment: build benchmarks, score models, test differences, write the report.

    Without a file: the Human Phenotype Ontology, vectors that travel inside packages (GloVe, word2vec of MEDLINE,
    WordLlama, bge-small) and three baselines. Nothing is downloaded.

    What is there already is not made again, so the same command goes on after an interruption, and after a change of
    the file does only what has changed.

    Examples: [dim]termgauge run[/dim]; [dim]termgauge run experiment.toml --dry-run[/dim].
    """
    from termgauge.experiment.file import load_experiment
    from termgauge.experiment.run_folder import REPORT
    from termgauge.experiment.runner import run as run_experiment

    file = load_experiment(experiment, allow_variables or ())
    if dry_run:
        _show_plan(file, out, report=report, as_json=as_json, cluster=cluster)
        return
    with on_cluster(cluster, shared=shared, patience=patience):
        made = run_experiment(file, out=out, jobs=jobs, report=report)
    page = made.path / REPORT
    record = made.record()
    if as_json:
        print_json(
            {
                "run": str(made.path),
                "report": str(page) if report and page.is_file() else None,
                "failures": {name: failure.model_dump() for name, failure in record.failures.items()},
                "results": made.results().to_dicts() if record.sets else [],
            }
        )
        return
    if record.sets:
        from termgauge.cli.scores import show_results

        show_results(made, compared_before=report)
    if report and page.is_file():
        note(f"Report: {page}")


def _show_plan(
    file: ExperimentFile, out: Path | None, *, report: bool, as_json: bool, cluster: str | None = None
) -> None:
    from termgauge.cluster.connect import slots_at
    from termgauge.experiment.plan import plan
    from termgauge.experiment.plan_section import plan_section

    planned = plan(file, out=out, report=report, workers=slots_at(cluster) if cluster else None)
    answer(as_json, planned.as_dict, lambda: [plan_section(planned)])
    for step in planned.steps:
        for item in step.items:
            if item.problem:
                left_out(f"'{item.name}' ({step.name.lower()})", f"{step.name}, '{item.name}': {item.problem}")


@command
def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")] = Path("experiment.toml"),
    example: Annotated[
        str, typer.Option(help="What it is about: default, obo, own-vectors, snomed or umls.")
    ] = "default",
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Write a commented experiment file to begin with, for termgauge run.

    It holds what termgauge run does without a file, or an example, and every key that there is with what it means.

    Example: [dim]termgauge init --example snomed[/dim].
    """
    from termgauge.experiment.commented import init as write

    made = write(file, example=example, force=force)
    note(f"Written: {made}. Change it as you need, then: termgauge run {made}")
