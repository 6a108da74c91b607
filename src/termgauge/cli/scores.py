"""Commands about scores: making them, comparing them, and looking at the worst."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from termgauge.cli.application import command, note, print_json, show
from termgauge.cli.options import Alpha, AsJson, Benchmarks, Correction, DataDir, Models
from termgauge.exceptions import TermgaugeError, TermgaugeWarning

if TYPE_CHECKING:
    from termgauge.experiment.run_folder import RunFolder
    from termgauge.tasks.pairs.run_comparison import RunComparison

Run = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder, made by termgauge run or evaluate.")]


@command
def evaluate(
    models: Models,
    benchmarks: Benchmarks,
    out: Annotated[Path, typer.Option("--out", "-o", help="The run folder; one that is there is added to.")],
    measures: Annotated[
        list[str] | None,
        typer.Option("--measure", help="A measure, such as avg_cos; all if none is named; may be repeated."),
    ] = None,
    overwrite: Annotated[
        str,
        typer.Option(
            help="missing: score what is not there or has changed; always: score everything again; never: leave the "
            "scores of a model on a set as they are once there are some."
        ),
    ] = "missing",
    alpha: Alpha = 0.05,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Score models on benchmarks and human-rated sets.

    Every score is kept in the run folder, with results.csv. A second call scores only what is missing.

    Example: [dim]termgauge evaluate -b hp-benchmark -b human -m PubMed.bin -m baseline:levenshtein -o run[/dim].
    """
    from termgauge.experiment.evaluate import evaluate as score

    run = score(
        benchmarks or [],
        models,
        out,
        measures=measures or (),
        overwrite=overwrite,
        alpha=alpha,
        data_dir=data_dir,
    )
    if as_json:
        print_json({"run": str(run.path), "results": run.results().to_dicts()})
    else:
        show_results(run, alpha)


def show_results(run: RunFolder, alpha: float = 0.05) -> None:
    """Show the values of a run to people, with which differences are significant."""
    from termgauge.tasks.pairs.sections.standings import standings
    from termgauge.tasks.pairs.sections.values import value_section

    about = run.document()
    graded = {name: bool(each["graded"]) for name, each in about["sets"].items()}
    pairs = {name: int(each["pairs"]) for name, each in about["sets"].items()}
    compared = _compared(run, alpha)
    show([value_section(standings(run.results(), about["models"], graded, compared, alpha=alpha), pairs)])
    note(f"All values: {run.path / 'results.csv'}")


def _compared(run: RunFolder, alpha: float) -> RunComparison | None:
    """Return which models differ on which sets; None where that cannot be told."""
    from termgauge.experiment.compare import compare as compare_run

    if len(run.document()["models"]) < 2:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TermgaugeWarning)  # evaluating has said what takes no part
        try:
            return compare_run(run, alpha=alpha, between_measures=False, power=False)
        except TermgaugeError:
            return None


@command
def compare(
    run: Run,
    alpha: Alpha = 0.05,
    correction: Correction = "bonferroni",
    measure: Annotated[
        str, typer.Option(help="usual: cosine; best: each model's best on the set; or the name of a measure.")
    ] = "usual",
    statistic: Annotated[
        str, typer.Option(help="Of binary sets: accuracy (exact McNemar test) or auc (DeLong's test).")
    ] = "accuracy",
    sets: Annotated[list[str] | None, typer.Option("--set", help="Only this set; may be repeated.")] = None,
    between_measures: Annotated[
        bool, typer.Option("--measures/--no-measures", help="Also compare the measures of each model.")
    ] = True,
    power: Annotated[
        bool, typer.Option("--power/--no-power", help="Also find the smallest difference each set could have shown.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Show which differences are real: models on each set, and the measures of each model.

    Models and measures stand in order, each with its interval and a superscript: after + how many others it beats
    significantly, after - how many beat it.
    """
    from termgauge.experiment.compare import compare as compare_run
    from termgauge.tasks.pairs.sections.values import comparison_sections

    found = compare_run(
        run,
        alpha=alpha,
        correction=correction,
        measure=measure,
        statistic=statistic,
        sets=sets or (),
        between_measures=between_measures,
        power=power,
    )
    if as_json:
        print_json(found.as_dict())
    else:
        show(comparison_sections(found))


@command
def errors(
    run: Run,
    model: Annotated[str, typer.Option("--model", "-m", metavar="NAME", help="A model of the run.")],
    set_: Annotated[str, typer.Option("--set", "-s", metavar="ID", help="A set of the run.")],
    measure: Annotated[
        str | None, typer.Option(help="Whose scores to look at; the model's usual measure if not given.")
    ] = None,
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="How many pairs.")] = 20,
    only: Annotated[
        str | None,
        typer.Option(help="Binary sets: only false-positive or false-negative; graded: only too-high or too-low."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the most confident wrong pairs of a model on a set.

    Binary sets: pairs on the wrong side of the model's best threshold, the farthest first. Graded sets: pairs whose
    rank by score is farthest from their rank by rating.

    Example: [dim]termgauge errors run --model PubMed --set human/umnsrs-sim --n 10[/dim].
    """
    from termgauge.experiment.worst import errors as find
    from termgauge.tasks.pairs.sections.wrong_pairs import worst_section

    found = find(run, model, set_, measure=measure, n=n, only=only)
    if as_json:
        print_json(found.as_dict())
    else:
        show([worst_section(found)])
