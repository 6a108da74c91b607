"""The command about the agreement of raters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from termgauge.cli.application import answer, command, note
from termgauge.cli.declared import given, with_options
from termgauge.cli.options import AsJson
from termgauge.studies.options import AgreementOptions


@command
@with_options(AgreementOptions)
def agreement(
    ratings: Annotated[
        Path,
        typer.Argument(
            metavar="RATINGS",
            help="A CSV or TSV table: the answers of a study, pair rater rating, or word1 word2 and a column "
            "for each rater.",
            show_default=False,
        ),
    ],
    page: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Also write a page.")] = None,
    as_json: AsJson = False,
    **options: Any,  # noqa: ANN401
) -> None:
    """Say how far raters agree, who is left out, and how well a model can do at most.

    For each rater: the agreement with each other rater (IAA-1) and with the mean of the others (IAA-2), and signs of
    carelessness. For all: Krippendorff's alpha, the reliability of mean ratings, and how many raters or pairs an
    interval of a wanted width takes.

    Example: [dim]termgauge agreement ratings.tsv --scale 0,6[/dim].
    """
    from termgauge.reporting.writers.html import write_html
    from termgauge.studies.agreement.compute import agreement as measure

    chosen = given(options, AgreementOptions)
    result = measure(ratings, **chosen.changed())
    answer(as_json, result.as_dict, result.document)
    if page is not None:
        write_html(result.document(), page)
        note(f"Written: {page}")
