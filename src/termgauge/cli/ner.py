"""The command about named entities: that of the task, which can also score what any other program found."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated, Any

import typer

from termgauge.cli.application import answer
from termgauge.cli.declared import said
from termgauge.cli.tasks import add_command, measure_and_show, parameters
from termgauge.exceptions import TermgaugeError
from termgauge.tasks.ner.task import TASK

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
        measure_and_show(TASK, values)
        return
    for other in said(context, {name: value for name, value in values.items() if name != "as_json"}):
        flag = "--model" if other == "models" else f"--{other.replace('_', '-')}"
        raise TermgaugeError(f"--score scores a file as it is and trains nothing; leave out {flag}, or --score.")
    from termgauge.tasks.ner.score_file import score_entities

    found = score_entities(score)
    answer(values["as_json"], found.as_dict, found.document)


def _parameters() -> list[inspect.Parameter]:
    """Return the parameters of the task's command, of which models are not needed to score a file."""
    own = [each.replace(default=None) if each.name == "models" else each for each in parameters(TASK)]
    kind = inspect.Parameter.KEYWORD_ONLY
    context = inspect.Parameter("context", kind, annotation=typer.Context)
    return [context, *own[:-1], inspect.Parameter("score", kind, annotation=_Score, default=None), own[-1]]


add_command(TASK, ner, _parameters())
