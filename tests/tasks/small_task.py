"""The smallest tasks: how many letters the name of a model has, and how many those of a run have together."""

from __future__ import annotations

from pydantic import Field

from termgauge.exceptions import TermgaugeError
from termgauge.options import Options
from termgauge.tasks.contract import RunTask, Task
from termgauge.tasks.registry import load_results
from termgauge.tasks.results import Result, Value


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


class SumsResult(Result):
    """How many letters the models of a run have together."""

    sums: dict[str, int]
    """By table."""

    def values(self):
        for name, letters in self.sums.items():
            yield Value("", "sum", letters, item=name, better="")


class SumsTask(RunTask[Letters, dict[str, int], SumsResult]):
    """How many letters a run has, as its other tables found."""

    name = "sums"
    title = "Sums of letters"
    question = "Add the letters of names."
    options = Letters
    testing = ("alpha",)
    instead = "a text"
    result_type = SumsResult

    def inputs(self, options, material):
        if material.instead is not None:
            return {"text": len(material.instead.read_text())}
        results = [(each.name, each.result) for each in load_results(material.run) if each.task.name == "letters"]
        if not results:
            raise TermgaugeError(f"{material.run.path}: has no letters.")
        return {
            name: sum(max(letters, options.at_least) for letters in result.models.values()) for name, result in results
        }

    def identity(self, inputs, options):
        del options
        return inputs

    def combine(self, measured, inputs, options):
        del options
        assert not measured
        return SumsResult(sums=inputs)
