"""How well does an embedding know medical terminology?

The same verbs as on the command line, as functions. Nothing heavy is imported until it is used.

>>> import termgauge as tg
>>> hpo = tg.read_terminology("hp.obo")  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from termgauge.benchmark.build import build
    from termgauge.benchmark.human.sets import human_sets, load_human
    from termgauge.benchmark.pairset import PairSet
    from termgauge.benchmark.stored import Benchmark, load_benchmark
    from termgauge.domain.domain import Domain, make_domain, read_domain
    from termgauge.embeddings.load import load_model
    from termgauge.exceptions import TermgaugeError, TermgaugeWarning
    from termgauge.experiment.analogies import analogies
    from termgauge.experiment.categories import categories
    from termgauge.experiment.commented import init
    from termgauge.experiment.compare import compare
    from termgauge.experiment.coverage import coverage
    from termgauge.experiment.diff import diff
    from termgauge.experiment.evaluate import evaluate
    from termgauge.experiment.leaderboard import leaderboard
    from termgauge.experiment.runner import run
    from termgauge.experiment.worst import errors
    from termgauge.experiment.write_report import report
    from termgauge.terminology import Terminology, read_terminology

__all__ = [
    "Benchmark",
    "Domain",
    "PairSet",
    "TermgaugeError",
    "TermgaugeWarning",
    "Terminology",
    "analogies",
    "build",
    "categories",
    "compare",
    "coverage",
    "diff",
    "errors",
    "evaluate",
    "human_sets",
    "init",
    "leaderboard",
    "load_benchmark",
    "load_human",
    "load_model",
    "make_domain",
    "read_domain",
    "read_terminology",
    "report",
    "run",
]

_HOMES = {
    "analogies": "termgauge.experiment.analogies",
    "coverage": "termgauge.experiment.coverage",
    "Domain": "termgauge.domain.domain",
    "make_domain": "termgauge.domain.domain",
    "read_domain": "termgauge.domain.domain",
    "categories": "termgauge.experiment.categories",
    "compare": "termgauge.experiment.compare",
    "diff": "termgauge.experiment.diff",
    "errors": "termgauge.experiment.worst",
    "evaluate": "termgauge.experiment.evaluate",
    "report": "termgauge.experiment.write_report",
    "init": "termgauge.experiment.commented",
    "leaderboard": "termgauge.experiment.leaderboard",
    "run": "termgauge.experiment.runner",
    "load_model": "termgauge.embeddings.load",
    "Benchmark": "termgauge.benchmark.stored",
    "PairSet": "termgauge.benchmark.pairset",
    "build": "termgauge.benchmark.build",
    "human_sets": "termgauge.benchmark.human.sets",
    "load_benchmark": "termgauge.benchmark.stored",
    "load_human": "termgauge.benchmark.human.sets",
    "Terminology": "termgauge.terminology",
    "TermgaugeError": "termgauge.exceptions",
    "TermgaugeWarning": "termgauge.exceptions",
    "read_terminology": "termgauge.terminology",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name == "__version__":
        from termgauge.identity import version

        return version()
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'termgauge' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
