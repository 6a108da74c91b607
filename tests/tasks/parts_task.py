"""A task that measures a model in parts: throws of a die, as many as it is told, of which one may fail."""

from __future__ import annotations

from pydantic import Field

from termgauge.exceptions import TermgaugeError
from termgauge.options import Options
from termgauge.tasks.contract import Task
from termgauge.tasks.results import Result, Value


class Throws(Options):
    """Throws."""

    throws: int = Field(3, description="How many.")


class ThrowsResult(Result):
    """What was thrown."""

    models: dict[str, list[int]]

    def values(self):
        for model, thrown in self.models.items():
            yield Value(model, "sum", sum(thrown), n=len(thrown))


class ThrowsTask(Task[Throws, None, list[int], ThrowsResult]):
    """Throws; it remembers which were made, and fails at those that it is told."""

    name = "throws"
    title = "Throws"
    question = "Throw a die for each name."
    options = Throws
    parts_called = "throws"
    seconds = 5.0
    measured_type = list[int]
    result_type = ThrowsResult

    def __init__(self):
        super().__init__()
        self.made, self.failing = [], set()

    def inputs(self, options, material):
        del options
        return material.testing.seed

    def parts(self, inputs, options):
        return {f"throw/{number}": [inputs, number] for number in range(1, options.throws + 1)}

    def part_seconds(self, part, inputs, options):
        del inputs, options
        return float(part.rpartition("/")[2])

    def measure(self, model, inputs, options):
        return self.joined(list(self.measure_parts(model, inputs, options, list(self.parts(inputs, options)))))

    def measure_parts(self, model, inputs, options, parts):
        del options
        for part in parts:
            if (model.name, part) in self.failing:
                raise TermgaugeError(f"{part} fell off the table.")
            self.made.append((model.name, part))
            yield [inputs * 100 + 10 * len(model.name) + int(part.rpartition("/")[2])]

    def joined(self, measured):
        return [number for some in measured for number in some]

    def combine(self, measured, inputs, options):
        del inputs, options
        return ThrowsResult(models=dict(measured))

    def named(self, options):
        return f"{options.throws} throws"
