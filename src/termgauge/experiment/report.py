"""The report on a run: everything that is in a run folder, gathered into one document.

What is missing or damaged costs its section, and the report says so; only a run without results has no report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.errors import TermgaugeError
from termgauge.experiment.compare import compare
from termgauge.experiment.run_folder import RunFolder, open_run
from termgauge.report.document import Document
from termgauge.report.sections.groups import group_sections
from termgauge.report.sections.heatmap import heatmap_section
from termgauge.report.sections.standings import standings
from termgauge.report.sections.summary import summary

if TYPE_CHECKING:
    import os


def run_document(
    run: str | os.PathLike[str] | RunFolder, *, alpha: float | None = None, correction: str | None = None
) -> Document:
    """Gather the report on a run."""
    opened = run if isinstance(run, RunFolder) else open_run(run)
    document = opened.document()
    results = opened.results()
    try:
        comparison = compare(
            opened,
            alpha=alpha or document.get("alpha", 0.05),
            correction=correction or document.get("correction", "bonferroni"),
        )
    except TermgaugeError:
        comparison = None
    found = standings(results, document["models"], {k: v["graded"] for k, v in document["sets"].items()}, comparison)
    sections = [*([h] if (h := heatmap_section(found)) else []), *group_sections(found)]
    return Document(
        document.get("title", "How well do these embeddings know medical terminology?"),
        summary(found, {k: v["pairs"] for k, v in document["sets"].items()}),
        (),
        tuple(sections),
    )
