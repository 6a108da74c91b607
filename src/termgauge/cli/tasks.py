"""A command for each task: its options are those that the task declares, and what it prints is the task's result.

Named entities can also be scored from a file, and an audit is also written and can begin a study.
"""

from __future__ import annotations

import inspect
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from termgauge.cli.application import COMMANDS, EPILOG, MEASUREMENTS, answer, app, command, note
from termgauge.cli.declared import given, parameters_of, said, with_options, with_signature
from termgauge.cli.help import HelpedCommand
from termgauge.cli.options import COMMON, AsJson, OptionalModels, Sources, SourcesOption, on_cluster
from termgauge.exceptions import TermgaugeError
from termgauge.tasks.audit.task import TASK as AUDIT
from termgauge.tasks.contract import About, RunTask, Testing
from termgauge.tasks.ner.task import TASK as NER
from termgauge.tasks.registry import all_tasks
from termgauge.terminology.options import ReadingOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from termgauge.reporting.blocks import Document
    from termgauge.studies.folder import Study
    from termgauge.tasks.audit.result import AuditResult
    from termgauge.tasks.contract import AnyTask
    from termgauge.tasks.results import Result


def result_of(task: AnyTask, values: dict[str, Any]) -> Result:
    """Measure what the command line asks for."""
    from termgauge.engine.verbs import measure, read

    options, tested = given(values, task.options), {name: values[name] for name in task.testing}
    reading: Any = given(values, ReadingOptions) if "terminology" in task.needs else None
    source = values.get("sources")
    if task.reads_run:
        settings = said(values["context"], tested)
        return read(task, options, settings, values["run"], source=source or None, reading=reading)
    fields = task.options.model_fields
    named = {name: values[name] for name in ("data_dir", "out", "jobs") if name in values and name not in fields}
    with on_cluster(values.get("cluster"), **{name: values[name] for name in ("shared", "patience") if name in values}):
        return measure(
            task,
            options,
            Testing().asked(**tested),
            values["models"] or (),
            source=source,
            reading=reading,
            benchmarks=values.get("benchmarks") or (),
            columns=values.get("columns") or (),
            **named,
        )


def document_of(task: AnyTask, result: Result) -> Document:
    """Return a result as a document."""
    from termgauge.reporting.blocks import Document

    return Document("", (), (), tuple(task.sections(result, About())))


def measure_and_show(task: AnyTask, /, **values: Any) -> None:  # noqa: ANN401
    """Measure what the command line asks for, and print the result."""
    result = result_of(task, values)
    answer(values["as_json"], result.as_dict, lambda: document_of(task, result))


def parameters(task: AnyTask) -> list[inspect.Parameter]:
    """Return the parameters of a task's command."""
    terminology = "terminology" in task.needs
    if isinstance(task, RunTask):
        metavar = "RUN|FILE" if task.instead else "RUN"
        run = Annotated[Path, typer.Argument(metavar=metavar, help=task.takes, show_default=False)]
        first = [*_common("context"), parameter("run", run)]
        first += [parameter("sources", SourcesOption, None)] if terminology else []
    else:
        first = _common(*(["sources"] if terminology else []), "models")
    return [
        *first,
        *(_common("benchmarks", "columns", "data_dir") if "sets" in task.needs else []),
        *parameters_of(task.options),
        *parameters_of(Testing, task.testing),
        *(_common("out", "jobs") if task.parts_called else []),
        *([] if task.reads_run else _common("cluster", "shared", "patience")),
        *_common("as_json"),
        *(parameters_of(ReadingOptions) if terminology else []),
    ]


def parameter(name: str, annotation: Any, default: Any = ...) -> inspect.Parameter:  # noqa: ANN401
    """Return a parameter of a command; one without a default is needed."""
    default = inspect.Parameter.empty if default is ... else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _common(*names: str) -> list[inspect.Parameter]:
    return [parameter(name, *COMMON[name]) for name in names]


def add_command(task: AnyTask, verb: Callable[..., None], parameters: Iterable[inspect.Parameter]) -> None:
    """Make a function the command of a task, with the help that the task declares."""
    example = f"Example: [dim]{task.example}[/dim]." if task.example else ""
    help_text = "\n\n".join(filter(None, (task.question, task.explanation, example)))
    app.command(name=task.name, cls=HelpedCommand, help=help_text, epilog=EPILOG, rich_help_panel=MEASUREMENTS)(
        with_signature(verb, parameters)
    )


_Score = Annotated[
    Path | None,
    typer.Option(
        "--score",
        metavar="FILE",
        help="Train nothing; score what any program found by the same rules: a token, its tag and the predicted tag in "
        "each line, an empty line between sentences.",
        show_default=False,
    ),
]


def ner(context: typer.Context, score: Path | None, **values: Any) -> None:  # noqa: ANN401
    """Train and score networks, or score a file."""
    if score is None:
        measure_and_show(NER, **values)
        return
    for other in said(context, {name: value for name, value in values.items() if name != "as_json"}):
        flag = "--model" if other == "models" else f"--{other.replace('_', '-')}"
        raise TermgaugeError(f"--score scores a file as it is and trains nothing; leave out {flag}, or --score.")
    from termgauge.tasks.ner.score_file import score_entities

    result = score_entities(score)
    answer(values["as_json"], result.as_dict, result.document)


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
@with_options(Testing, only=AUDIT.testing)
@with_options(AUDIT.options)
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
    if out.exists() and not out.is_dir():
        raise TermgaugeError(f"{out}: is a file; name a folder to write the audit to.")
    result: Any = result_of(AUDIT, {**options, "sources": sources, "models": models})
    asked = audit_study(result, out / STUDY, options["seed"]) if study else None
    table, page = result.write(out)
    files = {"table": str(table), "page": str(page), "study": str(asked.folder) if asked else None}
    answer(as_json, lambda: {**result.brief(), "files": files}, lambda: document_of(AUDIT, result))
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


for _task in all_tasks().values():
    if _task.command and _task.name not in COMMANDS[MEASUREMENTS]:
        add_command(_task, partial(measure_and_show, _task), parameters(_task))
# To score a file, no models are needed.
_of_ner = [one.replace(default=None) if one.name == "models" else one for one in parameters(NER)]
add_command(NER, ner, [*_common("context"), *_of_ner[:-1], parameter("score", _Score, None), _of_ner[-1]])
