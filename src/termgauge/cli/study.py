"""Commands about studies, in which people rate pairs: from the first pair to the published set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from termgauge.cli.application import answer, group
from termgauge.cli.options import AsJson, DataDir

study = group(
    "study",
    """Let people rate pairs of terms, and make a benchmark of what they say.

    A study is a folder. The usual way: [bold]study new[/bold], change study.toml, [bold]study invite[/bold],
    [bold]study serve[/bold], [bold]study results[/bold]. [bold]termgauge study demo[/bold] shows the whole in a
    minute.""",
)
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The study's folder.")]
Rule = Annotated[
    str,
    typer.Option(
        help="Whose ratings are left out: others (more than two standard deviations below the agreement of the "
        "others), simlex (more than one below that of all), or none."
    ),
]


@study
def new(
    folder: Folder,
    pairs: Annotated[
        str,
        typer.Option(
            "--pairs",
            "-p",
            metavar="PAIRS.tsv|BENCHMARK",
            help="A table of pairs, the folder of a benchmark, or the id of a set.",
            show_default=False,
        ),
    ],
    kind: Annotated[
        str,
        typer.Option(help="What people are asked: similarity (a scale from 0 to 6) or quality (are both the same?)."),
    ] = "similarity",
    seed: Annotated[int, typer.Option(help="Seed for all random choices.")] = 42,
    groups: Annotated[
        int | None, typer.Option(min=1, help="Similarity: groups of raters, each with its own pairs.", show_default="2")
    ] = None,
    pages: Annotated[int | None, typer.Option(min=1, help="Pages for each rater.", show_default="5")] = None,
    consistency: Annotated[
        int | None,
        typer.Option(min=0, help="Similarity: pairs that all groups rate.", show_default="50, at most a tenth"),
    ] = None,
    duplicates: Annotated[
        int | None,
        typer.Option(min=0, help="Similarity: pairs that a rater sees twice.", show_default="50, at most a tenth"),
    ] = None,
    per_label: Annotated[
        int | None,
        typer.Option(min=1, help="Quality: positives, and negatives, drawn from each set.", show_default="30"),
    ] = None,
    title: Annotated[str | None, typer.Option(help="What raters see above every page.")] = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Begin a study: write study.toml to be changed, the pairs, who sees which pair when, and an empty database.

    Examples: [dim]termgauge study new nouns --pairs pairs.tsv[/dim];
    [dim]termgauge study new check --pairs BENCHMARK --kind quality[/dim].
    """
    from termgauge.studies.folder import new_study
    from termgauge.studies.sections import begun_section, summary

    made = new_study(
        folder,
        pairs,
        kind=kind,
        seed=seed,
        groups=groups,
        pages=pages,
        consistency=consistency,
        duplicates=duplicates,
        per_label=per_label,
        title=title,
        data_dir=data_dir,
    )
    answer(as_json, lambda: summary(made), lambda: [begun_section(made)])
