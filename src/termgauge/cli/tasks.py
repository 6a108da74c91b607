"""A command for each task: its options are those that the task declares, and what it prints is the task's result."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from termgauge.cli.application import COMMANDS, EPILOG, MEASUREMENTS, answer, app
from termgauge.cli.declared import given, parameters_of, with_signature
from termgauge.cli.options import AsJson, Benchmarks, DataDir, Models, Sources
from termgauge.tasks.contract import About, Testing
from termgauge.tasks.registry import all_tasks
from termgauge.terminology.options import ReadingOptions

if TYPE_CHECKING:
    from termgauge.tasks.contract import AnyTask


def add_commands() -> None:
    """Give every task that wants one its command; one that writes more than a result has a module of its own."""
    for task in all_tasks().values():
        if task.command and task.name not in COMMANDS[MEASUREMENTS]:
            add_command(task)


def add_command(task: AnyTask) -> None:
    """Give a task its command."""

    def verb(**values: Any) -> None:  # noqa: ANN401
        from termgauge.document.blocks import Document
        from termgauge.experiment.verbs import measure

        result = measure(
            task,
            given(values, task.options),
            Testing.of(**{name: values[name] for name in task.testing}),
            values["models"],
            source=values.get("sources"),
            reading=given(values, ReadingOptions) if "terminology" in task.needs else None,  # type: ignore[arg-type]
            benchmarks=values.get("benchmarks") or (),
            data_dir=values.get("data_dir"),
        )
        answer(values["as_json"], result.as_dict, lambda: Document("", (), (), tuple(task.sections(result, About()))))

    terminology, sets = "terminology" in task.needs, "sets" in task.needs
    parameters = [
        *([_parameter("sources", Sources)] if terminology else []),
        _parameter("models", Models),
        *([_parameter("benchmarks", Benchmarks, None), _parameter("data_dir", DataDir, None)] if sets else []),
        *parameters_of(task.options),
        *parameters_of(Testing, task.testing),
        _parameter("as_json", AsJson, default=False),
        *(parameters_of(ReadingOptions) if terminology else []),
    ]
    example = f"Example: [dim]{task.example}[/dim]." if task.example else ""
    help_text = "\n\n".join(filter(None, (task.question, task.explanation, example)))
    app.command(name=task.name, help=help_text, epilog=EPILOG, rich_help_panel=MEASUREMENTS)(
        with_signature(verb, parameters)
    )


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:  # noqa: ANN401
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


add_commands()
