"""A command for each task: its options are those that the task declares, and what it prints is the task's result."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from termgauge.cli.application import COMMANDS, EPILOG, MEASUREMENTS, answer, app
from termgauge.cli.clusters import PATIENCE_SECONDS, on_cluster
from termgauge.cli.declared import given, parameters_of, said, with_signature
from termgauge.cli.help import HelpedCommand
from termgauge.cli.options import (
    AsJson,
    Benchmarks,
    Cluster,
    Columns,
    DataDir,
    Jobs,
    Models,
    Patience,
    RunOut,
    Shared,
    Sources,
    SourcesOption,
)
from termgauge.tasks.contract import About, RunTask, Testing
from termgauge.tasks.registry import all_tasks
from termgauge.terminology.options import ReadingOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from termgauge.tasks.contract import AnyTask


def add_commands() -> None:
    """Give every task that wants one its command, unless a module of its own does."""
    for task in all_tasks().values():
        if task.command and task.name not in COMMANDS[MEASUREMENTS]:
            add_command(task, lambda task=task, **values: measure_and_show(task, values), parameters(task))


def measure_and_show(task: AnyTask, values: dict[str, Any]) -> None:
    """Measure what the command line asks for, and print the result."""
    from termgauge.engine.verbs import measure, read
    from termgauge.reporting.blocks import Document

    options, tested = given(values, task.options), {name: values[name] for name in task.testing}
    fields = task.options.model_fields
    reading: Any = given(values, ReadingOptions) if "terminology" in task.needs else None
    source = values.get("sources")
    if task.reads_run:
        settings = said(values["context"], tested)
        result = read(task, options, settings, values["run"], source=source or None, reading=reading)
    else:
        with on_cluster(values["cluster"], shared=values["shared"], patience=values["patience"]):
            result = measure(
                task,
                options,
                Testing.of(**tested),
                values["models"] or (),
                source=source,
                reading=reading,
                benchmarks=values.get("benchmarks") or (),
                columns=values.get("columns") or (),
                **{name: values[name] for name in ("data_dir", "out", "jobs") if name in values and name not in fields},
            )
    answer(values["as_json"], result.as_dict, lambda: Document("", (), (), tuple(task.sections(result, About()))))


_COMMON: dict[str, tuple[Any, Any]] = {
    "context": (typer.Context, ...),
    "sources": (Sources, ...),
    "models": (Models, ...),
    "benchmarks": (Benchmarks, None),
    "columns": (Columns, None),
    "data_dir": (DataDir, None),
    "out": (RunOut, None),
    "jobs": (Jobs, 1),
    "cluster": (Cluster, None),
    "shared": (Shared, False),
    "patience": (Patience, PATIENCE_SECONDS),
    "as_json": (AsJson, False),
}
"""What commands take that no task declares, with the defaults."""


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
    return [parameter(name, *_COMMON[name]) for name in names]


def add_command(task: AnyTask, verb: Callable[..., None], parameters: Iterable[inspect.Parameter]) -> None:
    """Make a function the command of a task, with the help that the task declares."""
    example = f"Example: [dim]{task.example}[/dim]." if task.example else ""
    help_text = "\n\n".join(filter(None, (task.question, task.explanation, example)))
    app.command(name=task.name, cls=HelpedCommand, help=help_text, epilog=EPILOG, rich_help_panel=MEASUREMENTS)(
        with_signature(verb, parameters)
    )


add_commands()
