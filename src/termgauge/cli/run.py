"""Commands about whole experiments: running one file, and writing one to begin with."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from termgauge.cli.application import Answer, command, note
from termgauge.cli.options import ClusterOptions, Every, Jobs
from termgauge.engine.trust import Permissions, UntrustedError, remember
from termgauge.engine.trust import forget as forget_trust
from termgauge.exceptions import TermgaugeError, one_line, warn_skipped

if TYPE_CHECKING:
    from termgauge.engine.file import ExperimentFile


@command
def run(
    cluster: ClusterOptions,
    permissions: Permissions,
    experiment: Annotated[
        Path | None, Argument(metavar="EXPERIMENT.toml", help="An experiment file; termgauge init writes one.")
    ] = None,
    out: Annotated[
        Path | None, Option("--out", "-o", help="The run folder, instead of the one that the file names.")
    ] = None,
    jobs: Jobs = 1,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Only say what would be done, how much it is and about how long it takes.")
    ] = False,
    report: Annotated[bool, Option("--report/--no-report", help="Write report.html.")] = True,
    every: Every = False,
) -> Answer:
    """Run a whole experiment: build benchmarks, score models, test differences, write the report.

    Without a file: the Human Phenotype Ontology, vectors that travel inside packages (GloVe, word2vec of MEDLINE,
    WordLlama, bge-small) and three baselines. Nothing is downloaded.

    What is there already is not made again, so the same command goes on after an interruption, and after a change of
    the file does only what has changed.

    A file that sends something to another machine, reads environment variables or runs code of a model is shown to you
    first, with all of that; see termgauge trust.

    Examples: [dim]termgauge run[/dim]; [dim]termgauge run experiment.toml --dry-run[/dim].
    """
    from termgauge.engine.file import load_experiment, parse_experiment
    from termgauge.engine.run_folder import REPORT
    from termgauge.engine.runner import run as run_experiment

    if dry_run:
        file = load_experiment(experiment, permissions, only_look=True)
        return _plan(file, out, report=report, cluster=cluster.cluster)
    try:
        file = load_experiment(experiment, permissions)
    except UntrustedError as refused:
        if not _agreed(refused):
            raise
        file = parse_experiment(refused.text, refused.path, permissions.model_copy(update={"trust": True}))
    with cluster.used():
        made = run_experiment(file, out=out, jobs=jobs, report=report)
    page = made.path / REPORT
    written = report and page.is_file()

    def document() -> object:
        record = made.record()
        return {
            "run": str(made.path),
            "report": str(page) if written else None,
            "failures": {name: failure.model_dump() for name, failure in record.failures.items()},
            "results": made.results().to_dicts() if record.sets else [],
        }

    def shown() -> None:
        from termgauge.cli.scores import show_results

        show_results(made, every=every)
        if written:
            note(f"Report: {page}")

    return Answer(document, shown)


def _agreed(refused: UntrustedError) -> bool:
    """Show what a file wants, and ask whether it is trusted, if there is somebody to ask and trust would be enough."""
    enough = all(demand.granted or not demand.needs_flag for demand in refused.demands)
    if not (enough and sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    lines = [f"{refused.path} was not trusted before as it is now. This is what running it does:"]
    lines += [f"  - It {demand.what}." for demand in refused.demands]
    question = "\n".join([*map(one_line, lines), "Do you trust this file, as it is now?"])
    agreed = typer.confirm(question, err=True)
    if agreed:
        with suppress(TermgaugeError):  # then the same question comes again
            remember(refused.path, refused.text)
    return agreed


def _plan(file: ExperimentFile, out: Path | None, *, report: bool, cluster: str | None) -> Answer:
    """Return what would be done; what cannot be done is said, too."""
    from termgauge.cluster.connect import slots_at
    from termgauge.engine.graph import plan_section
    from termgauge.engine.runner import plan

    planned = plan(file, out=out, report=report, workers=slots_at(cluster) if cluster else None)
    for step in planned.steps:
        for item in step.items:
            if item.problem:
                warn_skipped(f"'{item.name}' ({step.name.lower()})", f"{step.name}, '{item.name}': {item.problem}")
    return Answer(planned.as_dict, lambda: [plan_section(planned)])


@command
def trust(
    experiment: Annotated[Path, Argument(metavar="EXPERIMENT.toml", help="An experiment file.")],
    forget: Annotated[bool, Option("--forget", help="Do not trust the file any more.")] = False,
) -> Answer:
    """Trust an experiment file as it is now, after showing what it does beside reading files of its own folder.

    A trusted file may send texts to the hosts that it names and read environment variables, until it is changed or
    moved. Code that comes with a model, and a key for a host that it is not known to belong to, need flags of termgauge
    run all the same.

    Example: [dim]termgauge trust theirs.toml[/dim].
    """
    from termgauge.engine.file import load_experiment

    file = load_experiment(experiment, only_look=True)
    assert file.path is not None
    if forget:
        forget_trust(file.path, file.text)
    else:
        remember(file.path, file.text)
    note(f"Note: {experiment} is {'not trusted any more' if forget else 'trusted until it is changed or moved'}.")
    return Answer(
        lambda: {"file": str(experiment), "trusted": not forget, "wants": [demand.what for demand in file.demands]},
        lambda: "\n".join(one_line(f"It {demand.what}.") for demand in file.demands) or "It needs no permission.",
    )


@command
def init(
    file: Annotated[Path, Argument(metavar="FILE", help="The file to write.")] = Path("experiment.toml"),
    example: Annotated[str, Option(help="What it is about: default, obo, own-vectors, snomed or umls.")] = "default",
    force: Annotated[bool, Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Write a commented experiment file to begin with, for termgauge run.

    It holds what termgauge run does without a file, or an example, and every key that there is with what it means.

    Example: [dim]termgauge init --example snomed[/dim].
    """
    from termgauge.engine.file import init as write

    made = write(file, example=example, force=force)
    note(f"Written: {made}. Change it as you need, then: termgauge run {made}")
