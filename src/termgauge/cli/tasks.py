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
    own = task.options.model_fields
    reading: Any = given(values, ReadingOptions) if "terminology" in task.needs else None
    source = values.get("sources")
    if task.reads_run:
        known = said(values["context"], tested)
        result = read(task, options, known, values["run"], source=source or None, reading=reading)
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
                **{name: values[name] for name in ("data_dir", "out", "jobs") if name in values and name not in own},
            )
    answer(values["as_json"], result.as_dict, lambda: Document("", (), (), tuple(task.sections(result, About()))))


def parameters(task: AnyTask) -> list[inspect.Parameter]:
    """Return the parameters of a task's command."""
    terminology, sets = "terminology" in task.needs, "sets" in task.needs
    return [
        *(_of_a_run(task) if task.reads_run else _of_models(terminology=terminology)),
        *(_of_sets() if sets else []),
        *parameters_of(task.options),
        *parameters_of(Testing, task.testing),
        *([_parameter("out", RunOut, None), _parameter("jobs", Jobs, 1)] if task.parts_called else []),
        *([] if task.reads_run else _of_clusters()),
        _parameter("as_json", AsJson, default=False),
        *(parameters_of(ReadingOptions) if terminology else []),
    ]


def add_command(task: AnyTask, verb: Callable[..., None], parameters: Iterable[inspect.Parameter]) -> None:
    """Make a function the command of a task, with the help that the task declares."""
    example = f"Example: [dim]{task.example}[/dim]." if task.example else ""
    help_text = "\n\n".join(filter(None, (task.question, task.explanation, example)))
    app.command(name=task.name, cls=HelpedCommand, help=help_text, epilog=EPILOG, rich_help_panel=MEASUREMENTS)(
        with_signature(verb, parameters)
    )


def _of_clusters() -> list[inspect.Parameter]:
    return [
        _parameter("cluster", Cluster, None),
        _parameter("shared", Shared, default=False),
        _parameter("patience", Patience, PATIENCE_SECONDS),
    ]


def _of_sets() -> list[inspect.Parameter]:
    return [
        _parameter("benchmarks", Benchmarks, None),
        _parameter("columns", Columns, None),
        _parameter("data_dir", DataDir, None),
    ]


def _of_models(*, terminology: bool) -> list[inspect.Parameter]:
    return [*([_parameter("sources", Sources)] if terminology else []), _parameter("models", Models)]


def _of_a_run(task: AnyTask) -> list[inspect.Parameter]:
    """Return what a task works on that reads a run."""
    assert isinstance(task, RunTask)
    metavar = "RUN|FILE" if task.instead else "RUN"
    run = Annotated[Path, typer.Argument(metavar=metavar, help=task.takes, show_default=False)]
    source = [_parameter("sources", SourcesOption, None)] if "terminology" in task.needs else []
    return [_parameter("context", typer.Context), _parameter("run", run), *source]


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:  # noqa: ANN401
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


add_commands()
