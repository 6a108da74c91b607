"""The command that runs the whole."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from termgauge.cli.application import command, people
from termgauge.cli.scores import show_results


@command
def run(
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder for the benchmark and the scores.")] = Path(
        "termgauge-run"
    ),
) -> None:
    """Run the whole on an open ontology, to see what it gives.

    The Human Phenotype Ontology becomes a benchmark, on which vectors that travel inside packages (GloVe,
    WordLlama) and three baselines are scored. Nothing is downloaded. What is there already is not made again.
    """
    from termgauge.experiment.default import run_default
    from termgauge.report.console import benchmark_summary

    made = run_default(out)
    people().print(benchmark_summary(made.benchmark), "")
    show_results(made.run)
