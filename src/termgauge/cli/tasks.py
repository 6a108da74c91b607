"""A command for each task: its options are those that the task declares, and what it prints is the task's result."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from termgauge.cli.application import MEASUREMENTS, app, print_json, show
from termgauge.cli.declared import given, parameters_of, with_signature
from termgauge.cli.options import AsJson, Benchmarks, DataDir, Models, Sources
from termgauge.tasks.contract import About, Testing
from termgauge.tasks.registry import all_tasks
from termgauge.terminology.options import ReadingOptions

if TYPE_CHECKING:
    from termgauge.tasks.contract import AnyTask

_P = inspect.Parameter


def add_commands() -> None:
    """Give every task that wants one its command."""
    for task in all_tasks().values():
        if task.command:
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
        if values["as_json"]:
            print_json(result.as_dict())
        else:
            show(Document("", (), (), tuple(task.sections(result, About()))))

    parameters = [_P("models", _P.KEYWORD_ONLY, annotation=Models)]
    if "terminology" in task.needs:
        parameters.insert(0, _P("sources", _P.KEYWORD_ONLY, annotation=Sources))
    if "sets" in task.needs:
        parameters += [
            _P("benchmarks", _P.KEYWORD_ONLY, annotation=Benchmarks, default=None),
            _P("data_dir", _P.KEYWORD_ONLY, annotation=DataDir, default=None),
        ]
    parameters += parameters_of(task.options)
    parameters += parameters_of(Testing, task.testing)
    parameters.append(_P("as_json", _P.KEYWORD_ONLY, annotation=AsJson, default=False))
    if "terminology" in task.needs:
        parameters += parameters_of(ReadingOptions)
    example = f"Example: [dim]{task.example}[/dim]." if task.example else ""
    help_text = "\n\n".join(filter(None, (task.question, task.explanation, example)))
    app.command(name=task.name, help=help_text, rich_help_panel=MEASUREMENTS)(with_signature(verb, parameters))
