"""The command that audits a terminology: its lists as a table and a page, and a study that asks people about them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from termgauge.cli.application import answer, command, note
from termgauge.cli.declared import given, with_options
from termgauge.cli.options import AsJson, OptionalModels, Sources
from termgauge.exceptions import TermgaugeError
from termgauge.tasks.audit.task import TASK
from termgauge.tasks.contract import About, Testing
from termgauge.terminology.options import ReadingOptions

if TYPE_CHECKING:
    from termgauge.studies.folder import Study
    from termgauge.tasks.audit.result import AuditResult

STUDY = "study"
Out = Annotated[Path, typer.Option("--out", "-o", help="The folder for audit.csv and audit.html.", show_default=False)]
AsStudy = Annotated[
    bool,
    typer.Option(
        "--study",
        help="Also begin a study in the folder: people say, blind, whether the first pairs of the first two lists mean "
        "the same.",
    ),
]


@command
@with_options(ReadingOptions)
@with_options(Testing, only=TASK.testing)
@with_options(TASK.options)
def audit(
    sources: Sources,
    out: Out,
    models: OptionalModels = None,
    study: AsStudy = False,
    as_json: AsJson = False,
    **options: Any,  # noqa: ANN401
) -> None:
    """Let models read a terminology a second time: which of its terms stand at the wrong place?

    Four lists come out: synonyms that look unlike their concept, terms of different concepts that look the same,
    retired concepts without a replacement, and replacements that look doubtful. They are for people to look at, not to
    be believed. Without a model only rules are applied.

    Example: [dim]termgauge audit hp.obo -m wordllama: -m glove.6B.50d.txt --out hp-audit[/dim].
    """
    from termgauge.engine.verbs import measure
    from termgauge.reporting.blocks import Document
    from termgauge.tasks.audit.sections import write_audit

    if out.exists() and not out.is_dir():
        raise TermgaugeError(f"{out}: is a file; name a folder to write the audit to.")
    result: AuditResult = measure(  # type: ignore[assignment]
        TASK,
        given(options, TASK.options),
        Testing.of(seed=options["seed"]),
        models or (),
        source=sources,
        reading=given(options, ReadingOptions),
    )
    asked = audit_study(result, out / STUDY, options["seed"]) if study else None
    table, page = write_audit(result, out)
    files = {"table": str(table), "page": str(page), "study": str(asked.folder) if asked else None}
    answer(
        as_json,
        lambda: {**result.brief(), "files": files},
        lambda: Document("", (), (), tuple(TASK.sections(result, About()))),
    )
    note(f"Written: {table}, {page}{f', {asked.folder}' if asked else ''}")


def audit_study(result: AuditResult, folder: Path, seed: int) -> Study:
    """Begin a study of the first rows of the lists of synonyms; what the terminology says of them is the blind key."""
    import polars as pl

    from termgauge.benchmark.pairset import PairSet
    from termgauge.studies.folder import new_study
    from termgauge.tasks.audit.result import MISSED, UNLIKE

    same = [(row.term1, row.name1) for row in result.lists[UNLIKE]]
    different = [(row.term1, row.term2) for row in result.lists[MISSED] if row.term1.lower() != row.term2.lower()]
    count = min(result.first, len(same), len(different))
    if not count:
        raise TermgaugeError(
            "A study needs rows of both lists, of synonyms that look unlike and of terms that look the same, and one "
            "is empty; name models, or leave out --study."
        )
    rows = [(*pair, label) for label, pairs in ((1, same), (0, different)) for pair in pairs[:count]]
    pairs = PairSet("audit", pl.DataFrame(rows, schema=["term_1", "term_2", "label"], orient="row"))
    return new_study(folder, pairs, kind="quality", seed=seed, per_label=count, title="Do these terms mean the same?")
