"""Does prediction mark correlations of benchmarks with tasks where there are none?

Models have scores on ten benchmarks and in four tasks. Those of benchmarks go together, and so do those of tasks, but
neither has anything to do with the other. Models of a family are more alike than others, on both sides. A mark anywhere
in a table is an error; beside it stands what comes out without correction, and if families are not named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.levels import simulated
from termgauge.tasks.prediction.correlate import predict
from termgauge.tasks.prediction.scores import Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

BENCHMARKS, TASKS = 10, 4


class Case(NamedTuple):
    """What is simulated."""

    models: int
    alike: float
    """How much scores of one side go together: the standard deviation of what they share."""
    families: int = 0
    """None where all models are independent."""

    def __str__(self) -> str:
        """Say what it is in one line."""
        within = f" of {self.families} families" if self.families else ""
        return f"{self.models} models{within}, sharing {self.alike:g}"


class Rates(NamedTuple):
    """In which share of repeats any of the correlations is marked at 0.05."""

    marked: float
    uncorrected: float
    """Where nothing corrects for the number of correlations."""
    unnamed: float
    """Where it is not said which models are of one family."""


def rates(case: Case, repeats: int, seed: int = 42) -> Rates:
    """Simulate a case."""
    generator = np.random.default_rng(seed)
    found = np.array([_once(case, generator) for _ in range(repeats)])
    return Rates(*found.mean(axis=0).tolist())


def _once(case: Case, generator: np.random.Generator) -> tuple[bool, bool, bool]:
    models = [f"model {at}" for at in range(case.models)]
    family = np.arange(case.models) % max(1, case.families)

    def side(count: int) -> dict[str, dict[str, float]]:
        shared = generator.normal(size=case.models)
        shared += 2 * generator.normal(size=max(1, case.families))[family]
        columns: NDArray[np.float64] = case.alike * shared + generator.normal(size=(count, case.models))
        return {str(at): dict(zip(models, column.tolist(), strict=True)) for at, column in enumerate(columns)}

    given = {"label": "made", "models": models, "intrinsic": side(BENCHMARKS), "extrinsic": side(TASKS)}
    named = {model: f"family {number}" for model, number in zip(models, family.tolist(), strict=True)}

    unnamed = predict(Scores(**given), alpha=0.05, correction="holm")
    told = predict(Scores(**given, families=named), alpha=0.05, correction="holm") if case.families else unnamed
    uncorrected = any(cell.rho_p is not None and cell.rho_p < told.alpha for cell in told.cells)
    marked, marked_unnamed = (any(cell.significant for cell in found.cells) for found in (told, unnamed))
    return marked, uncorrected, marked_unnamed


CASES = [
    *(Case(models, alike) for models in (7, 9, 10, 12, 20, 29) for alike in (0.0, 0.7)),
    *(Case(models, 0.7, 3) for models in (9, 12, 18)),
    Case(12, 0.0, 3),
]


def main(repeats: int = 1000) -> None:
    """Print a line for each case."""
    print(f"{f'Any mark among {BENCHMARKS} x {TASKS} unrelated cells':42} marked  uncorrected  families not named")
    for case, found in simulated(rates, CASES, [repeats] * len(CASES)):
        line = f"{case!s:42} {found.marked:6.3f}  {found.uncorrected:11.3f}  {found.unnamed:18.3f}"
        print(line, flush=True)
