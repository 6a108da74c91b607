"""The command about named entities: that of the task, which can also score what any other program found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from termgauge.cli.application import answer
from termgauge.cli.declared import said
from termgauge.cli.tasks import add_command, measure_and_show, parameter, parameters
from termgauge.exceptions import TermgaugeError
from termgauge.tasks.ner.task import TASK

if TYPE_CHECKING:
    import inspect

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

    result = score_entities(score)
    answer(values["as_json"], result.as_dict, result.document)


def _parameters() -> list[inspect.Parameter]:
    """Return the parameters of the task's command, of which models are not needed to score a file."""
    declarations = [
        declaration.replace(default=None) if declaration.name == "models" else declaration
        for declaration in parameters(TASK)
    ]
    return [parameter("context", typer.Context), *declarations[:-1], parameter("score", _Score, None), declarations[-1]]


add_command(TASK, ner, _parameters())
