"""A command for each task: its options are those that the task declares, and what it prints is the task's result.

Named entities can also be scored from a file, and an audit is also written and can begin a study.
"""

from __future__ import annotations

import inspect
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from termgauge.cli.application import COMMANDS, MEASUREMENTS, Answer, command
from termgauge.cli.declared import LATER, Only
from termgauge.cli.options import (
    Benchmarks,
    ClusterOptions,
    Columns,
    DataDir,
    Jobs,
    Models,
    OptionalModels,
    RunOut,
    Sources,
    SourcesOption,
)
from termgauge.exceptions import TermgaugeError
from termgauge.tasks.audit.task import TASK as AUDIT
from termgauge.tasks.audit.task import AuditOptions
from termgauge.tasks.contract import About, RunTask, Testing
from termgauge.tasks.ner.task import TASK as NER
from termgauge.tasks.registry import all_tasks
from termgauge.terminology.options import ReadingOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from termgauge.options import Options
    from termgauge.reporting.blocks import Document
    from termgauge.studies.folder import Study
    from termgauge.tasks.audit.result import AuditResult
    from termgauge.tasks.contract import AnyTask
    from termgauge.tasks.results import Result


def result_of(
    task: AnyTask,
    options: Options,
    testing: Testing | None = None,
    cluster: ClusterOptions | None = None,
    **values: Any,  # noqa: ANN401
) -> Result:
    """Measure what the command line asks for."""
    from termgauge.engine.verbs import measure

    arguments = {name: value for name, value in values.items() if value is not None}
    with (cluster or ClusterOptions()).used():
        return measure(task, options, testing.said() if testing else {}, **arguments)


def document_of(task: AnyTask, result: Result) -> Document:
    """Return a result as a document."""
    from termgauge.reporting.blocks import Document

    return Document("", (), (), tuple(task.sections(result, About())))


def measured(task: AnyTask, /, **values: Any) -> Answer:  # noqa: ANN401
    """Measure what the command line asks for."""
    result = result_of(task, **values)
    return Answer(result.as_dict, lambda: document_of(task, result))


def parameters(task: AnyTask) -> dict[str, Any]:
    """Return the parameters of a task's command, each with its annotation; in a pair with a default, if it has one."""
    terminology = "terminology" in task.needs
    if isinstance(task, RunTask):
        metavar = "RUN|FILE" if task.instead else "RUN"
        run = Annotated[Path, Argument(metavar=metavar, help=task.takes)]
        first: dict[str, Any] = {"run": run, **({"source": (SourcesOption, None)} if terminology else {})}
    else:
        first = {**({"source": Sources} if terminology else {}), "models": Models}
    if "sets" in task.needs:
        first |= {"benchmarks": (Benchmarks, None), "columns": (Columns, None), "data_dir": (DataDir, None)}
    first |= {"options": task.options, "testing": Annotated[Testing, Only(task.testing)]}
    first |= {"out": (RunOut, None), "jobs": (Jobs, 1)} if task.parts_called else {}
    first |= {} if task.reads_run else {"cluster": ClusterOptions}
    return first | ({"reading": ReadingOptions} if terminology else {})


def add_command(task: AnyTask, verb: Any, parameters: dict[str, Any]) -> None:  # noqa: ANN401
    """Make a function the command of a task, with the help that the task declares."""
    keyword, empty = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty
    pairs = {name: one if isinstance(one, tuple) else (one, empty) for name, one in parameters.items()}
    declared = [
        inspect.Parameter(name, keyword, annotation=annotation, default=default)
        for name, (annotation, default) in pairs.items()
    ]
    verb.__signature__ = inspect.Signature(declared, return_annotation=Answer)
    example = f"Example: [dim]{task.example}[/dim]." if task.example else ""
    command(verb, task.name, "\n\n".join(filter(None, (task.question, task.explanation, example))))


_Score = Annotated[
    Path | None,
    Option(
        "--score",
        metavar="FILE",
        help="Train nothing; score what any program found by the same rules: a token, its tag and the predicted tag in "
        "each line, an empty line between sentences.",
    ),
]


def ner(context: typer.Context, score: Path | None, options: Callable[[], Options], **values: Any) -> Answer:  # noqa: ANN401
    """Train and score networks, or score a file."""
    if score is None:
        return measured(NER, options=options(), **values)
    for other in context.params.keys() - {"score", "as_json"}:
        if str(context.get_parameter_source(other)).endswith("COMMANDLINE"):
            flag = "--model" if other == "models" else f"--{other.replace('_', '-')}"
            raise TermgaugeError(f"--score scores a file as it is and trains nothing; leave out {flag}, or --score.")
    from termgauge.tasks.ner.score_file import score_entities

    result = score_entities(score)
    return Answer(result.as_dict, result.document)


STUDY = "study"
Out = Annotated[Path, Option("--out", "-o", help="The folder for audit.csv and audit.html.")]
AsStudy = Annotated[
    bool,
    Option(
        "--study",
        help="Also begin a study in the folder: people say, blind, whether the first pairs of the first two lists mean "
        "the same.",
    ),
]


@command
def audit(
    sources: Sources,
    out: Out,
    options: AuditOptions,
    testing: Annotated[Testing, Only(AUDIT.testing)],
    reading: ReadingOptions,
    models: OptionalModels = None,
    study: AsStudy = False,
) -> Answer:
    """Let models read a terminology a second time: which of its terms stand at the wrong place?

    Four lists come out: synonyms that look unlike their concept, terms of different concepts that look the same,
    retired concepts without a replacement, and replacements that look doubtful. They are for people to look at, not to
    be believed. Without a model only rules are applied.

    Example: [dim]termgauge audit hp.obo -m wordllama: -m glove.6B.50d.txt --out hp-audit[/dim].
    """
    if out.exists() and not out.is_dir():
        raise TermgaugeError(f"{out}: is a file; name a folder to write the audit to.")
    result: Any = result_of(AUDIT, options, testing, source=sources, models=models, reading=reading)
    asked = audit_study(result, out / STUDY, testing.seed) if study else None
    table, page = result.write(out)
    files = {"table": str(table), "page": str(page), "study": str(asked.folder) if asked else None}
    written = (table, page, *([asked.folder] if asked else []))
    return Answer(lambda: {**result.brief(), "files": files}, lambda: document_of(AUDIT, result), written)


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
        add_command(_task, partial(measured, _task), parameters(_task))
# To score a file, no models are needed.
_of_ner = {"options": Annotated[NER.options, LATER], "models": (Models, None), "score": (_Score, None)}
add_command(NER, ner, {"context": typer.Context, **parameters(NER), **_of_ner})
