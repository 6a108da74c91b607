"""The smallest task: how many letters the name of a model has."""

from __future__ import annotations

from pydantic import Field

from termgauge.options import Options
from termgauge.tasks.contract import Result, Task, Value


class Letters(Options):
    """Letters."""

    at_least: int = Field(1, description="Shorter names count as none.")


class LettersResult(Result):
    """How many letters."""

    models: dict[str, int]

    def values(self):
        for model, letters in self.models.items():
            yield Value(model, "letters", letters, n=7, better="")


class LettersTask(Task[Letters, None, int, LettersResult]):
    """How many letters names have."""

    name = "letters"
    title = "Letters"
    question = "Count the letters of names."
    options = Letters
    measured_type = int
    result_type = LettersResult

    def inputs(self, options, material):
        del options, material

    def measure(self, model, inputs, options):
        del inputs
        return len(model.name) if len(model.name) >= options.at_least else 0

    def combine(self, measured, inputs, options):
        del inputs, options
        return LettersResult(models=dict(measured))
