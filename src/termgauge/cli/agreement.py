"""The command about the agreement of raters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from termgauge.cli.application import Answer, command
from termgauge.studies.options import AgreementOptions


@command
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
    options: AgreementOptions,
    page: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Also write a page.")] = None,
) -> Answer:
    """Say how far raters agree, who is left out, and how well a model can do at most.

    For each rater: the agreement with each other rater (IAA-1) and with the mean of the others (IAA-2), and signs of
    carelessness. For all: Krippendorff's alpha, the reliability of mean ratings, and how many raters or pairs an
    interval of a wanted width takes.

    Example: [dim]termgauge agreement ratings.tsv --scale 0,6[/dim].
    """
    from termgauge.reporting.writers.html import write_html
    from termgauge.studies.agreement.compute import agreement as measure

    result = measure(ratings, **options.changed())
    if page is not None:
        write_html(result.document(), page)
    return Answer(result.as_dict, result.document, [page] if page else ())
