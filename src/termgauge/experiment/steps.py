"""The steps of a run, by the names that people see."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from termgauge.experiment.file import ExperimentFile

READ, BUILD, HUMAN = "Read terminologies", "Build benchmarks", "Load rated sets"
SCORE, VALUES = "Score models", "Values"
VOCABULARY, CATEGORIES, COVERAGE, WRITE_REPORT = "Vocabularies", "Categories", "Coverage", "Report"


def step_names(file: ExperimentFile, *, report: bool = True) -> list[str]:
    """Return the steps that an experiment has, in order."""
    wanted = {
        READ: bool(file.experiment.terminology),
        HUMAN: file.experiment.human is not None,
        BUILD: bool(file.experiment.benchmark),
        SCORE: True,
        VALUES: True,
        VOCABULARY: True,
        CATEGORIES: bool(file.experiment.categories),
        COVERAGE: bool(file.experiment.coverage),
        WRITE_REPORT: report,
    }
    return [name for name, there in wanted.items() if there]
