"""Commands about reports: of a run, of what changed between two, and of several together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from termgauge.cli.application import EXIT_WORSE, Answer, command
from termgauge.cli.declared import Only
from termgauge.cli.options import Run
from termgauge.exceptions import TermgaugeError
from termgauge.tasks.contract import Testing

if TYPE_CHECKING:
    from collections.abc import Sequence

Formats = Annotated[
    list[str] | None,
    Option(
        "--format",
        "-f",
        help="html, markdown, csv or latex; may be repeated, or name several as html,latex.",
        show_default="html",
    ),
]
Figures = Annotated[
    list[str] | None,
    Option(
        "--figures", help="Picture files beside Markdown and LaTeX: svg, pdf, png, or none.", show_default="as needed"
    ),
]
Open = Annotated[bool, Option("--open", help="Open what was written.")]
_Testing = Annotated[
    Testing, Only(("alpha", "correction", "measure", "statistic", "tests", "min_coverage", "resamples", "seed"))
]


@command
def report(
    run: Run,
    testing: Testing,
    formats: Formats = None,
    out: Annotated[
        Path | None,
        Option(
            "--out", "-o", help="The file (HTML, Markdown) or folder (CSV, LaTeX, or several); else the run folder."
        ),
    ] = None,
    figures: Figures = None,
    open_it: Open = False,
) -> Answer:
    """Write the report on a run: a page to read, Markdown, CSV files, or LaTeX tables and plots for a paper.

    Differences of scored pairs are tested as in the run, unless options say otherwise, in all formats alike.

    Example: [dim]termgauge report RUN --format html,latex[/dim].
    """
    from termgauge.engine.report import report as write

    written = write(run, formats=formats or ["html"], out=out, figures=figures, **testing.said())
    document = {"run": str(run), "written": [*map(str, written)]}
    return Answer(lambda: document, written=written, then=lambda: _open(written, open_it=open_it))


@command
def diff(
    first: Annotated[Path, Argument(metavar="RUN_A", help="The earlier run.")],
    second: Annotated[Path, Argument(metavar="RUN_B", help="The later run.")],
    testing: _Testing,
    mapped: Annotated[
        list[str] | None,
        Option("--map", metavar="A=B", help="Model A of RUN_A is model B of RUN_B; may be repeated."),
    ] = None,
    page: Annotated[Path | None, Option("--html", metavar="FILE", help="Also write a page.")] = None,
    fail_on_worse: Annotated[
        bool, Option("--fail-on-worse", help="End with status 3 if a value became significantly worse.")
    ] = False,
) -> Answer:
    """Show what changed between two runs, and whether it matters.

    On sets that are the same (by hash) each change of a value is tested on the pairs that both runs score; all tests
    are corrected together.

    Example: [dim]termgauge diff run-of-may run-of-june --fail-on-worse[/dim].
    """
    from termgauge.engine.diff import diff as compare_runs
    from termgauge.engine.diff import diff_document
    from termgauge.engine.report import targets_of, write_as

    targets = {} if page is None else targets_of("html", second, page, "diff")
    changes = compare_runs(first, second, models=_mapping(mapped or []), **testing.said())
    document = diff_document(changes)
    written = write_as(document, targets)
    status = EXIT_WORSE if fail_on_worse and changes.worse else 0
    return Answer(
        lambda: {**changes.as_dict(), "written": [*map(str, written)]}, lambda: document, written, status=status
    )


@command
def leaderboard(
    runs: Annotated[list[Path], Argument(metavar="RUN...", help="Run folders.")],
    testing: _Testing,
    out: Annotated[
        Path | None, Option("--out", "-o", help="The file or folder; leaderboard.html if nothing is said.")
    ] = None,
    formats: Formats = None,
    figures: Figures = None,
    sets: Annotated[list[str] | None, Option("--set", help="Only this set; may be repeated.")] = None,
    title: Annotated[str, Option(help="The title of the page.")] = "Leaderboard",
    open_it: Open = False,
) -> Answer:
    """Bring the models of several runs together on one page.

    Sets are matched by their contents and models by their identities, whatever the runs call them. All models are
    measured anew on the pairs that all of them can score, and tested against each other.

    Example: [dim]termgauge leaderboard run-1 run-2 --out leaderboard.html[/dim].
    """
    from termgauge.engine.leaderboard import leaderboard as rank
    from termgauge.engine.leaderboard import leaderboard_document, leaderboard_values
    from termgauge.engine.report import targets_of, write_as

    targets = targets_of(formats or "html", Path(), out, "leaderboard")
    board = rank(runs, sets=sets or (), **testing.said())
    document = leaderboard_document(board, title=title)
    written = write_as(document, targets, figures)
    return Answer(
        lambda: {**leaderboard_values(board), "written": [*map(str, written)]},
        lambda: replace(document, sections=document.sections[:1]),
        written,
        lambda: _open(written, open_it=open_it),
    )


def _mapping(words: Sequence[str]) -> dict[str, str]:
    others: dict[str, str] = {}
    for word in words:
        name, equals, other = word.partition("=")
        if not (name and equals and other):
            raise TermgaugeError(f"--map is to name two models as A=B, not '{word}'.")
        if name in others or other in others.values():
            raise TermgaugeError(f"--map names a model twice in '{word}'; each model stands for one other.")
        others[name] = other
    return others


def _open(written: Sequence[Path], *, open_it: bool) -> None:
    if open_it and written:
        typer.launch(str(written[0]))
